package tcp

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// soon is the time limit for waits in tests.
const soon = 30 * time.Second

// until calls do until it reports that it is done.
func until(t *testing.T, what string, do func() bool) {
	t.Helper()
	for start := time.Now(); !do(); {
		if time.Since(start) > soon {
			t.Fatalf("%s does not happen", what)
		}
	}
}

// pair returns the ends of a stream.
func pair(t *testing.T) (a, b Socket) {
	t.Helper()
	l, at, err := Listen("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if a, err = Dial(at); err != nil {
		t.Fatal(err)
	}
	until(t, "Accept", func() bool {
		b, err = l.Accept()
		return err != nil || b != None
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

func TestAddresses(t *testing.T) {
	for address, want := range map[string]string{"carrier": "is not an address", "192.0.2.1": "192.0.2.1: "} {
		if s, _, err := Listen(address); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %d, %v", address, s, err)
		}
	}
	for _, address := range []string{"127.0.0.1", "::1"} {
		l, at, err := Listen(address)
		if err != nil || at.Addr().String() != address || at.Port() == 0 {
			t.Fatalf("%s: %v, %v", address, at, err)
		}
		s, err := Dial(at)
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		s.Close()
	}
}

// If there is no listener, the socket becomes ready, and reports why there is no stream.
func TestRefusedStream(t *testing.T) {
	l, at, err := Listen("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	s, err := Dial(at)
	if err != nil {
		return // the system may report it at once
	}
	defer s.Close()
	p, err := NewPoller()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Add(s, 5, true); err != nil {
		t.Fatal(err)
	}
	var ready [4]Ready
	until(t, "the refusal", func() bool { return p.Look(ready[:]) == 1 })
	if ready[0].Key != 5 || !ready[0].Out {
		t.Errorf("%+v", ready[0])
	}
	if err := s.Connected(); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Error(err)
	}
	if _, err := Dial(netip.AddrPortFrom(netip.MustParseAddr("240.0.0.1"), 1)); err == nil {
		t.Log("the system has a way to 240.0.0.1")
	}
}

// Await returns when a socket is ready, and when it is released.
func TestAwait(t *testing.T) {
	a, b := pair(t)
	p, err := NewPoller()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Add(b, 1, false); err != nil {
		t.Fatal(err)
	}
	ends := make(chan bool)
	go func() {
		ends <- p.Await()
		ends <- p.Await()
	}()
	if _, err := a.Send([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if !<-ends {
		t.Error("released before anybody did")
	}
	p.Remove(b)
	p.Release()
	for range ends { // it may report the socket once more
		break
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// drain reads n frames into which.
func drain(t *testing.T, s Socket, n int) (frames [][]byte) {
	t.Helper()
	r := NewReader(HeadBytes + 1000)
	until(t, "the last frame", func() bool {
		if r.Fill(s); r.Over() {
			t.Fatal("the stream has ended")
		}
		for h := r.Head(); h != nil; h = r.Head() {
			_, n := h.About()
			b := r.Packet(n)
			if b == nil {
				break
			}
			frames = append(frames, bytes.Clone(b))
		}
		return len(frames) >= n
	})
	return frames
}

// Packets are sent before the waiting parts of a transfer, but after the part being sent; parts of several
// transfers alternate.
func TestPacketsPassTransfers(t *testing.T) {
	a, b := pair(t)
	var q Queue
	pool := Pool{Bytes: 100}
	q.Add(Transfer(7, []byte("abcdefg"), 3, 1, 1, 100))
	q.Add(Transfer(8, []byte("xyz"), 3, 2, 2, 50, 10))
	p := pool.Get()
	(*Head)(p).Put(9, 2)
	copy(p[HeadBytes:], "hi")
	q.Begun(p[:HeadBytes+2], 0) // being sent
	p = pool.Get()
	(*Head)(p).Put(9, 0)
	q.AddPacket(p[:HeadBytes])
	q.Confirm(6, 4, 10)
	q.Confirm(6, 4, 5)
	q.Confirm(6, 3, 1)
	if q.Packets() != 2 || q.Transfers() != 4 {
		t.Errorf("%d packets, %d transfers", q.Packets(), q.Transfers())
	}
	if all, err := q.Flush(a, &pool); !all || err != nil || q.Packets() != 0 || !q.Empty() || len(pool.spare) != 2 {
		t.Errorf("%v, %v, %d packets, %d spare", all, err, q.Packets(), len(pool.spare))
	}
	var got []string
	for _, f := range drain(t, b, 8) {
		h := (*Head)(f)
		kind, _ := h.About()
		got = append(got, strings.Join([]string{string(rune('0' + kind)), string(rune('0' + h.Word(0))), string(rune('0' + h.Word(1)%50)), string(f[HeadBytes:])}, " "))
	}
	want := []string{"9 0 0 hi", "9 0 0 ", "7 1 0 abc", "8 2 0 xyz", "6 4 ? ", "6 3 1 ", "7 1 3 def", "7 1 6 g"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
}

// A transfer that is revoked ends with the part being sent, from a copy, and the other side is told if it
// should be.
func TestRevoke(t *testing.T) {
	for _, tell := range []byte{0, 5} {
		a, b := pair(t)
		var q Queue
		var pool Pool
		memory := bytes.Repeat([]byte("m"), 64<<20)
		q.Add(Transfer(7, memory, 32<<20, 1, 1, 0)) // more than the system accepts at once
		q.Add(Transfer(7, memory[:10], 4, 1, 2, 0))
		q.Add(Transfer(7, []byte("keep"), 4, 1, 3, 0))
		if all, err := q.Flush(a, &pool); all || err != nil {
			t.Fatalf("%v, %v: all at once", all, err)
		}
		q.Revoke(func(f *Frame) bool { return f.Head.Word(0) != 3 }, tell)
		clear(memory)
		r := NewReader(HeadBytes + 10)
		body := make([]byte, 32<<20)
		var kinds []byte
		var whole, last bool
		until(t, "the last frame", func() bool {
			if _, err := q.Flush(a, &pool); err != nil {
				t.Fatal(err)
			}
			if _, done := r.Fill(b); done {
				whole = true
			}
			for h := r.Head(); h != nil; h = r.Head() {
				kind, n := h.About()
				kinds = append(kinds, kind, byte(h.Word(0)))
				last = h.Word(0) == 3
				r.Into(body[:n])
			}
			return last && q.Empty()
		})
		want := []byte{7, 1, 7, 3}
		if tell != 0 {
			want = []byte{7, 1, 5, 2, 7, 3, 5, 1}
		}
		if tell != 0 { // the refusal of the first one comes after the last
			until(t, "the refusal", func() bool {
				r.Fill(b)
				h := r.Head()
				if h != nil {
					kind, _ := h.About()
					kinds = append(kinds, kind, byte(h.Word(0)))
				}
				return h != nil
			})
		}
		if !whole || !bytes.Equal(kinds, want) || bytes.ContainsFunc(body[4:], func(r rune) bool { return r != 'm' }) {
			t.Errorf("tell %d: whole %v, frames %v, want %v", tell, whole, kinds, want)
		}
	}
}

// Frames of any length arrive as they were sent, however the stream divides them.
func TestFramesAreWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := pair(t)
	const most = 200
	reader := NewReader(HeadBytes + most)
	var stream []byte
	var want [][]byte
	for i := range 300 {
		body := make([]byte, r.IntN(most+1))
		for j := range body {
			body[j] = byte(r.Uint32())
		}
		var h Head
		h.Put(byte(1+i%2), len(body), uint64(i), 1<<63, 3)
		stream = append(append(stream, h[:]...), body...)
		want = append(want, body)
	}
	var got [][]byte
	into := make([]byte, most)
	waits := 0 // bytes of the body that Into still has to read
	until(t, "the last frame", func() bool {
		n, err := a.Send(stream[:min(len(stream), 1+r.IntN(150))])
		if err != nil {
			t.Fatal(err)
		}
		stream = stream[n:]
		if _, whole := reader.Fill(b); whole {
			got = append(got, bytes.Clone(into[:waits]))
		}
		for h := reader.Head(); h != nil; h = reader.Head() {
			kind, n := h.About()
			if h.Word(1) != 1<<63 || h.Word(2) != 3 || h.Word(0)%2 != uint64(kind-1) {
				t.Fatalf("head %v", h)
			}
			if kind == 2 {
				if waits = n; !reader.Into(into[:n]) {
					break
				}
				got = append(got, bytes.Clone(into[:n]))
				continue
			}
			f := reader.Packet(n)
			if f == nil {
				break
			}
			got = append(got, bytes.Clone(f[HeadBytes:]))
		}
		return len(got) == len(want)
	})
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("frame %d: %x, want %x", i, got[i], want[i])
		}
	}
	a.Close()
	until(t, "the end", func() bool {
		reader.Fill(b)
		return reader.Over()
	})
}

// Neither sending nor receiving allocates.
func TestAllocations(t *testing.T) {
	a, b := pair(t)
	p, err := NewPoller()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Add(b, 1, false); err != nil {
		t.Fatal(err)
	}
	reader := NewReader(1000)
	var ready [4]Ready
	one, two := make([]byte, 10), make([]byte, 20)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := a.Send(one); err != nil {
			t.Fatal(err)
		}
		if _, err := a.SendBoth(one, two); err != nil {
			t.Fatal(err)
		}
		p.Look(ready[:])
		for news := true; news; {
			news, _ = reader.Fill(b)
			for reader.w-reader.r >= HeadBytes {
				reader.Packet(0)
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

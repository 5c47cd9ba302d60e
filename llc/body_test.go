package llc_test

import (
	"bytes"
	"testing"

	"rhinet/internal/strided"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// A sparse is every other byte of memory.
type sparse []byte

func (s sparse) Size() int { return len(s) / 2 }

func (s sparse) Gather(dst []byte, off int) {
	for i := range dst {
		dst[i] = s[2*(off+i)]
	}
}

func (s sparse) Scatter(src []byte, off int) {
	for i, b := range src {
		s[2*(off+i)] = b
	}
}

func (s sparse) Blocks() ([]byte, strided.Blocks) {
	return s[:max(len(s)-1, 0)], strided.Blocks{Block: 1, Stride: 2}
}

func (s sparse) List(l strided.List, n, most int) ([]byte, strided.List) { return nil, nil }

// all fills b with the bytes of the message, and returns it.
func (s sparse) all(b []byte) []byte {
	s.Gather(b, 0)
	return b
}

// body is a sparse with the bytes of want, or of zeros.
func body(n int, want []byte) sparse {
	s := make(sparse, 2*n)
	s.Scatter(want, 0)
	return s
}

// oversubscribe makes the engines of a loop those of peers that share processors.
func oversubscribe(l *loop, caps ir.Caps) *loop {
	for i := range l.engines {
		l.engines[i] = llc.New(llc.Config{Self: i, Peers: len(l.engines), Caps: caps, Oversubscribed: true})
	}
	return l
}

// Every size arrives from a noncontiguous message, into a noncontiguous receive, and both, posted before or
// after, to the other peer and to the sender itself.
func TestMessagesInPiecesArrive(t *testing.T) {
	for _, remote := range []bool{true, false} {
		for _, rings := range []int{0, 4} {
			for way := range 6 {
				oversubscribed := way%2 == 1
				caps := nictest.DefaultCaps()
				caps.Remote, caps.Rings, caps.Gathers = remote, rings, way > 1
				if way > 3 {
					caps.Blocks = 1 // of a sparse
				}
				l := newLoop(t, 2, caps)
				if oversubscribed {
					oversubscribe(l, caps)
				}
				for _, size := range []int{0, 1, 40, 41, 1000, 4097, 20000, 32769, 200001} {
					for k := range 24 {
						inPieces(l, size, k)
					}
				}
				for i, e := range l.engines {
					if s := e.Snapshot(); !e.Idle() || s.Transfers+s.Segments+s.Words+s.Queued+s.Copies+s.Incoming+s.Posted+s.Unexpected != 0 {
						t.Errorf("remote=%v rings=%d engine %d at rest: %+v", remote, rings, i, s)
					}
				}
			}
		}
	}
}

// inPieces sends one message of size bytes in variant k.
func inPieces(l *loop, size, k int) {
	l.Helper()
	from, to, late, sync, to0 := k%2 == 0, k/2%2 == 0, k/4%2 == 0, k/8%2 == 0, k/16%2 == 0
	room := size
	if k%3 == 2 {
		room = size / 2 // truncated
	}
	want, got := pattern(size, k), body(room, nil)
	s := &llc.Request{Peer: 1, Context: 2, Tag: k, Buf: want}
	r := &llc.Request{Peer: 0, Context: 2, Tag: k, Buf: make([]byte, room)}
	if from {
		s.Buf, s.Body, s.Mode, s.Attended = nil, body(size, want), llc.Scattered, k%5 < 2
	}
	if sync {
		s.Mode = llc.Synchronous
	}
	if to {
		r.Buf, r.Body = nil, got
	}
	at := 1
	if to0 {
		at, s.Peer = 0, 0
	}
	if late {
		l.engines[0].Send(s)
		l.run()
	}
	l.engines[at].Recv(r)
	if !late {
		l.engines[0].Send(s)
	}
	l.until(s)
	l.until(r)
	l.run()
	have := make([]byte, room)
	if r.Gather(have, 0); !bytes.Equal(have, want[:room]) || to && !bytes.Equal(got, body(room, want[:room])) {
		l.Fatalf("%d bytes, way %d, arrived wrong", size, k)
	}
	if r.Status.Bytes != int64(size) || (r.Status.Err != nil) != (room < size) || s.Status.Err != nil {
		l.Fatalf("%d bytes, way %d: send %+v, receive %+v", size, k, s.Status, r.Status)
	}
}

// Noncontiguous messages allocate nothing in a steady state.
func TestPiecesAllocateNothing(t *testing.T) {
	l := connected(t)
	s := &llc.Request{Peer: 1, Context: 2, Tag: 1, Body: body(30000, nil), Mode: llc.Scattered}
	r := &llc.Request{Peer: 0, Context: 2, Tag: 1, Body: body(30000, nil)}
	round := func() {
		l.engines[1].Recv(r)
		l.engines[0].Send(s)
		l.until(s)
		l.until(r)
	}
	round()
	if n := testing.AllocsPerRun(20, round); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A telling body counts what is gathered of it.
type telling struct {
	sparse
	gathered int
}

func (b *telling) Gather(dst []byte, off int) {
	b.gathered += len(dst)
	b.sparse.Gather(dst, off)
}

// What a NIC gathers it gathers where the payload belongs: the engine says where the bytes of a packet are, and gathers nothing, neither of a short
// message nor of one that fills the ring. For another NIC the payload of each packet is there, apart from those of the others.
func TestPacketsAreGatheredOnce(t *testing.T) {
	for _, gathers := range []bool{true, false} {
		for _, size := range []int{1, 40, 41, 1000, 4096} {
			caps := nictest.DefaultCaps()
			caps.Gathers, caps.Remote = gathers, false
			l := newLoop(t, 2, caps)
			first := &llc.Request{Peer: 1, Tag: 9, Buf: []byte{1}}
			l.engines[1].Recv(&llc.Request{Peer: 0, Tag: 9, Buf: make([]byte, 1)})
			l.engines[0].Send(first)
			l.run() // connects
			b := &telling{sparse: body(size, pattern(size, 7))}
			l.engines[0].Send(&llc.Request{Peer: 1, Body: b, Mode: llc.Scattered})
			var all []byte
			cmds := l.engines[0].Take()
			if want := map[bool]int{false: size}[gathers]; b.gathered > size || size < 4096 && b.gathered != want {
				t.Errorf("gathers=%v, %d bytes: the engine has gathered %d", gathers, size, b.gathered)
			}
			for i := range cmds {
				c := &cmds[i]
				if c.Op == ir.Packet && (c.InPieces() != gathers || int(c.Header.Length) != c.PayloadBytes()) {
					t.Errorf("gathers=%v, %d bytes: %+v", gathers, size, c)
				}
				if c.Op == ir.Packet {
					all = append(all, c.Payload(nil)...)
				}
			}
			if len(all) == 0 || !bytes.Equal(all, pattern(size, 7)[:len(all)]) {
				t.Errorf("gathers=%v, %d bytes: the packets have %d others", gathers, size, len(all))
			}
		}
	}
}

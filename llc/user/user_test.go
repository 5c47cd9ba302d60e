package user_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"rhinet/llc"
	"rhinet/llc/user"
	"rhinet/llc/user/usertest"
)

// pair makes two peers, which the test closes.
func pair(t *testing.T) (a, b *user.Peer) {
	t.Helper()
	peers, err := user.Local(2, "")
	if err != nil {
		t.Fatal(err)
	}
	return peers[0], peers[1]
}

func closeAll(t *testing.T, peers ...*user.Peer) {
	t.Helper()
	for _, p := range peers {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Send-Receive: tags match, a long message is truncated, and the queue reports to both sides (llc,
// sections 3.1, 3.3).
func TestSendReceive(t *testing.T) {
	usertest.Run(t, 2, func(p *user.Peer) error {
		sizes := []int{0, 8, 5000, 300000}
		if p.Self() == 0 {
			for i, n := range sizes {
				if err := p.Send(1, i, bytes.Repeat([]byte{byte(i + 1)}, n), i); err != nil {
					return err
				}
			}
			for range sizes {
				if ev := p.Next(); ev.Kind != user.Sent || ev.Err != nil || ev.ID != ev.Cookie.(int) || ev.Bytes != sizes[ev.ID] {
					t.Errorf("event %+v", ev)
				}
			}
			return p.Close()
		}
		bufs := make([][]byte, len(sizes))
		for i := len(sizes) - 1; i >= 0; i-- { // tags match, not order
			bufs[i] = make([]byte, sizes[i])
			if i == 2 {
				bufs[i] = bufs[i][:100]
			}
			src := 0
			if i%2 == 1 {
				src = user.AnyPeer
			}
			if err := p.Recv(src, i, bufs[i], i); err != nil {
				return err
			}
		}
		for range sizes {
			ev := p.Next()
			i := ev.Cookie.(int)
			if ev.Kind != user.Received || ev.Peer != 0 || ev.ID != i || ev.Bytes != sizes[i] || (i == 2) != errors.Is(ev.Err, llc.ErrTruncated) {
				t.Errorf("event %+v", ev)
			}
			if !bytes.Equal(bufs[i], bytes.Repeat([]byte{byte(i + 1)}, len(bufs[i]))) {
				t.Errorf("message %d has other bytes", i)
			}
		}
		return p.Close()
	})
}

// Unsolicited-Send: order, sizes, handlers, and a handler that answers (llc, section 3.2).
func TestUnsolicited(t *testing.T) {
	const n = 500
	usertest.Run(t, 3, func(p *user.Peer) error {
		answers := 0
		p.Handle(7, func(src int, data []byte) {
			if err := p.Unsolicited(src, 8, data); err != nil {
				t.Error(err)
			}
		})
		p.Handle(8, func(int, []byte) { answers++ })
		for i := range n {
			for dst := range p.Peers() {
				if err := p.Unsolicited(dst, 1, bytes.Repeat([]byte{byte(i)}, i%9*500)); err != nil {
					return err
				}
			}
			if err := p.Unsolicited((p.Self()+1)%p.Peers(), 7, []byte("question")); err != nil {
				return err
			}
		}
		seen, ended := make([]int, p.Peers()), 0
		read := func() error {
			ev, ok := p.Poll() // this calls handlers
			switch i := 0; {
			case !ok:
			case ev.Kind != user.Arrived || ev.Err != nil || ev.ID != 1 && ev.ID != 2:
				return fmt.Errorf("event %+v", ev)
			case ev.ID == 2:
				ended++
			default:
				i, seen[ev.Peer] = seen[ev.Peer], seen[ev.Peer]+1
				if !bytes.Equal(ev.Data, bytes.Repeat([]byte{byte(i)}, i%9*500)) {
					return fmt.Errorf("message %d of peer %d has %d bytes", i, ev.Peer, len(ev.Data))
				}
			}
			return nil
		}
		for seen[0]+seen[1]+seen[2] < 3*n || answers < n {
			if err := read(); err != nil {
				return err
			}
		}
		for dst := range p.Peers() { // until all have said this, they may ask
			if err := p.Unsolicited(dst, 2, nil); err != nil {
				return err
			}
		}
		for ended < p.Peers() {
			if err := read(); err != nil {
				return err
			}
		}
		return p.Close()
	})
}

// Every event goes to one of several readers, including those that wait while another one polls.
func TestReadersTakeTurns(t *testing.T) {
	const n, readers = 300, 4
	a, b := pair(t)
	var mu sync.Mutex
	seen := map[byte]int{}
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			for {
				ev := b.Next()
				if ev.ID == 2 {
					return
				}
				mu.Lock()
				seen[byte(ev.ID)]++
				mu.Unlock()
			}
		})
	}
	for range n {
		if err := a.Unsolicited(1, 1, []byte{1}); err != nil {
			t.Error(err)
		}
	}
	for range readers {
		if err := a.Unsolicited(1, 2, nil); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	if seen[1] != n || len(seen) != 1 {
		t.Errorf("events by id %v, want %d of 1", seen, n)
	}
	closeAll(t, a, b)
}

// A reader that waits learns of a transfer that another goroutine begins meanwhile.
func TestTransferBegunWhileAReaderWaits(t *testing.T) {
	a, b := pair(t)
	told := make(chan user.Event)
	go func() { told <- b.Next() }()
	if err := a.Send(1, 5, []byte("data"), nil); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4)
	if err := b.Recv(0, 5, buf, "mine"); err != nil {
		t.Fatal(err)
	}
	if ev := <-told; ev.Kind != user.Received || ev.Cookie != "mine" || string(buf) != "data" {
		t.Errorf("event %+v, %q", ev, buf)
	}
	if ev := a.Next(); ev.Kind != user.Sent {
		t.Errorf("event %+v", ev)
	}
	closeAll(t, a, b)
}

// After Close, waiting calls and new ones return an error.
func TestClosed(t *testing.T) {
	a, b := pair(t)
	told := make(chan user.Event)
	go func() { told <- a.Next() }()
	closeAll(t, a)
	if ev := <-told; ev.Kind != user.Over || !errors.Is(ev.Err, user.ErrClosed) {
		t.Errorf("event %+v", ev)
	}
	if ev := a.Next(); ev.Kind != user.Over || !errors.Is(ev.Err, user.ErrClosed) {
		t.Errorf("event %+v", ev)
	}
	if ev, ok := a.Poll(); ok && ev.Kind != user.Over {
		t.Errorf("event %+v", ev)
	}
	for name, err := range map[string]error{
		"Send": a.Send(1, 0, nil, nil), "Recv": a.Recv(1, 0, nil, nil), "Unsolicited": a.Unsolicited(1, 0, nil),
	} {
		if !errors.Is(err, user.ErrClosed) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	closeAll(t, b)
}

func TestMistakes(t *testing.T) {
	a, b := pair(t)
	area, err := a.Allocate(64)
	if err != nil {
		t.Fatal(err)
	}
	seg, err := a.Expose(make([]byte, 64))
	if err != nil {
		t.Fatal(err)
	}
	_, none := a.Allocate(0)
	_, beyond := b.Area(area.At, 1<<30)
	_, odd := b.Area(area.At+1, 8)
	for _, c := range []struct {
		err  error
		want string
	}{
		{a.Send(2, 0, nil, nil), "Send: there is no peer 2, only 0 to 1"},
		{a.Recv(-7, 0, nil, nil), "Recv: there is no peer -7"},
		{a.Send(1, -1, nil, nil), "Send: -1 is no tag; tags are 0 to 2147483647"},
		{a.Recv(1, -7, nil, nil), "Recv: -7 is no tag"},
		{a.Unsolicited(5, 0, nil), "Unsolicited: there is no peer 5"},
		{a.Unsolicited(1, user.AnyTag, nil), "is no tag"},
		{a.Unsolicited(1, 0, make([]byte, user.MaxUnsolicited+1)), "4097 bytes are more than 4096; use Send"},
		{none, "0 bytes are no area"},
		{beyond, "are not all within one area"},
		{odd, "is not a multiple of 8"},
		{b.Write(0, seg, 60, make([]byte, 8)), "Write at peer 0"},
		{b.Read(0, seg+1<<40, 0, make([]byte, 8)), "Read at peer 0"},
		{b.Read(9, seg, 0, nil), "Read: there is no peer 9"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %q", c.err, c.want)
		}
	}
	if err := errors.Join(a.Conceal(seg), a.Free(area)); err != nil {
		t.Error(err)
	}
	if _, err := b.Area(area.At, 64); err == nil {
		t.Error("an area that was given back is still there")
	}
	closeAll(t, a, b)
}

// Words of an area are the same at all peers, and atomic.
func TestWords(t *testing.T) {
	a, b := pair(t)
	area, err := a.Allocate(20)
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.Area(area.At, 20)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, x := range []user.Area{area, other} {
		all.Go(func() {
			for range 10000 {
				x.Words()[1].Add(1)
			}
		})
	}
	all.Wait()
	if n := len(area.Words()); n != 2 {
		t.Errorf("%d words in 20 bytes", n)
	}
	if got := other.Words()[1].Load(); got != 20000 {
		t.Errorf("%d additions of 20000", got)
	}
	if (user.Area{Bytes: area.Bytes[:7]}).Words() != nil {
		t.Error("7 bytes have a word")
	}
	closeAll(t, a, b)
}

// Passing a message to a handler allocates nothing.
func TestUnsolicitedDoesNotAllocate(t *testing.T) {
	a, b := pair(t)
	got := 0
	b.Handle(3, func(int, []byte) { got++ })
	data := make([]byte, 32)
	one := func() {
		if err := a.Unsolicited(1, 3, data); err != nil {
			t.Error(err)
		}
		for want := got + 1; got < want; {
			b.Poll()
		}
	}
	for range 100 {
		one()
	}
	if n := testing.AllocsPerRun(1000, one); n >= 1 {
		t.Errorf("%v allocations a message", n)
	}
	closeAll(t, a, b)
}

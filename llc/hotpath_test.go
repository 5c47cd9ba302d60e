package llc_test

import (
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// connected returns a loop whose engines have rings of their own.
func connected(t testing.TB) *loop {
	caps := nictest.DefaultCaps()
	caps.Slots, caps.Bytes = 64, 1<<16
	l := newLoop(t, 2, caps)
	for range 2 {
		l.transfer(8, 0, llc.Standard)
		l.run()
	}
	return l
}

// TestEagerPathAllocatesNothing covers the sizes of one line, one packet and
// several packets, expected and unexpected.
func TestEagerPathAllocatesNothing(t *testing.T) {
	l := connected(t)
	for _, size := range []int{0, 8, 40, 1000, 4096} {
		for _, early := range []bool{true, false} {
			buf, in := make([]byte, size), make([]byte, size)
			s := &llc.Request{Peer: 1, Tag: 3, Buf: buf}
			r := &llc.Request{Peer: 0, Tag: 3, Buf: in}
			if n := testing.AllocsPerRun(100, func() {
				if early {
					l.engines[1].Recv(r)
				}
				l.engines[0].Send(s)
				l.post(0)
				if !early {
					for l.turn(1) {
					}
					l.engines[1].Recv(r)
				}
				for !r.Done() || !s.Done() {
					l.turn(1)
					l.turn(0)
				}
			}); n != 0 {
				t.Errorf("%d bytes, receive first %v: %v allocations", size, early, n)
			}
		}
	}
}

// TestRendezvousSteadyStateAllocatesNothing: records are reused.
func TestRendezvousSteadyStateAllocatesNothing(t *testing.T) {
	for _, remote := range []bool{false, true} {
		caps := nictest.DefaultCaps()
		caps.Remote, caps.Split = remote, 10000
		l := newLoop(t, 2, caps)
		l.transfer(8, 0, llc.Standard)
		s := &llc.Request{Peer: 1, Tag: 3, Buf: make([]byte, 20000)}
		r := &llc.Request{Peer: 0, Tag: 3, Buf: make([]byte, 20000)}
		if n := testing.AllocsPerRun(200, func() {
			l.engines[1].Recv(r)
			l.engines[0].Send(s)
			for !r.Done() || !s.Done() {
				l.turn(0)
				l.turn(1)
			}
		}); n != 0 {
			t.Errorf("remote %v: %v allocations", remote, n)
		}
	}
}

// TestPollingWithNothingToDoIsFree: Retry and Take give nothing and change nothing.
func TestPollingWithNothingToDoIsFree(t *testing.T) {
	l := connected(t)
	if n := testing.AllocsPerRun(100, func() {
		l.engines[0].Retry()
		if len(l.engines[0].Take()) != 0 {
			t.Fatal("commands from nowhere")
		}
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

// connectedPair returns two engines whose connection is up.
func connectedPair(b *testing.B) (*llc.Engine, *llc.Engine) {
	l := connected(b)
	return l.engines[0], l.engines[1]
}

// BenchmarkSmall is the engine's share of one small message: Send and Take on
// one side, Recv and Step on the other.
func BenchmarkSmall(b *testing.B) {
	from, to := connectedPair(b)
	buf, in := make([]byte, 8), make([]byte, 8)
	s := &llc.Request{Peer: 1, Tag: 3, Buf: buf}
	r := &llc.Request{Peer: 0, Tag: 3, Buf: in}
	var ev ir.Event
	tail := ir.Event{Kind: ir.Tail, Peer: 1}
	for b.Loop() {
		to.Recv(r)
		from.Send(s)
		cmds := from.Take()
		c := &cmds[0]
		if c.Op == ir.ReadTail { // the ring seems full, but it is empty
			tail.Ring, tail.Slot, tail.Pos = c.Ring, ev.Slot+1, ev.Pos
			if err := from.Step(&tail); err != nil {
				b.Fatal(err)
			}
			c = &from.Take()[0]
		}
		ev.Slot, ev.Pos = c.Slot, c.Pos
		ev.Kind, ev.Peer, ev.Ring, ev.Header, ev.Data = ir.Arrived, 0, c.Ring, c.Header, c.Data
		if err := to.Step(&ev); err != nil || !r.Done() {
			b.Fatal(err)
		}
	}
}

package port

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// sizes cross every threshold of the engine on the loopback network.
var sizes = []int{0, 1, 8, ir.Short, ir.Short + 1, 1000, 1024, 1025, 4096, 4097, 20000, 40000, 300000}

func TestSendRecvAllSizes(t *testing.T) {
	for _, remote := range []bool{true, false} {
		caps := nictest.DefaultCaps()
		caps.Remote = remote
		ps := openWith(t, 2, caps, nictest.Hooks{})
		both(t, ps, func(p *Port, self int) {
			for i, n := range sizes {
				for round := range 3 {
					if self == 0 {
						send(t, p, 2, 1, i, payload(i+round, n))
						recv(t, p, 2, 1, i, payload(i+round+1, n))
					} else {
						recv(t, p, 2, llc.AnyPeer, llc.AnyTag, payload(i+round, n))
						send(t, p, 2, 0, i, payload(i+round+1, n))
					}
				}
			}
		})
	}
}

func TestSynchronousSendWaitsForTheReceive(t *testing.T) {
	ps := open(t, 2)
	var received atomic.Bool
	both(t, ps, func(p *Port, self int) {
		if self == 1 {
			time.Sleep(10 * time.Millisecond)
			received.Store(true)
			recv(t, p, 0, 0, 5, payload(1, 100))
			return
		}
		if err := p.Send(0, 1, 5, llc.Synchronous, payload(1, 100)); err != nil || !received.Load() {
			t.Errorf("Send: %v, received %v", err, received.Load())
		}
	})
}

func TestTruncation(t *testing.T) {
	ps := open(t, 2)
	both(t, ps, func(p *Port, self int) {
		if self == 0 {
			send(t, p, 0, 1, 1, payload(1, 100))
			return
		}
		st, err := p.Recv(0, 0, 1, make([]byte, 10))
		if !errors.Is(err, llc.ErrTruncated) || st.Bytes != 100 {
			t.Errorf("%+v, %v", st, err)
		}
	})
}

func TestSendToSelf(t *testing.T) {
	p := open(t, 1)[0]
	inTime(t, "self", func() {
		send(t, p, 0, 0, 1, payload(1, 100))
		recv(t, p, 0, 0, 1, payload(1, 100))
	})
}

// TestNonblocking starts everything first and completes it by each of the calls.
func TestNonblocking(t *testing.T) {
	ps := open(t, 2)
	both(t, ps, func(p *Port, self int) {
		var rs []*llc.Request
		for i, n := range sizes {
			out := &llc.Request{Peer: 1 - self, Tag: i, Buf: payload(i+self, n)}
			in := &llc.Request{Peer: 1 - self, Tag: i, Buf: make([]byte, n)}
			p.Start(in, false)
			p.Start(out, true)
			rs = append(rs, in, out)
		}
		all := append([]*llc.Request(nil), rs...)
		for i := 0; len(rs) > 0; i++ {
			k := i % len(rs)
			switch i % 3 {
			case 0:
				p.Wait(rs[k])
			case 1:
				k = p.WaitAny("WaitAny", rs, nil)
			default:
				for !p.Test(rs[k]) {
				}
			}
			if !p.Test(rs[k]) {
				t.Fatal("not complete although waited for")
			}
			rs = append(rs[:k], rs[k+1:]...)
		}
		for i, r := range all {
			if r.Status.Err != nil {
				t.Errorf("request %d: %v", i, r.Status.Err)
			}
			if i%2 == 0 && string(r.Buf) != string(payload(i/2+1-self, len(r.Buf))) {
				t.Errorf("request %d: wrong contents", i)
			}
		}
	})
	for _, p := range ps {
		if open := p.begun - p.eng.Ended(); open != 0 {
			t.Errorf("%d requests still counted", open)
		}
	}
}

func TestProbe(t *testing.T) {
	ps := open(t, 2)
	both(t, ps, func(p *Port, self int) {
		if self == 0 {
			time.Sleep(5 * time.Millisecond) // the other side sleeps by now
			send(t, p, 4, 1, 9, payload(1, 30))
			recv(t, p, 4, 1, 9, nil)
			return
		}
		if st, ok := p.Probe(5, llc.AnyPeer, llc.AnyTag); ok {
			t.Errorf("%+v in another context", st)
		}
		st, ok := p.ProbeUntil("Probe", 4, llc.AnyPeer, llc.AnyTag, nil)
		if !ok || st.Source != 0 || st.Tag != 9 || st.Bytes != 30 {
			t.Errorf("%+v, %v", st, ok)
		}
		if again, ok := p.Probe(4, 0, 9); !ok || again != st {
			t.Errorf("%+v, %v the second time", again, ok)
		}
		recv(t, p, 4, 0, 9, payload(1, 30))
		send(t, p, 4, 0, 9, nil)
	})
}

func TestCancel(t *testing.T) {
	ps := open(t, 2)
	r := &llc.Request{Peer: 1, Tag: 3, Buf: make([]byte, 8)}
	ps[0].Start(r, false)
	if ps[0].Test(r) || !ps[0].Cancel(r) || !ps[0].Test(r) || !errors.Is(r.Status.Err, llc.ErrCancelled) {
		t.Errorf("status %+v", r.Status)
	}
	if ps[0].Cancel(r) {
		t.Error("cancelled twice")
	}
	if ps[0].begun != ps[0].eng.Ended() {
		t.Error("still counted")
	}
}

// TestCancelWakesTheSleeper: a goroutine that waits for a receive that another one cancels returns, however
// long it would sleep, also if it is parked.
func TestCancelWakesTheSleeper(t *testing.T) {
	ps := open(t, 2)
	ps[0].policy = wait.Policy{Nap: time.Hour, Local: true}
	for others := range 2 {
		var wg sync.WaitGroup
		for range others {
			wg.Go(func() { recv(t, ps[0], 0, 1, 1, payload(1, 8)) })
		}
		eventually(t, "asleep", func() bool { return napping(ps[0]) == (others > 0) })
		r := &llc.Request{Peer: 1, Tag: 3, Buf: make([]byte, 8)}
		ps[0].Start(r, false)
		waited := make(chan struct{})
		go func() { defer close(waited); ps[0].Wait(r) }()
		eventually(t, "all wait", func() bool { return parked(ps[0]) == others+1 && napping(ps[0]) })
		if !ps[0].Cancel(r) {
			t.Error("not cancelled")
		}
		inTime(t, "Wait", func() { <-waited })
		if !errors.Is(r.Status.Err, llc.ErrCancelled) {
			t.Error(r.Status)
		}
		for range others {
			send(t, ps[1], 0, 0, 1, payload(1, 8))
		}
		inTime(t, "all", wg.Wait)
	}
}

func TestWaitContext(t *testing.T) {
	ps := open(t, 2)
	cause := errors.New("enough")
	ended, end := context.WithCancelCause(context.Background())
	end(cause)
	r := &llc.Request{Peer: 1, Tag: 3, Buf: make([]byte, 8)}
	ps[0].Start(r, false)
	if err := ps[0].WaitContext(ended, r); !errors.Is(err, cause) {
		t.Errorf("ended before: %v", err)
	}
	for range 3 { // asleep, and again after that
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		inTime(t, "WaitContext", func() {
			if err := ps[0].WaitContext(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("ended meanwhile: %v", err)
			}
		})
		cancel()
	}
	ps[0].gate.enter()
	if n := len(ps[0].waiters.made); n > 2 {
		t.Errorf("%d waiters are remembered after waits of one goroutine", n)
	}
	ps[0].gate.leave()
	// The request is still good.
	both(t, ps, func(p *Port, self int) {
		if self == 1 {
			send(t, p, 0, 0, 3, payload(3, 8))
		} else if err := p.WaitContext(context.Background(), r); err != nil || r.Status.Bytes != 8 {
			t.Errorf("%v, %+v", err, r.Status)
		}
	})
	if err := ps[0].WaitContext(ended, r); err != nil {
		t.Errorf("complete request, ended context: %v", err)
	}
}

func TestAwaitOnFlagArray(t *testing.T) {
	ps := open(t, 3)
	both(t, ps, func(p *Port, self int) {
		b := p.FlagArray()
		into := make([]byte, 8)
		for seq := uint32(1); seq < 200; seq++ {
			raise := func() { b.Raise([]int{0, 1, 2}, 1, seq, 0, payload(self+int(seq), 8)) }
			for peer := range ps {
				if peer != self {
					p.Await("Test", raise, func() bool { _, ok := b.Raised(peer, 1, seq, into); return ok })
					raise = nil
					if string(into) != string(payload(peer+int(seq), 8)) {
						t.Errorf("flag %d of %d: %x", seq, peer, into)
					}
				}
			}
			if seq%50 == 0 && self == 0 {
				time.Sleep(2 * time.Millisecond) // the others sleep
			}
		}
	})
}

func TestNoFlagArray(t *testing.T) {
	ps := openWith(t, 2, nictest.DefaultCaps(), nictest.Hooks{NoFlagArray: true})
	if b := ps[0].FlagArray(); b != nil {
		t.Errorf("a flag array %v out of nothing", b)
	}
}

// TestBusyAndFullRings has a network that often refuses: everything arrives.
func TestBusyAndFullRings(t *testing.T) {
	var n atomic.Int32
	caps := nictest.DefaultCaps()
	caps.Rings, caps.Slots = 1, 2
	ps := openWith(t, 3, caps, nictest.Hooks{
		Busy: func(int, *ir.Command) bool { return n.Add(1)%3 != 0 },
		Hold: func(int) bool { return n.Add(1)%5 == 0 },
	})
	both(t, ps, func(p *Port, self int) {
		if self == 0 {
			var got [3]int
			for range 2 * 200 {
				buf := make([]byte, 100)
				st, err := p.Recv(0, llc.AnyPeer, llc.AnyTag, buf)
				if err != nil || st.Tag != got[st.Source] || string(buf) != string(payload(st.Tag, 100)) {
					t.Errorf("%+v, %v, expected number %d", st, err, got[st.Source])
					return
				}
				got[st.Source]++
			}
			return
		}
		for i := range 200 {
			send(t, p, 0, 0, i, payload(i, 100))
		}
	})
}

func TestPeerGone(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	ps := openNICs(t, nics)
	nics[1].Close()
	inTime(t, "Send", func() {
		if err := ps[0].Send(0, 1, 0, llc.Synchronous, payload(0, 100)); !errors.Is(err, llc.ErrPeerGone) {
			t.Errorf("Send: %v", err)
		}
		if _, err := ps[0].Recv(0, 1, 0, nil); !errors.Is(err, llc.ErrPeerGone) {
			t.Errorf("Recv: %v", err)
		}
	})
}

func TestTroubleIsReported(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	var trouble error
	p := New(Config{NIC: nics[0], Policy: oversubscribed(), Trouble: func(err error) { trouble = err }})
	defer p.Close()
	nics[1].Post(&ir.Command{Op: ir.Shared, Header: ir.Header{Kind: 255}})
	p.Probe(0, 1, 1)
	var lie *llc.ProtocolError
	if !errors.As(trouble, &lie) || lie.Peer != 1 {
		t.Errorf("%v", trouble)
	}
}

package port

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// TestNoAllocations ping-pongs with an echo in another goroutine.
func TestNoAllocations(t *testing.T) {
	ps := open(t, 2)
	const rounds = 300
	for _, n := range []int{8, 500} {
		inTime(t, "ping-pong", func() {
			var wg sync.WaitGroup
			stop := false
			wg.Go(func() {
				buf := make([]byte, n)
				for !stop {
					if _, err := ps[1].Recv(0, 0, 1, buf); err != nil {
						t.Error(err)
						return
					}
					stop = buf[0] == 1
					ps[1].Send(0, 0, 1, llc.Standard, buf)
				}
			})
			buf := make([]byte, n)
			round := func() {
				ps[0].Send(0, 1, 1, llc.Standard, buf)
				ps[0].Recv(0, 1, 1, buf)
			}
			for range 50 {
				round()
			}
			if used := testing.AllocsPerRun(rounds, round); used != 0 {
				t.Errorf("%d bytes: %v allocations", n, used)
			}
			buf[0] = 1
			round()
			wg.Wait()
		})
	}
}

func TestAwaitAndProbeDoNotAllocate(t *testing.T) {
	p := open(t, 1)[0]
	n := 0
	cond := func() bool { n++; return n%50 == 0 }
	used := testing.AllocsPerRun(100, func() {
		p.Await("Test", nil, cond)
		p.Probe(0, 0, 1)
		p.Send(0, 0, 1, llc.Standard, nil)
		p.ProbeUntil("Probe", 0, 0, 1, nil)
		p.Recv(0, 0, 1, nil)
	})
	if used != 0 {
		t.Errorf("%v allocations", used)
	}
}

// TestManyGoroutines has several goroutines of each rank exchange with their
// counterparts, each in a context of its own, while others probe, test and await.
func TestManyGoroutines(t *testing.T) {
	const threads, rounds = 6, 60
	for _, remote := range []bool{true, false} {
		caps := nictest.DefaultCaps()
		caps.Remote = remote
		ps := openWith(t, 3, caps, nictest.Hooks{})
		both(t, ps, func(p *Port, self int) {
			var wg sync.WaitGroup
			var done atomic.Int32
			for thread := range threads {
				wg.Go(func() {
					defer done.Add(1)
					rng := rand.New(rand.NewPCG(uint64(thread), 1)) // the same on all ranks
					for i := range rounds {
						n := sizes[rng.IntN(len(sizes))]
						to, from := (self+1)%3, (self+2)%3
						in := &llc.Request{Peer: from, Context: uint16(thread), Tag: i, Buf: make([]byte, n)}
						p.Start(in, false)
						if i%4 == 3 {
							out := &llc.Request{Peer: to, Context: uint16(thread), Tag: i, Buf: payload(i+self, n)}
							p.Start(out, true)
							rs := []*llc.Request{in, out}
							k := p.WaitAny("WaitAny", rs, nil)
							p.Wait(rs[1-k])
						} else {
							send(t, p, uint16(thread), to, i, payload(i+self, n))
							p.Wait(in)
						}
						if in.Status.Err != nil || string(in.Buf) != string(payload(i+from, n)) {
							t.Errorf("rank %d thread %d message %d: %+v", self, thread, i, in.Status)
							return
						}
					}
				})
			}
			wg.Go(func() {
				for done.Load() < threads {
					p.Probe(99, llc.AnyPeer, llc.AnyTag)
				}
			})
			wg.Go(func() { p.Await("Test", nil, func() bool { return done.Load() == threads }) })
			wg.Wait()
		})
	}
}

// TestParkedAreWokenByTheirOwnRequest parks many receivers and serves them in
// an order of its own.
func TestParkedAreWokenByTheirOwnRequest(t *testing.T) {
	const n = 20
	ps := open(t, 2)
	var wg sync.WaitGroup
	var got [n]atomic.Bool
	for i := range n {
		wg.Go(func() {
			recv(t, ps[1], 0, 0, i, payload(i, 50))
			got[i].Store(true)
		})
	}
	eventually(t, "all wait", func() bool { return parked(ps[1]) == n && napping(ps[1]) })
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		if got[i].Load() {
			t.Errorf("receiver %d returned before its message", i)
		}
		send(t, ps[0], 0, 1, i, payload(i, 50))
		eventually(t, "receiver returns", got[i].Load)
	}
	inTime(t, "receivers", wg.Wait)
	if ps[1].under() {
		t.Error("requests of waits that have ended count as under way")
	}
}

// TestSleeperIsServedByAnotherCaller: a goroutine that only tests completes a sleeper's request.
func TestSleeperIsServedByAnotherCaller(t *testing.T) {
	ps := open(t, 2)
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() { recv(t, ps[1], 0, 0, 0, payload(i, 8)) })
		eventually(t, "asleep", func() bool { return napping(ps[1]) })
		wg.Go(func() { recv(t, ps[1], 0, 0, 1, payload(i, 40000)) })
		send(t, ps[0], 0, 1, 1, payload(i, 40000))
		send(t, ps[0], 0, 1, 0, payload(i, 8))
		for range 100 {
			ps[1].Probe(9, 0, 0)
		}
		inTime(t, "receivers", wg.Wait)
	}
}

// reporter records what is reported.
type reporter struct {
	ir.Translator
	mu       sync.Mutex
	reports  []ir.Waiting
	cleared  int
	finished bool // and has not been cleared since
}

func (r *reporter) Report(w ir.Waiting) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reports = append(r.reports, w)
}

func (r *reporter) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleared++
	r.finished = false
}

func (r *reporter) Finish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finished = true
}

func (r *reporter) last() (ir.Waiting, int, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.reports) == 0 {
		return ir.Waiting{}, 0, r.cleared
	}
	return r.reports[len(r.reports)-1], len(r.reports), r.cleared
}

func TestStatusIsReportedBeforeSleepOnly(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	rep := &reporter{Translator: nics[0]}
	ps := openNICs(t, []ir.Translator{rep, nics[1]})
	r := &llc.Request{Peer: 1, Context: 6, Tag: 7, Buf: make([]byte, 12)}
	other := &llc.Request{Peer: 1, Context: 6, Tag: 8}
	ps[0].Start(other, false)
	labelled := &llc.Request{Peer: 1, Context: 5, Tag: 7, Label: "Bcast"}
	never := func() bool { return false }
	cases := []struct {
		wait func()
		want ir.Waiting
	}{
		{func() { ps[0].Recv(6, 1, 7, make([]byte, 12)) }, ir.Waiting{Call: "Recv", Peer: 1, Tag: 7, Bytes: 12, Context: 6}},
		{func() { ps[0].Start(r, false); ps[0].Wait(r) }, ir.Waiting{Call: "Wait", Peer: 1, Tag: 7, Bytes: 12, Context: 6}},
		{func() { ps[0].Start(r, false); ps[0].WaitAny("WaitAny", []*llc.Request{r}, nil) }, ir.Waiting{Call: "WaitAny", Peer: 1, Tag: 7, Bytes: 12, Context: 6}},
		{func() { ps[0].ProbeUntil("Probe", 6, llc.AnyPeer, 7, nil); ps[0].Recv(6, 1, 7, nil) }, ir.Waiting{Call: "Probe", Peer: -1, Tag: 7, Bytes: -1, Context: 6}},
		{func() { ps[0].Start(r, false); ps[0].WaitAny("WaitAny", []*llc.Request{r, other}, nil) }, ir.Waiting{Call: "WaitAny", Note: "peer 1 tag 7, peer 1 tag 8", Peer: 1, Tag: -2, Bytes: -1}},
		{func() { ps[0].Start(r, false); ps[0].WaitAny("WaitSome", []*llc.Request{r}, never) }, ir.Waiting{Call: "WaitSome", Peer: 1, Tag: 7, Bytes: 12, Context: 6}},
		{func() { ps[0].ProbeUntil("Mprobe", 6, 1, 7, never); ps[0].Recv(6, 1, 7, nil) }, ir.Waiting{Call: "Mprobe", Peer: 1, Tag: 7, Bytes: -1, Context: 6}},
		{func() { ps[0].Start(labelled, false); ps[0].Wait(labelled) }, ir.Waiting{Call: "Bcast", Peer: 1, Tag: -2, Context: 5}},
		{func() {
			ps[0].Await("Barrier", nil, func() bool { _, ok := ps[0].eng.Probe(6, 1, 7); return ok })
			ps[0].Recv(6, 1, 7, nil)
		},
			ir.Waiting{Call: "Barrier", Peer: -2, Tag: -2, Bytes: -1}},
		{func() {
			held := ir.Collective{Holder: &ir.Holder{Peer: 1, Taken: "main.go:17"}}
			ps[0].AwaitCollective("Lock", &held, nil, func() bool { _, ok := ps[0].eng.Probe(6, 1, 7); return ok })
			ps[0].Recv(6, 1, 7, nil)
		},
			ir.Waiting{Call: "Lock", Peer: 1, Tag: -2, Bytes: -1, Taken: "main.go:17"}},
		{func() {
			call := ir.Collective{Team: 7, Flags: awaited(1)}
			ps[0].AwaitCollective("Barrier", &call, nil, func() bool { _, ok := ps[0].eng.Probe(6, 1, 7); return ok })
			ps[0].Recv(6, 1, 7, nil)
		},
			ir.Waiting{Call: "Barrier", Peer: 1, Tag: -2, Bytes: -1, Collective: ir.Collective{Team: 7}}},
		{func() { ps[0].Send(6, 1, 7, llc.Synchronous, nil) }, ir.Waiting{Call: "Ssend", Peer: 1, Tag: 7, Context: 6}},
	}
	for i, c := range cases {
		inTime(t, c.want.Call, func() {
			var wg sync.WaitGroup
			wg.Go(c.wait)
			eventually(t, "asleep", func() bool { return napping(ps[0]) })
			if got, n, cleared := rep.last(); got != c.want || n != i+1 || cleared != i {
				t.Errorf("%s: %+v, reported %d times, cleared %d", c.want.Call, got, n, cleared)
			}
			time.Sleep(2 * oversubscribed().Yield)
			if c.want.Call == "Ssend" {
				ps[1].Recv(6, 0, 7, nil)
			} else {
				send(t, ps[1], cmp.Or(c.want.Context, 6), 0, 7, nil)
			}
			wg.Wait()
		})
		if _, n, cleared := rep.last(); n != i+1 || cleared != i+1 {
			t.Errorf("%s: reported %d times, cleared %d", c.want.Call, n, cleared)
		}
	}
	// A wait that ends at once is not reported.
	send(t, ps[1], 6, 0, 7, nil)
	ps[0].Recv(6, 1, 7, nil)
	if _, n, _ := rep.last(); n != len(cases) {
		t.Errorf("%d reports", n)
	}
}

// TestWaitsBesideAreReported: a sleeper says how many calls of other goroutines wait, also when one begins
// later.
func TestWaitsBesideAreReported(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	rep := &reporter{Translator: nics[0]}
	ps := openNICs(t, []ir.Translator{rep, nics[1]})
	said := func(want int) func() bool {
		return func() bool { w, _, _ := rep.last(); return w.Call == "Recv" && w.More == want }
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() { recv(t, ps[0], 0, 1, i, payload(i, 8)) })
		eventually(t, "reported", said(i))
	}
	for i := range 3 {
		send(t, ps[1], 0, 0, i, payload(i, 8))
		if i < 2 {
			eventually(t, "reported", said(1-i))
		}
	}
	inTime(t, "receivers", wg.Wait)
}

// TestServingIsNotReported: a wait that serves others is no call of the program. If it sleeps on the doorbell, it
// reports a call that waits beside it, or nothing.
func TestServingIsNotReported(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	rep := &reporter{Translator: nics[0]}
	ps := openNICs(t, []ir.Translator{rep, nics[1]})
	var wg sync.WaitGroup
	for tag := range 2 {
		r := &llc.Request{Peer: llc.AnyPeer, Context: 6, Tag: tag, Label: llc.Serving}
		ps[0].Start(r, false)
		wg.Go(func() { ps[0].Wait(r) })
	}
	eventually(t, "asleep", func() bool { return napping(ps[0]) && parked(ps[0]) == 2 })
	if w, n, _ := rep.last(); n != 0 {
		t.Errorf("%+v is reported while no call waits", w)
	}
	want := ir.Waiting{Call: "Recv", Peer: 1, Tag: 7, Bytes: 8}
	wg.Go(func() { recv(t, ps[0], 0, 1, 7, payload(1, 8)) })
	eventually(t, "reported", func() bool { _, n, _ := rep.last(); return n > 0 })
	if w, _, _ := rep.last(); w != want {
		t.Errorf("reported %+v, want %+v", w, want)
	}
	send(t, ps[1], 0, 0, 7, payload(1, 8))
	eventually(t, "cleared", func() bool { _, _, cleared := rep.last(); return cleared == 1 })
	// One of them is served while a call sleeps beside the other.
	send(t, ps[1], 6, 0, 0, nil)
	wg.Go(func() { recv(t, ps[0], 0, 1, 8, payload(2, 8)) })
	want.Tag = 8
	eventually(t, "reported", func() bool { w, _, _ := rep.last(); return w == want })
	send(t, ps[1], 6, 0, 1, nil)
	send(t, ps[1], 0, 0, 8, payload(2, 8))
	inTime(t, "waits", wg.Wait)
}

func TestClosedPort(t *testing.T) {
	ps := open(t, 2)
	p := ps[0]
	var wg sync.WaitGroup
	r, r2 := &llc.Request{Peer: 1, Tag: 1}, &llc.Request{Peer: 1, Tag: 2}
	p.Start(r, false)
	p.Start(r2, false)
	wg.Go(func() {
		if _, err := p.Recv(0, 1, 5, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("Recv while closing: %v", err)
		}
	})
	wg.Go(func() { p.Wait(r) })
	wg.Go(func() { p.Await("Test", nil, func() bool { return false }) })
	wg.Go(func() {
		if _, ok := p.ProbeUntil("Probe", 0, 1, 5, nil); ok {
			t.Error("Probe found something")
		}
	})
	wg.Go(func() {
		if err := p.WaitContext(t.Context(), r2); !errors.Is(err, ErrClosed) {
			t.Errorf("WaitContext while closing: %v", err)
		}
	})
	eventually(t, "all wait", func() bool { return parked(p) == 5 })
	inTime(t, "Close", func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
	if !errors.Is(r.Status.Err, ErrClosed) || !errors.Is(r2.Status.Err, ErrClosed) {
		t.Errorf("waited for while closing: %v, %v", r.Status.Err, r2.Status.Err)
	}
	if err := p.Send(0, 1, 0, llc.Standard, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Send: %v", err)
	}
	if _, err := p.Recv(0, 1, 0, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("Recv: %v", err)
	}
	r = &llc.Request{Peer: 1}
	if p.Start(r, true); !errors.Is(r.Status.Err, ErrClosed) {
		t.Errorf("Start: %v", r.Status.Err)
	}
	if !p.Test(r) || !errors.Is(r.Status.Err, ErrClosed) {
		t.Errorf("Test: %v", r.Status.Err)
	}
	r = &llc.Request{Peer: 1}
	if err := p.WaitContext(t.Context(), r); !errors.Is(err, ErrClosed) || !errors.Is(r.Status.Err, ErrClosed) {
		t.Errorf("WaitContext: %v, %v", err, r.Status.Err)
	}
	r = &llc.Request{Peer: 1}
	if i := p.WaitAny("WaitAny", []*llc.Request{r}, nil); i != 0 || !errors.Is(r.Status.Err, ErrClosed) {
		t.Errorf("WaitAny: %d, %v", i, r.Status.Err)
	}
	r = &llc.Request{Peer: 1, Tag: 3, Status: llc.Status{Source: 0, Tag: 2, Bytes: 4}} // used before
	p.Start(r, false)
	p.Wait(r)
	if want := (llc.Status{Source: 1, Tag: 3, Err: ErrClosed}); r.Status != want {
		t.Errorf("the status is %+v, want %+v", r.Status, want)
	}
	if _, ok := p.ProbeUntil("Probe", 0, 1, 0, nil); ok {
		t.Error("Probe found something")
	}
	p.Await("Test", func() { t.Error("Await began") }, func() bool { t.Error("Await looked"); return true })
	if err := p.Close(); !errors.Is(err, ErrClosed) {
		t.Errorf("Close: %v", err)
	}
}

// TestCloseSeesOffWhatWasSent closes at once after starting a send that the other side takes only later.
func TestCloseSeesOffWhatWasSent(t *testing.T) {
	ps := open(t, 2)
	both(t, ps, func(p *Port, self int) {
		if self == 1 {
			time.Sleep(50 * time.Millisecond)
			recv(t, p, 0, 0, 1, payload(1, 40000))
			return
		}
		r := &llc.Request{Peer: 1, Tag: 1, Buf: payload(1, 40000)}
		p.Start(r, true)
		if err := p.Close(); err != nil || !r.Done() || r.Status.Err != nil {
			t.Errorf("Close: %v; send %+v", err, r.Status)
		}
	})
}

func TestCloseGivesUpOnWhatNobodyTakes(t *testing.T) {
	ps := open(t, 2)
	ps[0].Start(&llc.Request{Peer: 1, Tag: 1, Buf: payload(1, 40000)}, true)
	inTime(t, "Close", func() {
		if err := ps[0].Close(); !errors.Is(err, ErrUnfinished) {
			t.Errorf("Close: %v", err)
		}
	})
}

// TestProgressWhileComputing: a rank that has posted its part and makes no calls does not hold up the
// transfer.
func TestProgressWhileComputing(t *testing.T) {
	for _, receiving := range []bool{true, false} {
		ps := open(t, 2)
		in, out := make([]byte, 300000), payload(1, 300000)
		r := &llc.Request{Peer: 1, Tag: 1, Buf: in}
		if !receiving {
			r.Buf = out
		}
		ps[0].Start(r, !receiving)
		// From here on, rank 0 computes.
		inTime(t, "the other rank", func() {
			if receiving {
				send(t, ps[1], 0, 0, 1, out)
			} else {
				recv(t, ps[1], 0, 0, 1, out)
			}
		})
		eventually(t, "helper retires", func() bool {
			ps[0].gate.enter()
			defer ps[0].gate.leave()
			return ps[0].helper.away
		})
		if !r.Done() || receiving && string(in) != string(out) {
			t.Errorf("receiving %v: done %v", receiving, r.Done())
		}
		// It comes back when it is needed again.
		r = &llc.Request{Peer: 1, Tag: 2, Buf: make([]byte, 300000)}
		ps[0].Start(r, false)
		inTime(t, "the other rank", func() { send(t, ps[1], 0, 0, 2, out) })
	}
}

// TestHelperKeepsAwayWithoutRequests: once connected, blocking calls of small messages never call it.
func TestHelperKeepsAwayWithoutRequests(t *testing.T) {
	ps := open(t, 2)
	pingpong := func() {
		both(t, ps, func(p *Port, self int) {
			for i := range 200 {
				if (i+self)%2 == 0 {
					send(t, p, 0, 1-self, 0, payload(i, 8))
				} else {
					recv(t, p, 0, 1-self, 0, payload(i, 8))
				}
			}
		})
	}
	pingpong()
	for i, p := range ps {
		eventually(t, "helper retires", func() bool {
			p.gate.enter()
			defer p.gate.leave()
			return p.helper.away
		})
		if i == 0 {
			continue
		}
		pingpong()
		if !ps[0].helper.away || !p.helper.away {
			t.Error("a helper came for nothing")
		}
	}
}

// TestWhoGivesWay: only ranks that share processors give way when they poll.
func TestWhoGivesWay(t *testing.T) {
	for ranks, want := range map[int]bool{2: false, 3: true} {
		p := New(Config{NIC: nictest.Loopback(1, nictest.DefaultCaps())[0], Policy: wait.For(ranks, 2, false)})
		give := p.GiveWay()
		if (give != nil) != want {
			t.Errorf("%d ranks on 2 processors: %v", ranks, give != nil)
		}
		if give != nil {
			give()
		}
	}
}

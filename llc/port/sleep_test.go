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

// A sleeper is a translator that reports Arm, before it is done, and Sleep.
type sleeper struct {
	ir.Translator
	onArm   func()
	onSleep func(time.Duration)
}

func (s *sleeper) Arm() {
	if s.onArm != nil {
		s.onArm()
	}
	s.Translator.Arm()
}

func (s *sleeper) Sleep(d time.Duration) {
	if s.onSleep != nil {
		s.onSleep(d)
	}
	s.Translator.Sleep(d)
}

// openSleeper is open for two ports, the first of which reports its sleeps.
func openSleeper(t *testing.T) (*sleeper, []*Port) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	s := &sleeper{Translator: nics[0]}
	return s, openNICs(t, []ir.Translator{s, nics[1]})
}

// TestLookBetweenArmAndSleep: a packet that comes just before the doorbell is armed does not ring. A
// goroutine that goes to sleep must see it.
func TestLookBetweenArmAndSleep(t *testing.T) {
	s, ps := openSleeper(t)
	var once sync.Once
	s.onArm = func() { once.Do(func() { send(t, ps[1], 0, 0, 1, payload(1, 8)) }) }
	s.onSleep = func(time.Duration) { t.Error("asleep, with a packet that came before") }
	inTime(t, "Recv", func() { recv(t, ps[0], 0, 1, 1, payload(1, 8)) })
}

// exchangeFirst has each of two ports get its ring at the other.
func exchangeFirst(t *testing.T, ps []*Port) {
	both(t, ps, func(p *Port, self int) { // each gets its ring
		for i := range 4 {
			if self == 0 {
				send(t, p, 0, 1, i, payload(i, 8))
				recv(t, p, 0, 1, i, payload(i, 8))
			} else {
				recv(t, p, 0, 0, i, payload(i, 8))
				send(t, p, 0, 0, i, payload(i, 8))
			}
		}
	})
}

// TestShortSleepsOnAFullRing: no peer rings for room.
func TestShortSleepsOnAFullRing(t *testing.T) {
	s, ps := openSleeper(t)
	exchangeFirst(t, ps)
	var sleeps atomic.Int32
	s.onSleep = func(d time.Duration) {
		if sleeps.Add(1); d > stalledNap {
			t.Errorf("a sleep of up to %v while the ring is full", d)
		}
	}
	const n = 40 // five times the lines of a ring
	rs := make([]*llc.Request, n)
	for i := range rs {
		rs[i] = &llc.Request{Peer: 1, Tag: i, Buf: payload(i, 8)}
		ps[0].Start(rs[i], true)
	}
	inTime(t, "messages", func() {
		var wg sync.WaitGroup
		wg.Go(func() { ps[0].Wait(rs[n-1]) })
		eventually(t, "asleep", func() bool { return sleeps.Load() > 1 })
		for i := range rs {
			recv(t, ps[1], 0, 0, i, payload(i, 8))
		}
		wg.Wait()
	})
}

// TestRoomIsNews: a goroutine that waits for room and finds some has sent what fits, and starts its backoff
// anew. If it went on to sleep, a long message would take a sleep for each ring.
func TestRoomIsNews(t *testing.T) {
	s, ps := openSleeper(t)
	exchangeFirst(t, ps)
	ps[0].policy = wait.Policy{} // every look is followed by a sleep
	const n = 40                 // five times the lines of a ring
	taken, room := 0, false
	s.onArm = func() {
		room = false
		for _, there := ps[1].Probe(0, 0, taken); there; _, there = ps[1].Probe(0, 0, taken) {
			recv(t, ps[1], 0, 0, taken, payload(taken, 8))
			taken++
			room = taken < n
		}
	}
	s.onSleep = func(time.Duration) {
		if room {
			t.Error("asleep, with room that came before")
		}
	}
	rs := make([]*llc.Request, n)
	for i := range rs {
		rs[i] = &llc.Request{Peer: 1, Tag: i, Buf: payload(i, 8)}
		ps[0].Start(rs[i], true)
	}
	inTime(t, "messages", func() { ps[0].Wait(rs[n-1]) })
}

// polled reports whether a goroutine polls, or sleeps on the doorbell.
func polled(p *Port) bool {
	p.gate.enter()
	defer p.gate.leave()
	return p.is(polling | asleep)
}

// TestPollingIsPassedOn: when the goroutine that polls for all has what it waited for, another waiting one
// polls, whichever way the first one waited. The helper is kept out.
func TestPollingIsPassedOn(t *testing.T) {
	for name, yield := range map[string]time.Duration{"asleep": 0, "polling": time.Hour} {
		t.Run(name, func(t *testing.T) {
			ps := open(t, 2)
			ps[0].policy = wait.Policy{Yield: yield, Local: true}
			var wg sync.WaitGroup
			wg.Go(func() { recv(t, ps[0], 0, 1, 1, payload(1, 8)) })
			eventually(t, "the first waits", func() bool { return polled(ps[0]) })
			wg.Go(func() { recv(t, ps[0], 0, 1, 2, payload(2, 8)) })
			if yield == 0 {
				eventually(t, "both wait", func() bool { return parked(ps[0]) == 2 && napping(ps[0]) })
			} else {
				eventually(t, "the second is parked", func() bool { return parked(ps[0]) == 1 })
			}
			send(t, ps[1], 0, 0, 1, payload(1, 8))
			eventually(t, "the first leaves", func() bool { return parked(ps[0]) < 2 && left(ps[0], 1) })
			eventually(t, "the second polls", func() bool { return polled(ps[0]) })
			send(t, ps[1], 0, 0, 2, payload(2, 8))
			inTime(t, "receivers", wg.Wait)
		})
	}
}

// left reports whether no goroutine waits for a message with that tag.
func left(p *Port, tag int) bool {
	p.gate.enter()
	defer p.gate.leave()
	for _, r := range p.eng.Pending() {
		if r.Request.Tag == tag {
			return false
		}
	}
	return true
}

// TestSleeperTakesOver: a goroutine that would sleep while another one sleeps already wakes the other one, so
// that it looks at the engine.
func TestSleeperTakesOver(t *testing.T) {
	s, ps := openSleeper(t)
	ps[0].policy = wait.Policy{Nap: time.Hour, Local: true}
	var sleeps atomic.Int32
	s.onSleep = func(time.Duration) { sleeps.Add(1) }
	var wg sync.WaitGroup
	wg.Go(func() { recv(t, ps[0], 0, 1, 1, payload(1, 8)) })
	eventually(t, "the first sleeps", func() bool { return napping(ps[0]) })
	before := sleeps.Load()
	wg.Go(func() { recv(t, ps[0], 0, 1, 2, payload(2, 8)) })
	eventually(t, "it looks, and sleeps again", func() bool { return sleeps.Load() > before && parked(ps[0]) == 2 })
	for i := 1; i <= 2; i++ {
		send(t, ps[1], 0, 0, i, payload(i, 8))
	}
	inTime(t, "receivers", wg.Wait)
}

// TestNoSleepBesideASleeperAfterTheEnd: a goroutine that would sleep while another one sleeps already goes on
// if what it waits for has come since its last look. Nothing else would wake it.
func TestNoSleepBesideASleeperAfterTheEnd(t *testing.T) {
	ps := open(t, 2)
	p := ps[0]
	p.policy = wait.Policy{Nap: time.Hour, Local: true}
	var wg sync.WaitGroup
	wg.Go(func() { recv(t, p, 0, 1, 1, payload(1, 8)) })
	eventually(t, "the first sleeps", func() bool { return napping(p) })
	r := &llc.Request{Peer: 1, Tag: 2, Buf: make([]byte, 8)}
	p.Start(r, false)
	send(t, ps[1], 0, 0, 2, payload(2, 8))
	inTime(t, "the second", func() {
		p.gate.enter()
		for !r.Done() {
			p.turn()
		}
		w, b := p.waiters.take(), p.policy.Begin()
		w.kind, w.r = waitRequest, r
		p.set(polling)
		if !p.sleep(w, &b) {
			t.Error("polling is another's")
		}
		p.clear(polling)
		p.waiters.keep(w)
		p.gate.leave()
	})
	send(t, ps[1], 0, 0, 1, payload(1, 8))
	inTime(t, "the first", wg.Wait)
}

// TestPollerLooksAfterConditions: the goroutine that polls for all ends the wait of another one for a message
// that it probes for.
func TestPollerLooksAfterConditions(t *testing.T) {
	for name, yield := range map[string]time.Duration{"asleep": 0, "polling": time.Hour} {
		t.Run(name, func(t *testing.T) {
			ps := open(t, 2)
			ps[0].policy = wait.Policy{Yield: yield, Local: true}
			var wg sync.WaitGroup
			wg.Go(func() { recv(t, ps[0], 0, 1, 1, payload(1, 8)) })
			eventually(t, "the first waits", func() bool { return polled(ps[0]) })
			found := make(chan bool)
			go func() {
				_, ok := ps[0].ProbeUntil("Probe", 0, 1, 2, nil)
				found <- ok
			}()
			eventually(t, "the second is parked", func() bool { return parked(ps[0]) >= 1 && conditions(ps[0]) })
			send(t, ps[1], 0, 0, 2, payload(2, 8))
			inTime(t, "Probe", func() {
				if !<-found {
					t.Error("Probe found nothing")
				}
			})
			send(t, ps[1], 0, 0, 1, payload(1, 8))
			inTime(t, "receiver", wg.Wait)
			recv(t, ps[0], 0, 1, 2, payload(2, 8))
		})
	}
}

// conditions reports whether a goroutine is parked that does not wait for a request.
func conditions(p *Port) bool {
	p.gate.enter()
	defer p.gate.leave()
	for w := p.waiters.first; w != nil; w = w.next {
		if w.kind >= waitProbe && !w.asleep {
			return true
		}
	}
	return false
}

// TestStartWakesTheSleeper: what is started while another goroutine sleeps is moved on by the sleeper, even
// if nothing arrives that would ring.
func TestStartWakesTheSleeper(t *testing.T) {
	ps := open(t, 2)
	ps[0].policy = wait.Policy{Nap: time.Hour, Local: true}
	var wg sync.WaitGroup
	wg.Go(func() { recv(t, ps[0], 0, 1, 1, payload(1, 8)) })
	eventually(t, "asleep", func() bool { return napping(ps[0]) })
	out := &llc.Request{Peer: 1, Tag: 2, Buf: payload(2, 40000)} // offered once the NIC has answered
	ps[0].Start(out, true)
	inTime(t, "the other rank", func() { recv(t, ps[1], 0, 0, 2, payload(2, 40000)) })
	send(t, ps[1], 0, 0, 1, payload(1, 8))
	inTime(t, "receiver", wg.Wait)
	inTime(t, "Wait", func() { ps[0].Wait(out) })
}

// TestStartWakesTheSleeperForRoom: the sleeper only sleeps again for a short time while started messages wait
// for room, for which no peer rings.
func TestStartWakesTheSleeperForRoom(t *testing.T) {
	_, ps := openSleeper(t)
	exchangeFirst(t, ps)
	ps[0].policy = wait.Policy{Nap: time.Hour, Local: true}
	var wg sync.WaitGroup
	wg.Go(func() { recv(t, ps[0], 0, 1, 99, payload(1, 8)) })
	eventually(t, "asleep", func() bool { return napping(ps[0]) })
	rs := make([]llc.Request, 40) // five times the lines of a ring
	for i := range rs {
		rs[i] = llc.Request{Peer: 1, Tag: i, Buf: payload(i, 8)}
		ps[0].Start(&rs[i], true)
	}
	inTime(t, "messages", func() {
		for i := range rs {
			recv(t, ps[1], 0, 0, i, payload(i, 8))
		}
	})
	send(t, ps[1], 0, 0, 99, payload(1, 8))
	inTime(t, "receiver", wg.Wait)
	for i := range rs {
		inTime(t, "Wait", func() { ps[0].Wait(&rs[i]) })
	}
}

// TestCloseEndsALongSleep: Close does not wait until a sleep ends by itself.
func TestCloseEndsALongSleep(t *testing.T) {
	p := open(t, 2)[0]
	p.policy = wait.Policy{Nap: time.Hour, Local: true}
	var wg sync.WaitGroup
	for tag := range 2 {
		wg.Go(func() { _, _ = p.Recv(0, 1, tag, nil) })
	}
	eventually(t, "both wait", func() bool { return parked(p) == 2 && napping(p) })
	inTime(t, "Close", func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
}

// TestAbandon: waiting calls end, and Close does not wait for a transfer that no peer takes.
func TestAbandon(t *testing.T) {
	p := open(t, 2)[0]
	p.policy = wait.Policy{Nap: time.Hour, Local: true}
	p.Start(&llc.Request{Peer: 1, Mode: llc.Synchronous, Buf: payload(0, 1<<20)}, true)
	var wg sync.WaitGroup
	for tag := range 2 {
		wg.Go(func() {
			if _, err := p.Recv(0, 1, tag, nil); !errors.Is(err, ErrClosed) {
				t.Errorf("Recv: %v", err)
			}
		})
	}
	eventually(t, "both wait", func() bool { return parked(p) == 2 && napping(p) })
	inTime(t, "waits", func() {
		p.Abandon()
		wg.Wait()
	})
	inTime(t, "Close", func() {
		if err := p.Close(); !errors.Is(err, ErrUnfinished) {
			t.Errorf("Close: %v", err)
		}
	})
}

// TestContextEndsALongSleep: a wait ends with its context, whether its goroutine sleeps
// on the doorbell or is parked.
func TestContextEndsALongSleep(t *testing.T) {
	p := open(t, 2)[0]
	p.policy = wait.Policy{Nap: time.Hour, Local: true}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for tag := range 2 {
		r := &llc.Request{Peer: 1, Tag: tag}
		p.Start(r, false)
		wg.Go(func() {
			if err := p.WaitContext(ctx, r); !errors.Is(err, context.Canceled) {
				t.Errorf("WaitContext: %v", err)
			}
			p.Cancel(r)
		})
	}
	eventually(t, "both wait", func() bool { return parked(p) == 2 && napping(p) })
	stop()
	inTime(t, "waits", wg.Wait)
}

// TestHelperTriesAgain: the helper comes back after it has found others in the port.
func TestHelperTriesAgain(t *testing.T) {
	ps := open(t, 2)
	r := &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 300000)}
	ps[0].Start(r, false)
	ps[0].gate.enter()
	time.Sleep(5 * longTick) // it finds the gate shut
	ps[0].gate.leave()
	inTime(t, "the other rank", func() { send(t, ps[1], 0, 0, 1, payload(1, 300000)) })
}

// A fakeDetector is a sleeper whose network interface tells that peer 1 has failed.
type fakeDetector struct {
	sleeper
	marked, told atomic.Bool
}

func (g *fakeDetector) MarkFailed(int) { g.marked.Store(true) }

func (g *fakeDetector) DetectFailures() bool {
	return g.marked.Load() && g.told.CompareAndSwap(false, true)
}

func (g *fakeDetector) Poll(ev *ir.Event) bool {
	if g.told.Load() && g.marked.CompareAndSwap(true, false) {
		*ev = ir.Event{Kind: ir.Failed, Peer: 1, Err: ir.ErrPeerGone}
		return true
	}
	return g.sleeper.Poll(ev)
}

// TestFailureBetweenArmAndSleep: a peer that fails just before the doorbell is armed rings nobody. A port
// that goes to sleep must see it.
func TestFailureBetweenArmAndSleep(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	g := &fakeDetector{sleeper: sleeper{Translator: nics[0]}}
	p := openNICs(t, []ir.Translator{g, nics[1]})[0]
	var deaths []int
	if !p.Survive(func(peer int, _ error) { deaths = append(deaths, peer) }) {
		t.Fatal("the network interface tells of no ends")
	}
	var once sync.Once
	g.onArm = func() { once.Do(func() { p.MarkFailed(1) }) }
	g.onSleep = func(time.Duration) { t.Error("asleep, with a peer that was marked before") }
	inTime(t, "Recv", func() {
		if _, err := p.Recv(0, 1, 1, nil); !errors.Is(err, llc.ErrPeerGone) || len(deaths) != 1 || deaths[0] != 1 {
			t.Errorf("%v; told of %v", err, deaths)
		}
	})
}

package nictest

import (
	"runtime"
	"sync/atomic"
	"time"

	"rhinet/llc/ir"
)

// asleep runs Arm, a last Poll, Sleep and Disarm for a peer in a goroutine and returns a channel that says
// whether the bell rang. The last Poll must find nothing.
func (r *rig) asleep(peer int, limit time.Duration) <-chan bool {
	tr := r.ts[peer]
	var armed atomic.Bool
	slept := make(chan bool, 1)
	go func() {
		tr.Arm()
		var ev ir.Event
		if tr.Poll(&ev) {
			r.Errorf("peer %d: %+v out of nothing", peer, ev)
		}
		armed.Store(true)
		tr.Sleep(limit)
		slept <- tr.Disarm()
	}()
	for !armed.Load() { // awake: on a busy machine a goroutine that is woken runs when a short sleep is over
		runtime.Gosched()
	}
	return slept
}

// slumber sleeps until act wakes the peer. A sleep may end early, as by a signal, even before act: then found
// finds what act sent, or, if act sends nothing, act is called again.
func (r *rig) slumber(peer int, what string, act func(), found func() bool) {
	r.Helper()
	for begun := time.Now(); time.Since(begun) < r.wait; {
		start := time.Now()
		slept := r.asleep(peer, r.wait)
		act()
		select {
		case rung := <-slept:
			if d := time.Since(start); d > r.wait/2 {
				r.Errorf("%s: woke after %v, rung: %v", what, d, rung)
			} else if !rung && !found() {
				continue
			}
			return
		case <-time.After(2 * patience):
			r.Fatalf("%s: still asleep", what)
		}
	}
	r.Errorf("%s: woke again and again, without being rung", what)
}

func testSleep(r *rig) {
	const limit = 20 * time.Millisecond
	start := time.Now()
	if rung := <-r.asleep(1, limit); rung || time.Since(start) > patience/2 {
		r.Errorf("a sleep of %v took %v, rung: %v", limit, time.Since(start), rung)
	}
	var seq uint32
	polled := func() bool { r.poll(0); return r.poll(1) }
	var s *stream
	if r.caps(0, 1).Rings > 0 {
		s = r.stream(0, 1, 0)
	}
	for i := range 3 {
		if s != nil {
			r.slumber(1, "packet", func() { s.send(i) }, polled)
			s.get(i, i)
		}
		r.slumber(1, "shared packet", func() {
			r.post(0, ir.Command{Op: ir.Shared, Peer: 1, Header: header(i)})
		}, polled)
		ev := r.arrival(1, 0)
		check(r, &ev, i, 0)
		r.slumber(1, "Wake", func() { r.ts[0].Wake(1) }, polled)
		if b := ir.AbilitiesOf(r.ts[0]).FlagArray; b != nil && !r.apart(0, 0, 1) {
			r.slumber(1, "Raise", func() { seq++; b.Raise([]int{1}, 0, seq, 0, nil) }, polled)
		}
	}
	testSleepCode(r, polled)
	testSleepLock(r, polled)
	r.ts[0].Wake(1) // awake: nothing happens
	if r.quiet(); r.poll(1) {
		r.Error("an event out of nothing")
	}
}

// testSleepColdRing sends a packet to a peer that goes to sleep, in the ring that was used least: the Poll
// between Arm and Sleep must see it.
func testSleepColdRing(r *rig) {
	streams := r.streams(0)
	for i := range min(5, streams[0].caps.Slots) {
		for _, s := range streams {
			r.quiet()
			s.send(i)
			r.ts[0].Arm()
			if !r.poll(0) {
				r.Fatalf("packet of peer %d: the Poll after Arm reports nothing", s.from)
			}
			r.ts[0].Disarm()
			s.get(i, i)
		}
	}
	r.quiet()
}

package port

import (
	"sync/atomic"
	"time"
)

// A helper is the goroutine that makes progress while there are no calls. It is started by the first request
// that a call leaves under way, and dormant while there is none. A rank that calls pays nothing: its calls
// keep the helper away. While a goroutine sleeps on the doorbell the helper rests as well: each of its ticks
// wakes the process and sysmon of the Go runtime, which is a hundred times a second too often where hundreds
// of ranks share processors.
//
// Tasks must make progress although their rank computes. For them the helper waits as a call would, if there
// has been no call for a tick, and leaves the waiting to calls when there are any.
type helper struct {
	started bool          // guarded by the port's lock, as away is
	away    bool          // dormant or not started
	tick    *time.Timer   // fires when it comes next
	late    atomic.Bool   // that is more than shortTick away
	kick    chan struct{} // takes one token
	stop    chan struct{}
	stopped chan struct{}
}

func (h *helper) init() {
	h.away = true
	h.kick, h.stop, h.stopped = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
}

// consider has the helper, which is away, come unless another goroutine looks after what the call that is
// about to return leaves under way.
func (h *helper) consider(p *Port) {
	if !p.is(polling | asleep) {
		h.engage(p)
	}
}

// engage makes the helper, which is away, look after the port from now on.
func (h *helper) engage(p *Port) {
	h.away = false
	if h.started {
		h.kick <- struct{}{}
		return
	}
	h.started = true
	h.tick = time.NewTimer(shortTick)
	go h.run(p)
}

// expect has the helper come soon: a task begins to wait, and the rank may compute from now on.
func (h *helper) expect(p *Port) {
	if h.away {
		h.engage(p)
	} else if h.late.Load() {
		h.late.Store(false)
		h.tick.Reset(shortTick)
	}
}

// comeIn has the helper come after a pause.
func (h *helper) comeIn(pause time.Duration) {
	h.tick.Reset(pause)
	h.late.Store(pause > shortTick)
}

// end stops the helper, if it was ever started. The lock is not held.
func (h *helper) end(started bool) {
	close(h.stop)
	if started {
		<-h.stopped
	}
}

func (h *helper) run(p *Port) {
	defer close(h.stopped)
	defer h.tick.Stop()
	var calls uint64
	for quiet, pause := 0, shortTick; ; {
		select {
		case <-h.stop:
			return
		case <-h.tick.C:
		}
		if !p.gate.try() { // a call is inside
			quiet, pause = 0, min(2*pause, longTick)
			h.comeIn(pause)
			continue
		}
		called := p.calls != calls
		switch {
		case p.is(due):
			quiet = 0
			p.carryOn()
		case !p.busy():
			quiet++
		case called || p.is(polling):
			quiet = 0
		case p.is(asleep):
			quiet++ // the sleeper looks after everything, and engages the helper when it leaves
		case p.tasks.first != nil:
			quiet = 0
			p.tend()
		default:
			quiet = 0
			if p.help() {
				pause = shortTick / 2
			}
		}
		if p.tasks.first != nil {
			pause = shortTick / 2
		}
		calls = p.calls
		h.away = quiet >= quietTicks
		away := h.away
		p.gate.leave()
		if pause = min(2*pause, longTick); away {
			select {
			case <-h.stop:
				return
			case <-h.kick:
			}
			quiet, pause = 0, shortTick
		}
		h.comeIn(pause)
	}
}

// tend waits for what tasks wait for until they are over, or another goroutine waits.
func (p *Port) tend() {
	w := p.waiters.take()
	w.kind = waitTasks
	p.tasks.tender = w
	b := p.policy.Begin()
	for !p.is(closed|polling|asleep) && !p.done(w) {
		if p.is(due) {
			p.carryOn()
			b.Reset()
		} else {
			p.poll(w, &b)
		}
	}
	p.tasks.tender = nil
	p.withdraw(w)
	p.waiters.keep(w)
	if !p.is(polling) && p.waiters.first != nil {
		p.passOn()
	}
}

// help makes what progress there is and reports whether there was any.
func (p *Port) help() bool {
	found := false
	for i := 0; i < burst && !p.is(polling) && p.gate.wanted.Load() == 0 && p.turn(); i++ {
		found = true
	}
	return found
}

package port

import "time"

// A helper is the goroutine that makes progress while nobody calls. It is
// started by the first request that is left under way, and dormant while there
// is none. A rank that calls pays nothing: it keeps the helper away by having
// called. While a goroutine sleeps on the doorbell the helper rests as well:
// each of its ticks wakes the process and sysmon of the Go runtime, which
// is a hundred times a second too often where hundreds of ranks share
// processors.
type helper struct {
	started bool          // guarded by the port's lock, as away is
	away    bool          // dormant or not started
	kick    chan struct{} // takes one token
	stop    chan struct{}
	stopped chan struct{}
}

func (h *helper) init() {
	h.away = true
	h.kick, h.stop, h.stopped = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
}

// consider has the helper, which is away, come unless somebody else sees to
// what is under way although the call that is about to return is complete.
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
	go h.run(p)
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
	tick := time.NewTimer(shortTick)
	defer tick.Stop()
	var calls uint64
	for quiet, pause := 0, shortTick; ; {
		select {
		case <-h.stop:
			return
		case <-tick.C:
		}
		if !p.gate.try() { // somebody calls
			quiet, pause = 0, min(2*pause, longTick)
			tick.Reset(pause)
			continue
		}
		called := p.calls != calls
		calls = p.calls
		switch {
		case !p.busy():
			quiet++
		case called || p.is(polling):
			quiet = 0
		case p.is(asleep):
			quiet++ // the sleeper sees to everything, and calls the helper when it leaves
		default:
			quiet = 0
			if p.help() {
				pause = shortTick / 2
			}
		}
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
		tick.Reset(pause)
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

package port

import (
	"errors"
	"runtime"
	"time"

	"rhinet/llc/ir"
)

// Close makes progress until what has been sent is gone, unless progress stops, and closes the network
// interface. Calls that still wait end with ErrClosed, as all later ones do. The error wraps ErrUnfinished if
// transfers were left over.
func (p *Port) Close() error {
	p.lock()
	if p.is(drained) && !p.parked {
		p.gate.leave()
		return ErrClosed
	}
	var err error
	if !p.parked {
		err = p.shut(nil)
	}
	p.parked = false
	started := p.helper.started
	p.helper.away = false // no call starts it any more
	p.gate.leave()
	p.helper.end(started)
	p.gate.enter()
	defer p.gate.leave()
	p.seen = nil // its owner may end now
	p.clear(sampled)
	return errors.Join(err, p.nic.Close())
}

// Park does what Close does, and leaves the network interface open, for Reopen: until then calls fail with ErrClosed.
// It makes progress until what was sent has arrived, so that the process may end instead. If over, it reports that
// the rank has ended its use of MPI: others no longer expect it to call Finalize.
func (p *Port) Park(over bool) error {
	p.lock()
	defer p.gate.leave()
	if p.is(drained) {
		return ErrClosed
	}
	p.parked = true
	err := p.shut(p.settler)
	switch {
	case p.report == nil:
	case over:
		p.report.Finish()
	default:
		p.report.Clear() // of a call that waited
	}
	return err
}

// Reopen has a parked port take calls again, unless it has been abandoned.
func (p *Port) Reopen() {
	p.lock()
	defer p.gate.leave()
	if p.parked && !p.gaveUp {
		p.parked = false
		p.clear(drained | closed)
		p.lanes = ir.AbilitiesOf(p.nic).Lanes
		if p.report != nil {
			p.report.Clear() // the end that Park may have reported
		}
	}
}

// shut makes progress as drain does, and ends all calls that wait.
func (p *Port) shut(s ir.Settler) (err error) {
	p.set(drained)
	p.withdrawLanes()
	if !p.drain(s) {
		err = ErrUnfinished
	}
	p.end()
	p.carryOn()
	for p.is(asleep|polling) || p.waiters.first != nil {
		p.gate.leave()
		runtime.Gosched()
		p.gate.enter()
	}
	return err
}

// end ends all waits, also those of tasks.
func (p *Port) end() {
	p.set(closed)
	p.stirAll(false)
	for w := p.waiters.first; w != nil; {
		next := w.next
		p.wake(w)
		w = next
	}
}

// Abandon ends calls that wait, and all later ones, with ErrClosed, because nothing that is under way will
// end: Close does not wait for it. Any goroutine may call it at any time.
func (p *Port) Abandon() {
	p.lock()
	defer p.gate.leave()
	p.gaveUp = true
	p.end()
	p.nic.Wake(p.nic.Self())
	p.carryOn()
}

// drain makes progress until the engine has nothing under way and s, if any, is settled, and reports whether it got
// there.
func (p *Port) drain(s ir.Settler) bool {
	for !p.gaveUp && p.turn() && p.news() { // what has come may want an answer
	}
	b := p.policy.Begin()
	last := time.Now()
	for !p.eng.Idle() || s != nil && !s.Settled() {
		if p.gaveUp {
			return false
		}
		if p.turn() && p.news() {
			last = time.Now()
			b.Reset()
			continue
		}
		if p.is(due) {
			p.carryOn()
		}
		if p.gate.wanted.Load() != 0 || p.is(woke) {
			p.cede()
		}
		if b.Pause() {
			if p.clock != nil {
				p.doze()
				continue
			}
			if time.Since(last) > grace {
				return false
			}
			p.gate.leave()
			time.Sleep(drainNap)
			p.gate.enter()
		}
	}
	return true
}

// doze sleeps in virtual time until something comes. There no sleep is too long: if nothing can come, the
// keeper of the time knows.
func (p *Port) doze() {
	p.nic.Arm()
	for p.turn() {
		if p.news() {
			p.nic.Disarm()
			return
		}
	}
	p.waiters.all.Add(1)
	p.gate.leave()
	p.nic.Sleep(virtualNap)
	p.gate.enter()
	p.waiters.all.Add(-1)
	p.nic.Disarm()
}

package port

import (
	"errors"
	"runtime"
	"time"
)

// Close sees off what has been sent, as long as there is progress, and closes
// the network interface. Calls that still wait end with ErrClosed, as all
// later ones do. The error wraps ErrUnfinished if transfers were left over.
func (p *Port) Close() error {
	p.lock()
	if p.is(drained) {
		p.gate.leave()
		return ErrClosed
	}
	p.set(drained)
	p.withdrawLanes()
	var err error
	if !p.drain() {
		err = ErrUnfinished
	}
	p.end()
	p.carryOn()
	for p.is(asleep|polling) || p.waiters.first != nil {
		p.gate.leave()
		runtime.Gosched()
		p.gate.enter()
	}
	started := p.helper.started
	p.helper.away = false // nobody starts it any more
	p.gate.leave()
	p.helper.end(started)
	p.gate.enter()
	defer p.gate.leave()
	p.seen = nil // whoever takes it may end now
	p.clear(sampled)
	return errors.Join(err, p.nic.Close())
}

// end has all waits end, also those of tasks.
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
// come to its end: Close does not see it off. Any goroutine may call it, whatever others do.
func (p *Port) Abandon() {
	p.lock()
	defer p.gate.leave()
	p.gaveUp = true
	p.end()
	p.nic.Wake(p.nic.Self())
	p.carryOn()
}

// drain makes progress until the engine has nothing under way, and reports
// whether that came.
func (p *Port) drain() bool {
	b := p.policy.Begin()
	last := time.Now()
	for !p.eng.Idle() {
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

// doze sleeps in virtual time until something comes. There no time is too long: if nothing can
// come, whoever keeps the time knows.
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

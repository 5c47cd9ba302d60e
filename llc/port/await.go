package port

import (
	"math"
	"runtime"

	"rhinet/internal/wait"
	"rhinet/llc"
)

// finish waits for a request and reports whether it is done; if it is not, the port is closed. l, if not nil,
// is the poll delay of such calls.
func (p *Port) finish(r *llc.Request, call string, l *pollDelay) bool {
	if p.meter == nil {
		return p.complete(r, call, l)
	}
	begun := p.beginWait()
	done := p.complete(r, call, l)
	p.endWait(begun, call)
	return done
}

// complete has the fast path of the common case: no other goroutine polls, and the wait ends before it is
// time to sleep.
func (p *Port) complete(r *llc.Request, call string, l *pollDelay) bool {
	b := p.policy.Begin()
	if !p.is(polling | closed) {
		if r.Body == nil {
			p.eng.Attend(len(r.Buf))
		}
		p.nic.Hint(r.Peer)
		p.set(polling)
		if l != nil {
			if wait.PollDelay(l.now); l.now > 0 {
				l.apart = p.aimer.Expect(math.MaxInt)
			}
		}
		looks, since, early := 0, int64(0), p.aimer != nil
		for !r.Done() {
			if p.turn() && (p.news() || r.Done()) {
				b.Reset()
				continue
			}
			if looks++; looks == p.patience {
				since = p.meter.Sleep()
			}
			if early && looks >= earlyLooks {
				early = p.aimer.Expect(earlyBytes)
			}
			if p.gate.wanted.Load() != 0 || p.is(woke) {
				p.cede()
			}
			if p.is(closed|due) || b.Pause() {
				break
			}
			p.glance()
		}
		p.meter.Woke(since)
		p.clear(polling)
		if l != nil && p.aimer != nil {
			l.adapt(looks)
		}
		if r.Done() {
			if p.waiters.first != nil {
				p.passOn()
			}
			if p.is(due) {
				p.carryOn()
			}
			return true
		}
	}
	w := p.waiters.take()
	w.kind, w.call, w.r = waitRequest, call, r
	p.await(w, &b)
	p.waiters.keep(w)
	return r.Done()
}

// await waits until w is done or expired, or the port is closed.
func (p *Port) await(w *waiter, b *wait.Backoff) {
	since := p.meter.Sleep()
	for !p.over(w) {
		switch {
		case p.is(due):
			p.carryOn()
			b.Reset()
		case !p.is(polling):
			p.poll(w, b)
		case p.hopeless(w):
		default:
			p.park(w)
		}
	}
	p.meter.Woke(since)
	p.withdraw(w)
	if !p.is(polling) && p.waiters.first != nil {
		p.passOn()
	}
	if p.is(due) {
		p.carryOn()
	}
	if p.helper.away && !p.is(closed) && p.busy() {
		p.helper.engage(p) // it went dormant while this goroutine slept
	}
}

// withdraw ends the report of w.
func (p *Port) withdraw(w *waiter) {
	if w.reported {
		w.reported = false
		if !p.is(closed) {
			p.report.Clear()
		}
	}
}

// over reports whether the wait of w has ended, for whatever reason.
func (p *Port) over(w *waiter) bool { return p.is(closed) || w.expired.Load() || p.done(w) }

// poll polls for all goroutines until the wait of w has ended, until tasks are due, or until another
// goroutine polls or is about to.
func (p *Port) poll(w *waiter, b *wait.Backoff) {
	p.set(polling)
	for !p.over(w) && !p.is(due) {
		if p.turn() && p.news() {
			b.Reset()
			continue
		}
		if p.gate.wanted.Load() != 0 || p.is(woke) {
			p.cede()
		}
		if b.Pause() {
			if p.hopeless(w) {
				break
			}
			if !p.sleep(w, b) {
				return // another goroutine polls
			}
		} else if w.kind != waitCond {
			p.glance()
		} else if p.aimer != nil {
			looks(w.cond, condGlances)
		}
	}
	p.clear(polling)
}

// soon reports whether cond holds now or, on a processor of this rank's own, after a few more looks: a progress
// call takes as long as several of them, and what ranks in step wait for comes in less.
func (p *Port) soon(cond func() bool) bool {
	if p.aimer == nil {
		return cond()
	}
	return looks(cond, soonLooks)
}

// looks reports whether cond holds at one of at most n looks.
func looks(cond func() bool, n int) bool {
	for ; n > 0; n-- {
		if cond() {
			return true
		}
	}
	return false
}

// giveWay yields the processor a few times and reports whether cond held after one of these yields. Where
// ranks share processors most barriers end in this way, and then there is no need to poll the network as
// well, which costs as much again.
func (p *Port) giveWay(cond func() bool, b *wait.Backoff) (met bool) {
	if p.is(polling) || p.waiters.first != nil {
		return false
	}
	for range politeYields {
		if p.gate.wanted.Load() != 0 || p.is(woke) || b.Pause() {
			return false
		}
		if cond() {
			return true
		}
	}
	return false
}

// glance looks for a while where what is waited for most likely arrives. A look costs a hundredth of a progress
// call, so an arrival is seen sooner; other rings have to wait that much longer.
func (p *Port) glance() {
	if p.aimer != nil {
		p.aimer.Glance(glances)
	}
}

// cede lets goroutines enter that want to, and lets woken ones run.
func (p *Port) cede() {
	p.clear(woke)
	p.gate.leave()
	runtime.Gosched()
	for i := 0; p.gate.wanted.Load() != 0 && i < cedeTurns; i++ {
		runtime.Gosched()
	}
	p.gate.enter()
}

// sleep puts the polling goroutine to sleep on the doorbell and reports whether it still polls afterwards.
func (p *Port) sleep(w *waiter, b *wait.Backoff) bool {
	if p.is(asleep) {
		if p.over(w) { // by what the latest turn found, which may not be news, or by another caller
			return true
		}
		// Another goroutine sleeps there already: it takes over when this one leaves.
		p.clear(polling)
		p.nic.Wake(p.nic.Self())
		p.park(w)
		return false
	}
	p.describe(w)
	p.nic.Arm()
	p.detectFailures() // a failure before this rings nobody
	if !p.nothing(w) {
		p.nic.Disarm()
		return true
	}
	nap := b.Nap()
	if p.eng.Blocked() && p.clock == nil { // the keeper of the time says when there is room
		nap = min(nap, stalledNap)
	}
	p.set(asleep)
	p.clear(polling)
	p.enlist(w)
	w.asleep = true
	p.gate.leave()
	p.nic.Sleep(nap)
	p.gate.enter()
	w.asleep = false
	p.delist(w)
	p.clear(asleep)
	p.nic.Disarm()
	p.audit()
	if p.is(polling) {
		return false
	}
	p.set(polling)
	return true
}

// nothing polls the network for the last time before a sleep, and reports whether there is no reason to stay
// awake. The engine may try again in the first few looks; then nothing goes on until a look finds no event
// and every packet to a shared ring has gone or come back.
func (p *Port) nothing(w *waiter) bool {
	defer func() { p.clear(last) }()
	for looks := 0; ; looks++ {
		if looks >= lastLooks {
			p.set(last)
		}
		found := p.turn()
		if found && p.news() || p.over(w) || p.is(due) || p.gate.wanted.Load() != 0 {
			return false
		}
		if p.is(last) && !found {
			return true
		}
	}
}

// stir wakes the goroutine that sleeps on the doorbell if the engine has work that needs polling.
func (p *Port) stir() {
	if !p.eng.Idle() {
		p.nic.Wake(p.nic.Self())
	}
}

// passOn makes sure that another goroutine polls when the one that did leaves.
func (p *Port) passOn() {
	if p.is(asleep) {
		p.stir()
		return
	}
	if w := p.waiters.first; w != nil {
		p.wake(w)
	}
}

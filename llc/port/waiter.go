package port

import (
	"slices"
	"sync/atomic"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// Kinds of waits, by what a goroutine waits for.
const (
	waitRequest = iota // r
	waitAny            // one of rs
	waitTask           // the end of task
	waitTasks          // work for tasks, until another goroutine waits
	waitProbe          // a message for context, src, tag
	waitCond           // cond
)

// A waiter is a goroutine that waits. While listed it is parked on its channel or, if asleep, sleeps on the
// doorbell.
type waiter struct {
	kind     uint8
	listed   bool
	asleep   bool
	reported bool // on the status line
	more     int  // other waits that the line mentions
	held     ir.Holder
	kept     int  // messages without a receive when it was reported
	met      bool // cond held once
	number   uint32
	second   bool // another waiter has its number in r
	expired  atomic.Bool
	next     *waiter
	prev     *waiter
	wake     chan struct{} // takes one token

	call       string
	r          *llc.Request
	rs         []*llc.Request
	seen       uint64      // the engine's Ended when none of rs was done
	cond       func() bool // what also ends a waitAny or waitProbe; or nil
	task       *Task
	collective *ir.Collective
	context    uint16
	src        int
	tag        int
}

// waiters is the list of goroutines that wait and do not poll, oldest first.
type waiters struct {
	first, last *waiter
	all         atomic.Int32 // listed, and the one in doze
	serving     int          // listed, that serve others
	conds       int          // listed waiters that no completed request wakes, and tasks that wait for a condition
	watching    []*waiter    // those listed waiters
	searched    int          // listed waiters whose requests do not name them
	made        []*waiter    // by their numbers, from 1 on
	spare       []uint32     // numbers of those that were dropped
	free        []*waiter
}

func (l *waiters) take() *waiter {
	if n := len(l.free); n > 0 {
		w := l.free[n-1]
		l.free = l.free[:n-1]
		return w
	}
	w := &waiter{wake: make(chan struct{}, 1)}
	if n := len(l.spare); n > 0 {
		w.number, l.spare = l.spare[n-1], l.spare[:n-1]
		l.made[w.number-1] = w
	} else {
		l.made = append(l.made, w)
		w.number = uint32(len(l.made))
	}
	return w
}

// drop is keep of a waiter that somebody may still hold: it is not used again, but its number is.
func (l *waiters) drop(w *waiter) {
	l.made[w.number-1] = nil
	l.spare = append(l.spare, w.number)
}

func (l *waiters) keep(w *waiter) {
	w.call, w.r, w.rs, w.cond, w.task, w.collective, w.met = "", nil, nil, nil, nil, nil, false
	w.expired.Store(false)
	if len(w.wake) > 0 {
		<-w.wake // polling was passed to it while it left
	}
	l.free = append(l.free, w)
}

// Waiting returns how many goroutines wait until something arrives or another goroutine wakes them.
// Goroutines in other calls may still do anything. Any goroutine may call it at any time, also within Sleep
// of the network interface.
func (p *Port) Waiting() int { return int(p.waiters.all.Load()) }

// done reports whether what w waits for has come.
func (p *Port) done(w *waiter) bool {
	switch w.kind {
	case waitRequest:
		return w.r.Done()
	case waitAny:
		if w.given() {
			return true
		}
		if w.seen == p.eng.Ended() {
			return false
		}
		if slices.ContainsFunc(w.rs, (*llc.Request).Done) {
			return true
		}
		w.seen = p.eng.Ended()
		return false
	case waitTask:
		return w.task.state == taskOver
	case waitTasks:
		return p.tasks.first == nil || p.waiters.first != nil
	case waitProbe:
		if w.given() {
			return true
		}
		_, ok := p.eng.Probe(w.context, w.src, w.tag)
		return ok
	default:
		return w.given()
	}
}

// given reports whether the condition of w, if it has one, has held.
func (w *waiter) given() bool {
	w.met = w.met || w.cond != nil && w.cond()
	return w.met
}

// watches reports whether w waits for more than the end of requests and tasks.
func (w *waiter) watches() bool { return w.kind >= waitProbe || w.cond != nil }

// enlist makes sure that w is woken when what it waits for has come.
func (p *Port) enlist(w *waiter) {
	l := &p.waiters
	l.all.Add(1)
	w.listed, w.prev, w.next = true, l.last, nil
	p.eng.Silence(false)
	if l.last == nil {
		l.first = w
	} else {
		l.last.next = w
	}
	l.last = w
	if w.serves() {
		l.serving++
	}
	switch w.kind {
	case waitRequest:
		p.notify(w.r)
		if w.second = w.r.Waiter != 0; w.second {
			l.searched++
		} else {
			w.r.Waiter = w.number
		}
	case waitAny:
		for _, r := range w.rs {
			p.notify(r)
		}
		l.searched++
	}
	if w.watches() {
		l.conds++
		l.watching = append(l.watching, w)
	}
}

// notify has the engine report when r, which is not done, is done.
func (p *Port) notify(r *llc.Request) {
	if !r.Notify {
		r.Notify = true
		p.begun++
	}
}

func (p *Port) delist(w *waiter) {
	if !w.listed {
		return
	}
	l := &p.waiters
	l.all.Add(-1)
	w.listed = false
	if w.prev == nil {
		l.first = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.last = w.prev
	} else {
		w.next.prev = w.prev
	}
	switch {
	case w.kind == waitAny || w.kind == waitRequest && w.second:
		l.searched--
	case w.kind == waitRequest:
		w.r.Waiter = 0
	}
	if w.watches() {
		l.conds--
		i := slices.Index(l.watching, w)
		l.watching = slices.Delete(l.watching, i, i+1)
	}
	if w.serves() {
		l.serving--
	}
	p.hush()
}

// hush has the engine list finished requests only if there is a reader of the list.
func (p *Port) hush() {
	p.eng.Silence(p.waiters.first == nil && p.tasks.first == nil && !p.queue.used)
}

// park waits until another goroutine wakes w.
func (p *Port) park(w *waiter) {
	p.enlist(w)
	p.gate.leave()
	<-w.wake
	p.gate.enter()
	p.delist(w)
}

// wake wakes w, which is listed.
func (p *Port) wake(w *waiter) {
	if w.asleep {
		p.nic.Wake(p.nic.Self())
		return
	}
	p.delist(w)
	w.wake <- struct{}{}
	p.set(woke)
}

// announce wakes the waiters whose wait has ended. Thousands of goroutines may wait, for a request each.
func (p *Port) announce() {
	for r := p.eng.Completed(); r != nil; r = p.eng.Completed() {
		r.Notify = false
		if r.Queued {
			p.queued(r)
		}
		if n := r.Waiter; n != 0 {
			p.wake(p.waiters.made[n-1])
		}
		for w := p.waiters.first; w != nil && p.waiters.searched > 0; {
			next := w.next
			if w.r == r || w.kind == waitAny && slices.Contains(w.rs, r) {
				p.wake(w)
			}
			w = next
		}
	}
	if p.waiters.conds == 0 {
		return
	}
	if p.tasks.conds.first != nil {
		p.tasks.conds.look(p)
	}
	p.rouse()
}

// rouse wakes the waiters that no completed request wakes, and whose wait has ended.
func (p *Port) rouse() {
	l := &p.waiters
	for i := 0; i < len(l.watching); {
		w := l.watching[i]
		if p.done(w) {
			p.wake(w)
		}
		if w.listed { // also if it sleeps, and is awake soon
			i++
		}
	}
}

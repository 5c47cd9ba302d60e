package port

import (
	"runtime"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// A Task is work of several steps, each of which waits for requests: a nonblocking collective operation. No
// goroutine belongs to it. When the last request that it waits for is done, the goroutine that makes progress
// in the port carries it on: a call that waits or looks, or the helper.
//
//	running --When: something is under way--> waiting --all is done--> due --in its turn--> running
//	   \--Conclude--> over
//
// It runs without the lock of the port, in one goroutine at a time; due tasks run in the order in which they
// have become due. The goroutine that begins a task runs its first step.
//
// MPI 4.1, section 6.12.
type Task struct {
	// Work goes on with Step. Call and Collective describe it in reports.
	Work       Stepper
	Call       string
	Collective *ir.Collective

	// The rest is the port's.
	state   taskState
	stirred bool         // it no longer waits for anything
	open    int          // how many of first and the requests linked to it are not done
	first   *llc.Request // that it waits for
	cond    func() bool  // or the condition that it waits for; the wait is over when either is so
	links   [2]taskLinks // by list
	behind  *Task        // the task that is due after this one
	looked  uint32       // see misses
}

// Over reports whether t is over. The holder of the lock of the port may call it.
func (t *Task) Over() bool { return t.state == taskOver }

// A Stepper is the work of a task.
type Stepper interface {
	// Step goes on as far as it can without waiting. It ends with the call of When that has returned false,
	// or of Conclude: from then on another goroutine may run the task. Within Step no call of the port may
	// wait for the result of another task.
	Step()
}

// A Carrier carries tasks on: a port, or a wrapper of one.
type Carrier interface {
	// When reports whether first and the requests linked to it are done, or cond holds, which is called with
	// the port's lock held as that of Await is; either may be nil. If not, t goes on when it is so, after
	// Stir, or when the port is closed.
	When(t *Task, first *llc.Request, cond func() bool) bool
	// Stir ends all waits of t, also later ones. Requests that are not done then must be waited for or
	// cancelled.
	Stir(t *Task)
	// Conclude ends t, for which When has returned false at least once.
	Conclude(t *Task)
	// Join returns when t is over. Reports show a wait of t.Call, or of the call many for it, unless that is
	// empty. Attend is Join that reports do not count as a call of the program.
	Join(t *Task, many string)
	Attend(t *Task)
	// Look reports whether t is over, after a look at the network.
	Look(t *Task) bool
}

var _ Carrier = (*Port)(nil)

// Carrier returns what carries on the tasks: the port.
func (p *Port) Carrier() Carrier { return p }

type taskState uint8

const (
	taskRuns taskState = iota
	taskWaits
	taskDue
	taskOver
)

// tasks are the tasks of a port that have begun to wait and are not over.
type tasks struct {
	taskList
	conds   conds
	due     *Task // the first that is due
	lastDue *Task
	tender  *waiter // of the helper, while it waits for tasks; otherwise nil
}

// A taskList is a list of tasks, oldest first. A task may be in several, which have links of their own in it.
type taskList struct{ first, last *Task }

// The lists: the links that they use.
const (
	listed = iota
	withCond
)

type taskLinks struct{ next, prev *Task }

func (l *taskList) add(t *Task, list int) {
	t.links[list] = taskLinks{prev: l.last}
	if l.last == nil {
		l.first = t
	} else {
		l.last.links[list].next = t
	}
	l.last = t
}

func (l *taskList) remove(t *Task, list int) {
	k := t.links[list]
	if k.prev == nil {
		l.first = k.next
	} else {
		k.prev.links[list].next = k.next
	}
	if k.next == nil {
		l.last = k.prev
	} else {
		k.next.links[list].prev = k.prev
	}
	t.links[list] = taskLinks{}
}

// has reports whether t is listed.
func (l *tasks) has(t *Task) bool { return t.links[listed].prev != nil || l.first == t }

// When is that of [Carrier].
func (p *Port) When(t *Task, first *llc.Request, cond func() bool) bool {
	p.lock()
	met := p.is(closed) || t.stirred || undone(first) == nil && (first != nil || cond == nil) || cond != nil && cond()
	if !met {
		p.suspend(t, first, cond)
	}
	p.gate.leave()
	return met
}

// undone returns the first of the requests that is not done, or nil.
func undone(first *llc.Request) *llc.Request {
	for r := first; r != nil; r = r.Link {
		if !r.Done() {
			return r
		}
	}
	return nil
}

// suspend has t wait.
func (p *Port) suspend(t *Task, first *llc.Request, cond func() bool) {
	if !p.tasks.has(t) {
		p.tasks.add(t, listed)
		p.eng.Silence(false)
	}
	t.state, t.first, t.cond, t.open = taskWaits, first, cond, 0
	for r := first; r != nil; r = r.Link {
		if !r.Done() {
			r.Owner, r.Queued = t, true
			p.notify(r)
			t.open++
		}
	}
	if cond != nil {
		p.tasks.conds.add(t)
		p.waiters.conds++
		p.begun++ // it is not counted as under way otherwise
	}
	if !p.is(polling | asleep) {
		p.helper.expect(p)
	}
}

// closer notes that a request of t is done.
func (p *Port) closer(t *Task) {
	if t.open--; t.open == 0 {
		p.release(t)
	}
}

// release makes t, which waits, due.
func (p *Port) release(t *Task) {
	if t.cond != nil {
		p.tasks.conds.remove(t)
		p.waiters.conds--
		p.begun--
	}
	t.state, t.first, t.cond, t.behind = taskDue, nil, nil, nil
	if p.tasks.due == nil {
		p.tasks.due = t
	} else {
		p.tasks.lastDue.behind = t
	}
	p.tasks.lastDue = t
	p.set(due)
	switch {
	case p.is(polling):
	case p.is(asleep):
		p.nic.Wake(p.nic.Self())
	case p.helper.away:
		p.helper.engage(p)
	}
}

// stirTask ends all waits of t.
func (p *Port) stirTask(t *Task) {
	t.stirred = true
	if t.state == taskWaits {
		p.interrupt(t)
	}
}

// interrupt ends the wait of t, whose requests need not be done.
func (p *Port) interrupt(t *Task) {
	for r := t.first; r != nil; r = r.Link {
		if r.Owner == t {
			r.Queued = false
		}
	}
	p.release(t)
}

// stirAll does so for all tasks that wait, or for those that wait for a condition.
func (p *Port) stirAll(conds bool) {
	for t := p.tasks.first; t != nil; t = t.links[listed].next {
		if !conds || t.cond != nil {
			p.stirTask(t)
		}
	}
}

// takeDue takes the first task that is due, or returns nil.
func (p *Port) takeDue() *Task {
	l := &p.tasks
	t := l.due
	if t != nil {
		l.due, t.behind = t.behind, nil
	}
	if l.due == nil {
		p.clear(due)
	}
	return t
}

// carryOn runs the tasks that are due, without the lock. The caller does not poll; if another goroutine
// waits, that one polls meanwhile.
func (p *Port) carryOn() {
	for t := p.takeDue(); t != nil; t = p.takeDue() {
		t.state = taskRuns
		if !p.is(polling) && p.waiters.first != nil {
			p.passOn()
		}
		p.gate.leave()
		t.Work.Step()
		p.gate.enter()
	}
}

// Stir is that of [Carrier].
func (p *Port) Stir(t *Task) {
	p.lock()
	p.stirTask(t)
	p.carryOn()
	p.gate.leave()
}

// Conclude is that of [Carrier].
func (p *Port) Conclude(t *Task) {
	p.lock()
	t.state = taskOver
	p.tasks.remove(t, listed)
	for w := p.waiters.first; w != nil; {
		next := w.next
		if w.task == t {
			p.wake(w)
		}
		w = next
	}
	p.rouse() // who waits for any of several tasks
	p.hush()
	if w := p.tasks.tender; w != nil && w.asleep && p.tasks.first == nil {
		p.wake(w)
	}
	p.gate.leave()
}

// Join is that of [Carrier].
func (p *Port) Join(t *Task, many string) { p.join(t, many) }

// Attend is that of [Carrier].
func (p *Port) Attend(t *Task) { p.join(t, llc.Serving) }

func (p *Port) join(t *Task, call string) {
	p.lock()
	begun := p.meter.Begin()
	if !t.Over() && !p.is(closed) {
		w := p.waiters.take()
		w.kind, w.call, w.task = waitTask, call, t
		if r := undone(t.first); r != nil {
			p.nic.Hint(r.Peer)
		}
		b := p.policy.Begin()
		p.await(w, &b)
		p.waiters.keep(w)
	}
	for !t.Over() { // the port is closed: tasks end without a wait
		p.carryOn()
		p.gate.leave()
		runtime.Gosched()
		p.gate.enter()
	}
	p.meter.End(begun)
	p.gate.leave()
}

// Look is that of [Carrier].
func (p *Port) Look(t *Task) bool {
	p.lock()
	for i := 0; i < burst && !t.Over() && (p.is(due) || p.peek()); i++ {
		p.carryOn()
	}
	over := t.Over()
	p.miss(&t.looked, over)
	return over
}

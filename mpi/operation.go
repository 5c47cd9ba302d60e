package mpi

import (
	"context"
	"errors"

	"rhinet/llc"
	"rhinet/llc/port"
)

// An operation is a launch in progress: the task that completes its request. The
// transport advances it, if it can: then it needs no goroutine, and any goroutine that
// makes progress posts the next transfers, reduces what has arrived, also with
// operations of the user, and completes the request. Else a goroutine waits for its
// transfers.
type operation struct {
	task
	c       *Comm
	site    site
	t       *collTransport
	stepped bool        // Step has been called
	forget  func() bool // stops watching the context that can end the operation; nil: none
}

// operation returns the operation to begin: for a persistent request that of the last
// start, unless it may still be in use.
func (l *launch) operation() *operation {
	o := l.latest
	if o == nil {
		o = &l.first
	} else {
		if o.stepped {
			o.carrier.Join(&o.steps, "") // the goroutine that has completed it may not have left it yet
		}
		if o.done != nil || o.forget != nil {
			o = &operation{task: task{kept: o.kept}}
		} else {
			o.stepped, o.early = false, false
			if o.over.Load() {
				o.over.Store(false)
			}
		}
	}
	l.latest = o
	return o
}

// share lets the transport advance o.
func (o *operation) share() {
	o.steps = port.Task{Work: o, Call: o.t.call, Collective: &o.t.note}
}

// when reports whether transfers are complete, or cond holds; else Step is called when
// that is so.
func (o *operation) when(first *llc.Request, cond func() bool) bool {
	if ctx := o.t.ctx; ctx != nil && o.forget == nil {
		o.forget = context.AfterFunc(ctx, func() { o.carrier.Stir(&o.steps) })
	}
	return o.carrier.When(&o.steps, first, cond)
}

// Step goes on as far as possible without waiting: see [port.Stepper].
func (o *operation) Step() {
	o.stepped = true
	if !o.proceed() {
		return
	}
	if o.launch.stuck() {
		go func() { o.conclude(o.result()) }()
		return
	}
	err := o.result()
	if err != nil && o.c.coll.history != nil {
		go o.conclude(err) // it waits for the verdict
		return
	}
	o.conclude(err)
}

// proceed continues as far as possible without waiting, and reports whether that is to the
// end.
func (o *operation) proceed() bool {
	switch l := o.launch; l.way {
	case byMessages:
		return l.advance()
	case byBoth:
		return !l.exchange.posted || o.bothEnded(l.op.Proceed())
	}
	return true
}

// conclude completes the operation, which the transport advances.
func (o *operation) conclude(err error) {
	o.complete(err)
	o.carrier.Conclude(&o.steps)
}

// exchange begins the operation, which is an exchange. The transport need not advance
// it while it waits only for flags of other ranks, and nothing else may end it.
func (o *operation) exchange() {
	e := &o.launch.exchange
	e.ready(o.t)
	alone := e.missing == 0
	o.c.t.Perform(e.start)
	switch {
	case o.launch.way == byBoth:
		o.both()
	case e.up && alone:
		o.settle(o.result())
		o.early = true
	case e.up && o.t.ctx == nil && o.c.coll.history == nil:
		o.late = o
	default:
		o.carry()
	}
}

// carry has the transport advance the exchange.
func (o *operation) carry() {
	if o.share(); o.when(nil, o.launch.exchange.test) {
		o.finish()
	} // else the transport advances o
}

// await waits for an exchange that the transport does not advance. Its caller completes
// the request next, so no waiter is woken.
func (o *operation) await(many string) {
	o.late = nil
	o.c.t.AwaitCollective(o.t.part.in(many, o.t.call), &o.t.note, nil, o.launch.exchange.test)
	o.settle(o.result())
}

// look completes an exchange that the transport does not advance, if it need not wait,
// and reports whether it did.
func (o *operation) look() bool {
	e, t := &o.launch.exchange, o.c.t
	t.Probe(o.c.id.pointToPoint(), 0, 0) // makes progress
	e.peeked = false
	t.AwaitCollective(o.t.call, &o.t.note, nil, e.peek)
	if e.peeked && !e.here && failure(t) == nil {
		return false
	}
	o.late = nil
	o.finish()
	return true
}

// here is the test of late.
func (o *operation) here() bool { return o.launch.exchange.test() }

// hand has the transport advance an exchange, which several goroutines may wait for
// from now on.
func (o *operation) hand() {
	o.late = nil
	o.carry()
}

// finish completes the operation, and waits for it if necessary.
func (o *operation) finish() { o.complete(o.result()) }

// result returns how the operation has ended, and waits for it if necessary.
func (o *operation) result() error {
	if o.forget != nil {
		o.forget()
	}
	o.t.op = nil
	return o.launch.finish(o.c, o.t)
}

// complete completes the request.
func (o *operation) complete(err error) {
	o.settle(err)
	o.end(o.st, o.err)
}

// settle records how the operation has ended.
func (o *operation) settle(err error) {
	if err != nil {
		err = o.c.failed(o.site, o.t.note.Turn, err)
	}
	o.st, o.err = emptyStatus(), err
}

// finish waits for the operation and returns its error.
func (l *launch) finish(c *Comm, t *collTransport) error {
	counted := l.script != nil || l.way <= byBoth
	err := l.outcome(t)
	if err == nil {
		if l.unpack != nil {
			l.unpack()
		}
		c.coll.ended(counted)
		return nil
	}
	l.t = nil // an unfinished transfer may still use it
	c.coll.ended(counted)
	if errors.Is(err, ErrCancelled) || t.broken != nil || l.panicked != nil {
		c.state.CompareAndSwap(commOpen, commBroken)
	}
	return err
}

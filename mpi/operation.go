package mpi

import (
	"context"
	"errors"

	"rhinet/llc"
	"rhinet/llc/port"
)

// An operation is a launch under way: the task that completes its request. The transport carries it on, if it can:
// then no goroutine belongs to it, and whoever makes progress posts the next transfers, reduces what
// has come, with operations of the user too, and completes the request. Else a goroutine waits for its transfers.
type operation struct {
	task
	c       *Comm
	site    site
	t       *collTransport
	stepped bool        // Step has been called
	forget  func() bool // ends what has the end of a context end the operation; nil: nothing does
}

// operation returns what is to be one: of a persistent request that of the start before, unless
// somebody may still look at it.
func (l *launch) operation() *operation {
	o := l.latest
	if o == nil {
		o = &l.first
	} else {
		if o.stepped {
			o.carrier.Join(&o.steps) // who has completed it may be about to say so, and until then its call is reported
		}
		if o.done != nil || o.forget != nil {
			o = new(operation)
		} else {
			o.stepped = false
			if o.over.Load() {
				o.over.Store(false)
			}
		}
	}
	l.latest = o
	return o
}

// carried has carrier carry o on, if there is one.
func (o *operation) carried(carrier port.Carrier) bool {
	o.carrier = carrier
	o.steps = port.Task{Work: o, Call: o.t.call, Collective: &o.t.note}
	return carrier != nil
}

// when reports whether transfers are complete, or cond holds; else Step comes when that is so.
func (o *operation) when(first *llc.Request, cond func() bool) bool {
	if ctx := o.t.ctx; ctx != nil && o.forget == nil {
		o.forget = context.AfterFunc(ctx, func() { o.carrier.Stir(&o.steps) })
	}
	return o.carrier.When(&o.steps, first, cond)
}

// Step goes on as far as that goes without waiting: see [port.Stepper].
func (o *operation) Step() {
	o.stepped = true
	if !o.launch.short && !o.launch.op.Proceed() {
		return
	}
	err := o.result()
	if err != nil && o.c.coll.history != nil {
		go o.conclude(err) // it waits for what all ranks are told
		return
	}
	o.conclude(err)
}

// conclude completes the operation, which the transport carries on.
func (o *operation) conclude(err error) {
	o.complete(err)
	o.carrier.Conclude(&o.steps)
}

// exchange begins the operation, which is an exchange. Nobody carries it on while it needs nothing but the flags of others, and nothing
// else may end it.
func (o *operation) exchange() {
	e := &o.launch.exchange
	e.ready(o.t)
	alone := e.missing == 0
	o.c.t.Perform(e.start)
	switch {
	case e.up && alone:
		o.finish()
	case e.up && o.t.ctx == nil && o.c.coll.history == nil:
		o.late = o
	default:
		o.carry()
	}
}

// carry has the transport carry on the exchange.
func (o *operation) carry() {
	if o.when(nil, o.launch.exchange.test) {
		o.finish()
	} // else o is in other hands
}

// await waits for an exchange that nobody carries on. Its caller completes the request next, so nobody is told that it is over.
func (o *operation) await() {
	o.late = nil
	o.c.t.AwaitCollective(o.t.call, &o.t.note, nil, o.launch.exchange.test)
	o.settle(o.result())
}

// look completes an exchange that nobody carries on, if there is nothing to wait for, and reports whether it did.
func (o *operation) look() bool {
	e, t := &o.launch.exchange, o.c.t
	t.Probe(o.c.id.pointToPoint(), 0, 0, false) // makes progress
	e.peeked = false
	t.AwaitCollective(o.t.call, &o.t.note, nil, e.peek)
	if e.peeked && !e.here && failure(t) == nil {
		return false
	}
	o.late = nil
	o.finish()
	return true
}

// here is that of late.
func (o *operation) here() bool { return o.launch.exchange.test() }

// hand has the transport carry on an exchange, which several may wait for from now on.
func (o *operation) hand() {
	o.late = nil
	o.carry()
}

// finish completes the operation, which it waits for if need be.
func (o *operation) finish() { o.complete(o.result()) }

// result is how the operation has ended, for which it waits if need be.
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

// settle says how the operation has ended.
func (o *operation) settle(err error) {
	if err != nil {
		err = o.c.failed(o.site, o.t.note.Turn, err)
	}
	o.st, o.err = emptyStatus(), err
}

// finish waits for the operation and returns its error.
func (l *launch) finish(c *Comm, t *collTransport) error {
	var err error
	switch {
	case l.script != nil:
		err = l.script.run(t)
	case l.short:
		err = l.exchange.finish()
	default:
		err = l.op.Finish()
	}
	if err == nil {
		if l.unpack != nil {
			l.unpack()
		}
		c.coll.ended()
		return nil
	}
	l.t = nil // what may still use it has it
	c.coll.ended()
	if errors.Is(err, ErrCancelled) || t.broken != nil {
		c.state.CompareAndSwap(commOpen, commBroken)
	}
	return err
}

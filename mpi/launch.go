package mpi

import (
	"context"
	"errors"

	"rhinet/collectives"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
)

// A launch is a collective call that does not block. The blocking call checks
// its arguments and would carry it out; a view of the communicator that has a
// launch has it prepared instead. Operations run on transports of their own,
// and what cannot be done at once is carried on by others: so they get on whatever
// the program does meanwhile (MPI 4.1, section 6.12), beside blocking calls.
//
// One that is begun once is used again for a later call on the communicator, with all that it has made: see launches.
type launch struct {
	call  string
	once  bool // it is begun at once, and once
	view  Comm // of the communicator
	group *collectives.Group
	quick quick
	op    *collectives.Op
	t     *collTransport // of its own; nil: it needed none yet, or another may still use it
	mark  uint32
	note  ir.Collective
	catch func(collectives.Call) error // made once, so that a call does not allocate

	script *script // of an inter-communicator, in the place of op

	first  operation
	latest *operation // nil: there was none

	// Of buffers of items: see asItems.
	direct       bool  // the call is carried out
	as           *elem // what the bytes are; nil: bytes
	pack, unpack func()

	// In a checked job:
	regions []region // what the call sends, and receives into
	flats   []*flat  // the buffers of items of which there are copies
}

// divert has the call that holds the lock of k be prepared.
func (l *launch) divert(k *collState) {
	if l.as != nil {
		k.swap(callSign((codeByte.short() ^ l.as.code.short()) << 9))
	}
	if l.direct || k.group == nil {
		return
	}
	l.group, l.quick = k.group, k.quick
	k.quick = quick{}
	k.t.call = l.call
	if l.catch == nil {
		l.catch = l.caught
	}
	k.group = l.group.Catcher(l.catch)
}

// caught prepares the call that has come to the group.
func (l *launch) caught(call collectives.Call) (err error) {
	call.Once = l.once
	if l.op, err = l.group.PrepareAgain(l.op, call); err == nil && l.view.w.Check {
		l.use(&call, l.group.Rank())
	}
	return err
}

// restore ends what divert began, with what the call's messages are marked with.
func (l *launch) restore(k *collState) {
	k.swap(0)
	if l.direct {
		return
	}
	if k.group != nil {
		l.group.Catcher(nil)
		k.group, k.quick = l.group, l.quick
	}
	l.mark, l.note = k.t.mark, k.t.note
}

// prepare prepares the call that f makes.
func (c *Comm) prepare(l *launch, f func(*Comm) error) (*launch, error) {
	if err := c.carried(at(l.call)); err != nil {
		return l, err
	}
	v := c
	if c != nil {
		l.view, v = *c, &l.view
		v.launch = l
	}
	err := f(v)
	if err == nil {
		return l, nil
	}
	var e *Error
	if errors.As(err, &e) {
		e.Call = l.call
	}
	return l, err
}

// begin starts the prepared operation.
func (l *launch) begin(c *Comm, s site) Request {
	c.coll.launches.out.Add(1)
	if l.t == nil {
		l.t = newLaunchTransport(c.base().core)
	}
	t := l.t
	t.ctx, t.call, t.mark, t.note = c.whole, l.call, l.mark, l.note
	if l.pack != nil {
		l.pack()
	}
	o := l.operation()
	o.c, o.site, o.t = c, s, t
	if o.launch = l; l.once {
		o.spare = l
	}
	r := c.request(s, &o.task)
	if len(l.regions) > 0 {
		c.w.requests.guardAll(r.p, l.regions)
	}
	if l.script == nil && o.carried(c.t.Carrier()) {
		t.op = o
		if l.op.Begin(t) {
			o.finish()
		} // else o is in other hands
		return r
	}
	if o.done = make(chan struct{}); l.script == nil && l.op.Begin(t) {
		o.finish()
	} else {
		go o.finish()
	}
	return r
}

// An operation is a launch under way: the task that completes its request. The transport carries it on, if it can:
// then no goroutine belongs to it, and whoever makes progress posts the next transfers, reduces what
// has come, with operations of the user too, and completes the request. Else a goroutine waits for its transfers.
type operation struct {
	task
	c       *Comm
	site    site
	launch  *launch
	t       *collTransport
	stepped bool        // Step has been called
	forget  func() bool // ends what has the end of a context end the operation; nil: nothing does
}

// operation returns what is to be one: of a persistent request that of the start before, unless
// somebody may still look at it.
func (l *launch) operation() *operation {
	o := l.latest
	switch {
	case o == nil:
		o = &l.first
	case o.done != nil || o.forget != nil:
		o = new(operation)
	default:
		if o.stepped {
			o.carrier.Join(&o.steps) // who has completed it may be about to say so
		}
		o.stepped = false
		o.over.Store(false)
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
	if !o.launch.op.Proceed() {
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
	if err != nil {
		err = o.c.failed(o.site, o.t.note.Turn, err)
	}
	o.end(emptyStatus(), err)
}

// finish waits for the operation and returns its error.
func (l *launch) finish(c *Comm, t *collTransport) error {
	var err error
	if l.script != nil {
		err = l.script.run(t)
	} else {
		err = l.op.Finish()
	}
	if err == nil {
		if l.unpack != nil {
			l.unpack()
		}
		c.coll.launches.out.Add(-1)
		return nil
	}
	l.t = nil // what may still use it has it
	c.coll.launches.out.Add(-1)
	if errors.Is(err, ErrCancelled) || t.broken != nil {
		c.state.CompareAndSwap(commOpen, commBroken)
	}
	return err
}

// nonblocking begins the call that f makes.
func (c *Comm) nonblocking(s site, f func(*Comm) error) *Request {
	l, err := c.prepare(c.launchOf(s.call), f)
	if err != nil && l.script == nil { // else the other ranks are told first
		return c.failedRequest(s, err)
	}
	r := l.begin(c, s)
	return &r
}

// launchOf is a launch of a call that is begun at once.
func (c *Comm) launchOf(call string) *launch {
	if c == nil {
		return &launch{call: call, once: true}
	}
	return c.coll.launches.take(call)
}

// persistent makes a persistent request of the call that f makes.
func (c *Comm) persistent(s site, f func(*Comm) error) (*Request, error) {
	l, err := c.prepare(&launch{call: s.call}, f)
	if err != nil {
		return nil, c.raise(err)
	}
	return c.repeat(s, func() Request { return l.begin(c, s) }), nil
}

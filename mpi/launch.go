package mpi

import (
	"errors"
	"slices"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A launch is a collective call that does not block. The blocking call checks its
// arguments and would then carry it out; on a view of the communicator that has a
// launch it is only prepared. Operations run on their own transports, and other
// goroutines advance what cannot be done at once: so they make progress whatever the
// program does meanwhile (MPI 4.1, section 6.12), beside blocking calls.
//
// A launch that is begun only once is used again, with its memory, for a later call on
// the communicator: see launches.
type launch struct {
	call  string
	once  bool // it is begun at once, and once
	view  Comm // of the communicator
	group *collectives.Group
	quick *quick
	op    *collectives.Op
	t     *collTransport // its own; nil: none needed yet, or an earlier operation may still use it
	mark  uint32
	note  ir.Collective
	catch func(*collectives.Call) error // made once, so that a call does not allocate

	exchange exchange
	way      way

	gives bool // this rank gives data to all others: see exchanger.leads

	script *script // of an inter-communicator, replaces op

	user     bool  // it has a user's operation
	panicked error // what that has done; nil: it has not

	first  operation
	latest *operation // nil: none yet

	// For buffers of items: see asItems.
	direct       bool  // the call is carried out
	as           *elem // element type of the bytes; nil: bytes
	item         int   // bytes of an item, if those of all ranks must be as long; else 0
	pack, unpack func()

	footprint // in a checked job
}

// A way is how the ranks of a prepared call reach each other.
type way uint8

const (
	byMessages way = iota // op, or the script
	byBoth                // exchange moves short parts, and op those that are too long for flags
	byParts               // exchange; other ranks may be byBoth
	byFlags               // exchange
)

// fromRoot are the kinds of calls in which only root gives data.
var fromRoot = []collectives.Kind{collectives.Bcast, collectives.Scatter, collectives.Scatterv}

// divert has the call that holds the lock of k prepared, not carried out.
func (l *launch) divert(k *collState) {
	if l.as != nil {
		k.swap(callSign((codeByte.short()^l.as.code.short())<<9), l.item)
	}
	if l.direct {
		if k.flats = l.flats; k.watches() {
			k.touchAll(l.regions...)
		}
		return
	}
	if k.group == nil {
		return
	}
	l.group, l.quick = k.group, k.quick
	k.quick = &k.none
	k.t.call = l.call
	if l.catch == nil {
		l.catch = l.caught
	}
	k.group = l.group.Catcher(l.catch)
}

// caught prepares the call that the group has been given.
func (l *launch) caught(call *collectives.Call) (err error) {
	call.Once = l.once
	l.way, l.gives = byMessages, call.Root == l.group.Rank() && slices.Contains(fromRoot, call.Kind)
	if k, e := l.view.coll.async, &l.exchange; k != nil && e.prepare(k, call) {
		if l.way = byFlags; e.share != 0 {
			l.way = byParts // byBoth if this rank has long parts
		}
		if !l.once {
			if reserved, err := e.reserve(); err != nil {
				return err
			} else if !reserved {
				l.way = byMessages
			}
		}
	}
	switch l.way {
	case byMessages:
		l.op, err = l.group.PrepareAgain(l.op, *call)
	case byParts:
		err = l.beside(call)
	}
	if err == nil && l.view.w.Check {
		l.use(call, l.group.Rank())
	}
	return err
}

// restore undoes divert, and keeps the marks of the call's messages.
func (l *launch) restore(k *collState) {
	k.swap(0, 0)
	if l.direct {
		k.flats = nil
		return
	}
	if k.group != nil {
		l.group.Catcher(nil)
		k.group, k.quick = l.group, l.quick
	}
	l.mark, l.note = k.t.mark, k.t.note
}

// directly carries out the call that f makes, for what l says of its buffers.
func (c *Comm) directly(l *launch, f func(*Comm) error) error {
	v := *c
	l.direct, v.launch = true, l
	return f(&v)
}

// prepare prepares the call that f makes.
func (c *Comm) prepare(l *launch, f func(*Comm) error) (*launch, error) {
	if l.t == nil { // else an earlier call was carried
		if err := c.carried(at(l.call)); err != nil {
			return l, err
		}
	}
	v := c
	if !c.isNull() {
		l.user = false
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
	if c.coll.history != nil {
		c.coll.launches.out.Add(1)
	}
	if l.t == nil {
		l.t = newLaunchTransport(c.base().core)
	}
	if l.gives {
		c.coll.x.gave()
	}
	t, o := l.t, l.operation()
	t.ctx, t.call, t.mark, t.note = c.whole, l.call, l.mark, l.note
	t.note.Flags = nil
	if l.pack != nil {
		l.pack()
	}
	o.c, o.site, o.t = c, s, t
	o.launch = l
	r := c.request(s, &o.task)
	if len(l.regions) > 0 {
		c.w.requests.guardAll(r.p, l.regions)
	}
	if l.script == nil {
		o.carrier = c.t.Carrier()
	}
	switch {
	case o.carrier != nil && l.way != byMessages:
		o.exchange()
	case o.carrier != nil:
		o.share()
		c.coll.began()
		t.op = o
		if l.start(t) {
			o.finish()
		} // else the transport advances o
	default:
		c.coll.began()
		if o.done = make(chan struct{}); l.script == nil && l.start(t) {
			o.finish()
		} else {
			attended := l.script != nil && c.w.Clock == nil
			if attended {
				t.call, o.attended = c.unattended(l.call), true
			}
			go func() {
				if o.finish(); attended { // by now o may belong to another call
					c.rouse()
				}
			}()
		}
	}
	return r
}

// nonblocking begins the call that f makes.
func (c *Comm) nonblocking(s site, f func(*Comm) error) Request {
	l, err := c.prepare(c.launchOf(s.call), f)
	if err != nil && l.script == nil { // else a script first tells the other ranks
		l.discard()
		return *c.failedRequest(s, err)
	}
	return l.begin(c, s)
}

// launchOf returns a launch of a call that is begun at once.
func (c *Comm) launchOf(call string) *launch {
	if c.isNull() {
		return &launch{call: call, once: true}
	}
	return c.coll.launches.take(call)
}

// persistent makes a persistent request for the call that f makes.
func (c *Comm) persistent(s site, f func(*Comm) error) (*Request, error) {
	l, err := c.prepare(&launch{call: s.call}, f)
	if err != nil {
		return nil, c.raise(err)
	}
	return l.repeat(c, s), nil
}

// repeat makes a persistent request for the prepared operation.
func (l *launch) repeat(c *Comm, s site) *Request {
	r := c.repeat(s, func() Request { return l.begin(c, s) })
	r.repeated().launch = l
	return r
}

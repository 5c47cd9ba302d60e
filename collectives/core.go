package collectives

import (
	"fmt"
	"runtime"
)

// A Group runs collective operations for one process of a group. Only one goroutine at
// a time may call its methods, and in the same order on all ranks.
//
// The error of a call is either a mistake in its arguments, which wraps one of the Err
// values of this package and moves no byte, or the first error of the transport. After
// an error results are undefined, but the call has made its communication with other
// ranks.
type Group struct {
	t        Transport
	exchange Exchange // nil if the transport has none
	awaiter  Awaiter  // nil if the transport is not one

	controller Controller // nil if the transport has none
	folding    Folding    // nil if the transport is not one
	receiver   Receiver   // nil if the transport is not one
	abandoning Abandoning // nil if the transport is not one

	rank, size     int
	width          int // transfers that one execution may have in progress
	exchangeMax    int
	switched       Exchange // nil if the transport is not a Switched
	switchMax      int
	trading        Exchange // of the exchange in progress
	plainBarrier   bool     // a barrier is an empty exchange
	oversubscribed bool
	hosts          *hostMap // nil: hosts are not used
	forced         [numKinds]*row
	preferred      []preference
	plans          planCache
	x              execution // of blocking calls
	scratch        []byte    // of blocking calls
	sequence       uint32    // blocking calls so far
	prepared       uint32    // calls to Prepare so far
	ops            opQueue
	first, last    int         // slots that poll waits for
	waitErr        error       // what poll found
	poll           func() bool // made once, like pollExchange, so that waiting does not allocate
	pollExchange   func() bool
	pollBarrier    func() bool
	barrier        int               // the barrier that pollBarrier waits for
	catch          func(*Call) error // of a Catcher
	caught         Call              // the call that catch is given: it is long, and not allocated
	catcher        *Group            // nil: not made yet
}

// New makes the group of the processes that t connects. The error is an unknown
// algorithm in o, or a transport that cannot work.
func New(t Transport, o Options) (*Group, error) {
	forced, err := forcedRows(o.Force)
	if err != nil {
		return nil, err
	}
	if t.Slots() < MinSlots {
		return nil, fmt.Errorf("collectives: the transport has %d slots, %d are needed", t.Slots(), MinSlots)
	}
	preferred, err := o.preferences(t.Size())
	if err != nil {
		return nil, err
	}
	if o.Hosts != nil && len(o.Hosts) != t.Size() {
		return nil, fmt.Errorf("collectives: the hosts of %d ranks are named, there are %d", len(o.Hosts), t.Size())
	}
	g := &Group{t: t, hosts: newHostMap(o.Hosts), preferred: preferred, rank: t.Rank(), size: t.Size(), oversubscribed: o.Oversubscribed, forced: forced}
	// The lower half of the slots serves blocking calls, the upper half the others.
	g.width = t.Slots() / 2
	g.ops.used = make([]bool, t.Slots()-g.width)
	if e, ok := t.(Exchange); ok && e.ExchangeBytes() > 0 {
		g.exchange, g.exchangeMax = e, e.ExchangeBytes()
	}
	if s, ok := t.(Switched); ok {
		if e := s.Switch(); e != nil {
			g.switched, g.switchMax = e, e.ExchangeBytes()
		}
	}
	g.awaiter, _ = t.(Awaiter)
	g.folding, _ = t.(Folding)
	g.receiver, _ = t.(Receiver)
	g.abandoning, _ = t.(Abandoning)
	g.controller = controllerOf(t)
	g.poll, g.pollExchange, g.pollBarrier = g.pollSlots, g.testExchange, g.testBarrier
	plain := g.choose(shape{kind: Barrier})
	g.plainBarrier = plain.exchange != nil && plain.needs&switched == 0
	return g, nil
}

// Rank is this process's rank in the group.
func (g *Group) Rank() int { return g.rank }

// Size is the number of processes in the group.
func (g *Group) Size() int { return g.size }

// run makes a blocking call.
func (g *Group) run(c *Call) error {
	if g.catch != nil {
		g.caught = *c
		err := g.catch(&g.caught)
		g.caught = Call{} // so that it keeps no buffers
		return err
	}
	g.sequence++
	s, in, out, err := g.check(c)
	if err != nil {
		return err
	}
	p := g.plan(s, c)
	if p.sched.scratch > len(g.scratch) {
		g.scratch = make([]byte, p.sched.scratch)
	}
	x := &g.x
	x.sched, x.pc, x.open, x.err, x.abandoned = p.sched, 0, 0, nil, false
	x.tag, x.reducer = g.tag(), c.Reducer
	x.bufs[bufIn], x.bufs[bufOut], x.bufs[bufTmp] = in, out, g.scratch
	x.advance(g, true)
	x.release()
	if len(g.scratch) > scratchKept || x.abandoned {
		g.scratch = nil
	}
	return x.err
}

// Passed counts a call that this rank has made directly by the exchange, bypassing the
// group. Other ranks may make it on theirs.
func (g *Group) Passed() { g.sequence++ }

// tag is the tag of the messages of the blocking call in progress.
func (g *Group) tag() int { return int(g.sequence) & (firstPrepared - 1) }

// wait completes transfers of a blocking call. It also makes progress on outstanding
// operations: another rank may need them before it comes to this call.
func (g *Group) wait(first, last int) error {
	if len(g.ops.active) == 0 {
		return g.t.Wait(first, last)
	}
	g.first, g.last, g.waitErr = first, last, nil
	g.await(g.poll)
	return g.waitErr
}

func (g *Group) pollSlots() bool {
	done, err := g.t.Test(g.first, g.last)
	g.waitErr = err
	if !done {
		g.Progress()
	}
	return done
}

// trade makes an exchange, with progress like wait.
func (g *Group) trade(e Exchange, f Flow, root int, in, out []byte) error {
	if len(g.ops.active) == 0 {
		return e.Exchange(f, root, in, out)
	}
	if err := e.ExchangeStart(f, root, in, out); err != nil {
		return err
	}
	g.trading = e
	g.await(g.pollExchange)
	return g.waitErr
}

func (g *Group) testExchange() bool {
	done, err := g.trading.ExchangeTest()
	g.waitErr = err
	if !done {
		g.Progress()
	}
	return done
}

// controllerOf returns the barrier controllers of the group that t connects, if there
// are any.
func controllerOf(t Transport) Controller {
	if c, ok := t.(Controller); ok && c.Controls() {
		return c
	}
	return nil
}

// leave waits for the end of a barrier, with progress like wait.
func (g *Group) leave(barrier int) error {
	if len(g.ops.active) == 0 {
		_, err := g.controller.Left(barrier, true)
		return err
	}
	g.barrier = barrier
	g.await(g.pollBarrier)
	return g.waitErr
}

func (g *Group) testBarrier() bool {
	done, err := g.controller.Left(g.barrier, false)
	g.waitErr = err
	if !done {
		g.Progress()
	}
	return done
}

func (g *Group) await(done func() bool) {
	if g.awaiter != nil {
		g.awaiter.Await(done)
		return
	}
	for !done() {
		runtime.Gosched()
	}
}

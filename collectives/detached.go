package collectives

// Catcher returns a Group whose methods pass their calls to catch, unchecked, instead
// of carrying them out: for [Group.Prepare], so that a call need not be written twice.
// The call is valid until catch returns.
// Only the methods that are named like operations may be called, until Catcher is
// called again.
func (g *Group) Catcher(catch func(*Call) error) *Group {
	if g.catcher == nil {
		g.catcher = &Group{t: g.t, rank: g.rank, size: g.size}
	}
	g.catcher.catch = catch
	return g.catcher
}

// Begin starts the operation on a transport of its own, which connects the same
// processes, and goes as far as it can without waiting. It reports whether the
// operation is complete; otherwise Proceed continues when the transport says that it
// can, or Finish waits. From Begin on the operation does not use its Group, and any one
// goroutine at a time may advance it, beside others. It may be begun again when it is
// complete.
//
// The last action of Begin and Proceed is a Test, or a test of a barrier, that returns
// false: from then on another goroutine may be at work.
//
// MPI 4.1, sections 6.12 and 6.13.
func (o *Op) Begin(t Transport) bool {
	if o.alone == nil {
		o.alone = &Group{rank: o.g.rank, size: o.g.size}
	}
	if o.alone.t != t {
		o.alone.t, o.alone.controller = t, controllerOf(t)
		o.alone.folding, _ = t.(Folding)
		o.alone.abandoning, _ = t.(Abandoning)
	}
	o.ready()
	return o.x.advance(o.alone, false)
}

// Proceed continues an operation that was begun, as far as it can without waiting, and
// reports whether it is complete.
func (o *Op) Proceed() bool { return o.x.advance(o.alone, false) }

// Finish waits for the end of an operation that was begun and returns its error; the
// operation may already be complete.
func (o *Op) Finish() error {
	o.x.advance(o.alone, true)
	return o.x.err
}

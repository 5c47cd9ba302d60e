package collectives

// Catcher returns a Group whose methods hand their calls to catch, unchecked,
// instead of carrying them out: for [Group.Prepare], so that a call need not be
// spelled twice. Only its methods that are named like operations may be called.
func (g *Group) Catcher(catch func(Call) error) *Group {
	return &Group{t: g.t, rank: g.rank, size: g.size, catch: catch}
}

// Begin starts the operation on a transport of its own, which connects the
// same processes, and goes as far as it can without waiting. It reports
// whether the operation is complete; Finish completes it otherwise. From Begin
// on the operation needs nothing of its Group, and any one goroutine at a time
// may carry it on, beside others. It may be begun again when it is complete.
//
// MPI 4.1, sections 6.12 and 6.13.
func (o *Op) Begin(t Transport) bool {
	o.alone = &Group{t: t, controller: controllerOf(t), rank: o.g.rank, size: o.g.size}
	o.x = execution{sched: o.plan.sched, tag: o.tag, reducer: o.call.Reducer}
	o.x.bufs = [numBufs][]byte{o.in, o.out, o.tmp}
	return o.x.advance(o.alone, false)
}

// Finish waits for the end of an operation that was begun and returns its
// error, also of one that is complete.
func (o *Op) Finish() error {
	o.x.advance(o.alone, true)
	return o.x.err
}

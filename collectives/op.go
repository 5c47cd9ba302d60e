package collectives

// An Op is a prepared call, which can be started any number of times: a persistent
// operation, or a nonblocking one that is started once. Only the goroutine that calls
// the Group's methods may call its methods.
type Op struct {
	g       *Group
	reducer Reducer
	plan    *plan
	x       execution
	slots   int // reserved while running
	active  bool
	posted  bool // it has its slots
	tag     int
	in      []byte
	out     []byte
	tmp     []byte
	done    func() bool
	alone   *Group // of Begin
}

// opQueue holds the started operations in the order of their starts, and which of the
// slots above the group's width are in use.
type opQueue struct {
	active []*Op
	used   []bool
}

// Prepare readies a call for [Op.Start]. All ranks must prepare the same calls in the
// same order among their other calls on the group. The buffers belong to the call while
// it is started. An error is a mistake in c's arguments.
//
// Prepared calls may be started in different orders on different ranks, but an
// [Exchange] makes one step after the other. So they only use messages, while blocking
// calls may use exchanges. A [Controller] keeps several barriers, in one order: it
// serves prepared barriers that are started once.
//
// MPI 4.1, sections 6.12 and 6.13.
func (g *Group) Prepare(c Call) (*Op, error) { return g.PrepareAgain(nil, c) }

// PrepareAgain is Prepare that uses o, a complete operation that has been released, and
// its memory again. If o is nil, it is Prepare.
func (g *Group) PrepareAgain(o *Op, c Call) (*Op, error) {
	tag := g.Omit()
	s, in, out, err := g.check(&c)
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = &Op{}
	}
	s.prepared, s.once = true, c.Once
	o.g, o.reducer, o.in, o.out, o.plan = g, c.Reducer, in, out, g.plan(s, &c)
	o.tag = tag
	if n := o.plan.sched.scratch; n <= cap(o.tmp) {
		o.tmp = o.tmp[:n]
	} else {
		o.tmp = make([]byte, n)
	}
	return o, nil
}

// Omit counts a call that other ranks prepare, and in whose messages this rank takes no
// part. It returns the tag of these messages.
func (g *Group) Omit() (tag int) {
	g.prepared++
	return firstPrepared + int(g.prepared%(MaxTag+1-firstPrepared))
}

// Tag returns the tag of the operation's messages.
func (o *Op) Tag() int { return o.tag }

// Release drops the references to the caller's buffers, and frees temporary memory if
// there is too much of it: with each of the other operations that are kept, half as
// much may be kept.
func (o *Op) Release(others int) {
	o.x.release()
	o.in, o.out, o.reducer = nil, nil, nil
	if cap(o.tmp) > scratchKept>>others || o.x.abandoned {
		o.tmp, o.x.bufs[bufTmp] = nil, nil
	}
}

// Start starts the operation; Test or Wait complete it. It does not block. The error is
// ErrActive if it has been started already.
func (o *Op) Start() error {
	if o.active {
		return ErrActive
	}
	o.ready()
	o.active, o.posted, o.slots = true, false, o.plan.sched.width
	o.g.ops.active = append(o.g.ops.active, o)
	o.g.Progress()
	return nil
}

// ready readies an execution from the beginning.
func (o *Op) ready() {
	if o.x.abandoned {
		o.tmp = make([]byte, len(o.tmp))
	}
	o.x = execution{sched: o.plan.sched, tag: o.tag, reducer: o.reducer}
	o.x.bufs = [numBufs][]byte{o.in, o.out, o.tmp}
}

// Test reports whether the operation is complete, with its error. An operation
// that was never started is complete.
func (o *Op) Test() (bool, error) {
	if o.active {
		o.g.Progress()
	}
	return !o.active, o.x.err
}

// Wait completes the operation and returns its error.
func (o *Op) Wait() error {
	if o.active {
		if o.done == nil { // made once, so that waiting does not allocate
			o.done = func() bool { o.g.Progress(); return !o.active }
		}
		o.g.await(o.done)
	}
	return o.x.err
}

// Progress advances all started operations as far as possible without waiting. It
// allocates nothing.
func (g *Group) Progress() {
	q := &g.ops
	live := q.active[:0]
	blocked := false // operations behind one without slots keep their order
	for _, o := range q.active {
		if !o.posted && !blocked {
			o.posted = q.reserve(o, g.width)
			blocked = !o.posted
		}
		if o.posted && o.x.advance(g, false) {
			q.free(o, g.width)
			o.active = false
			continue
		}
		live = append(live, o)
	}
	clear(q.active[len(live):])
	q.active = live
}

// reserve finds a run of free slots for o.
func (q *opQueue) reserve(o *Op, base int) bool {
	run := 0
	for i := 0; i <= len(q.used); i++ {
		if run == o.slots {
			o.x.slot = base + i - run
			q.mark(i-run, i, true)
			return true
		}
		if i < len(q.used) && !q.used[i] {
			run++
		} else {
			run = 0
		}
	}
	return false
}

func (q *opQueue) free(o *Op, base int) {
	q.mark(o.x.slot-base, o.x.slot-base+o.slots, false)
}

func (q *opQueue) mark(from, to int, used bool) {
	for i := from; i < to; i++ {
		q.used[i] = used
	}
}

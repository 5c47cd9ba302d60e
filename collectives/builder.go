package collectives

// A builder is passed to an algorithm, which appends its steps. It knows the shape of
// the call and this rank's place in the group.
type builder struct {
	shape
	rank, size  int
	width       int                          // transfers that may be in progress at once
	exchangeMax int                          // bytes that one rank may send in an exchange
	switchMax   int                          // the same in an exchange of the network's switches
	hosts       *hostMap                     // for rows that need several hosts
	plain       func(s shape, size int) *row // the algorithm for a stage of such a row

	// Of a stage: the ranks of the group that take part, and its buffers.
	ranks    []int
	from, to region

	// Counts and displacements in elements of shape.elem, for the operations that have
	// them.
	scounts, sdispls, rcounts, rdispls []int

	sched schedule
	open  int
}

// in and out are the whole buffers of the caller, for operations with one buffer per
// rank, or the buffers of a stage.
func (b *builder) in() region {
	if b.ranks != nil {
		return b.from
	}
	return region{bufIn, 0, b.bytes}
}

func (b *builder) out() region {
	if b.ranks != nil {
		return b.to
	}
	return region{bufOut, 0, b.bytes}
}

// inBlock and outBlock are rank i's block of buffers with one block per rank.
func (b *builder) inBlock(i int) region  { return region{bufIn, i * b.bytes, b.bytes} }
func (b *builder) outBlock(i int) region { return region{bufOut, i * b.bytes, b.bytes} }

// inPart and outPart are rank i's part of buffers with counts.
func (b *builder) inPart(i int) region {
	off, n := place(b.scounts, b.sdispls, b.elem, i)
	return region{bufIn, off, n}
}

func (b *builder) outPart(i int) region {
	off, n := place(b.rcounts, b.rdispls, b.elem, i)
	return region{bufOut, off, n}
}

// scratch returns fresh temporary memory, aligned to a cache line.
func (b *builder) scratch(n int) region {
	r := region{bufTmp, b.sched.scratch, n}
	b.sched.scratch += (n + 63) &^ 63
	return r
}

// send and recv post a transfer. Empty transfers are omitted, on both sides.
func (b *builder) send(r region, dst int) {
	if r.n > 0 {
		b.post(opSend, r, dst)
	}
}

func (b *builder) recv(r region, src int) {
	if r.n > 0 {
		b.post(opRecv, r, src)
	}
}

// sendAny and recvAny also post empty transfers, for calls in which the length at the
// peer may differ by mistake.
func (b *builder) sendAny(r region, dst int) { b.post(opSend, r, dst) }
func (b *builder) recvAny(r region, src int) { b.post(opRecv, r, src) }

// signal and await post empty messages.
func (b *builder) signal(dst int) { b.post(opSend, region{buf: bufTmp}, dst) }
func (b *builder) await(src int)  { b.post(opRecv, region{buf: bufTmp}, src) }

func (b *builder) post(op stepOp, r region, peer int) {
	if r.n < b.least {
		return // on both sides, which know the same length
	}
	b.room(1)
	if b.ranks != nil {
		peer = b.ranks[peer]
	}
	b.sched.steps = append(b.sched.steps, step{op: op, peer: int32(peer), a: r})
	b.open++
	b.sched.width = max(b.sched.width, b.open)
}

// wait ends a round.
func (b *builder) wait() {
	if b.open > 0 {
		b.sched.steps = append(b.sched.steps, step{op: opWait})
		b.open = 0
	}
}

// room ends the round if it has no room for k more transfers. Where ranks send to and
// receive from each other in one round, all ranks must post in the same order of
// distances and ask for room for the two transfers of a distance together: then every
// round can complete.
func (b *builder) room(k int) {
	if b.open+k > b.width {
		b.wait()
	}
}

// copy copies src to dst of equal length.
func (b *builder) copy(dst, src region) {
	if src.n >= max(b.least, 1) && dst != src {
		b.sched.steps = append(b.sched.steps, step{op: opCopy, a: src, b: dst})
	}
}

// reduce sets inout = in op inout.
func (b *builder) reduce(in, inout region) {
	if in.n > 0 {
		for i := len(b.sched.steps) - 1; i >= 0 && b.sched.steps[i].op != opReduce; i-- {
			if s := &b.sched.steps[i]; s.op == opRecv && (s.a.meets(in) || s.a.meets(inout)) {
				s.op = opRecvFold
			}
		}
		b.sched.steps = append(b.sched.steps, step{op: opReduce, a: in, b: inout})
	}
}

// exchange sends in to other ranks, and fills out with their data; b.root is the root.
func (b *builder) exchange(f Flow, in, out region) {
	b.sched.steps = append(b.sched.steps, step{op: opExchange, flow: f, peer: int32(b.root), a: in, b: out})
}

// control appends a barrier of the barrier controllers.
func (b *builder) control() {
	b.sched.steps = append(b.sched.steps, step{op: opEnter}, step{op: opLeave})
}

// meet is exchange by the network's switches.
func (b *builder) meet(f Flow, in, out region) {
	b.sched.steps = append(b.sched.steps, step{op: opSwitch, flow: f, peer: int32(b.root), a: in, b: out})
}

// mod is i modulo the group's size, also for small negative i.
func (b *builder) mod(i int) int { return (i + b.size) % b.size }

// cut returns offset and length of piece i of n bytes cut into p pieces of whole
// elements, as equal as possible.
func (b *builder) cut(n, p, i int) (off, length int) {
	elems := n / b.elem
	lo, hi := elems*i/p, elems*(i+1)/p
	return lo * b.elem, (hi - lo) * b.elem
}

// piece is piece i of r, cut for the whole group.
func (b *builder) piece(r region, i int) region {
	off, n := b.cut(r.n, b.size, i)
	return r.sub(off, n)
}

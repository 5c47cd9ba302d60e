package mpi

import (
	"cmp"
	"fmt"
	"slices"

	"rhinet/collectives"
)

// Collective calls on inter-communicators (MPI 4.1, section 6.2.2). Each consists of a
// few calls among some ranks of both groups, one after the other: a Bcast is one among
// the root and the other group. All ranks make these in the same order, so no two wait
// for each other, and each has its own tag, so that different ones never match.

// A script is such a call, ready to be made, several times if it is persistent.
type script struct {
	c     *Comm
	tag   int
	steps []scriptStep
	err   error      // why the script cannot be made
	wrong error      // a mistake of the caller in a call with a root, which all ranks are told
	mine  []rootArgs // in a call with a root
	mark  uint32     // of the call, without elements and operation
}

// A scriptStep is a call among some ranks.
type scriptStep struct {
	op    *collectives.Op // nil: then is called instead
	ranks []int           // of the communicator of both groups
	rank  int             // of this process among them
	tag   int
	mark  uint32       // replaces that of the call, if not 0
	then  func() error // if it fails, it fails on all ranks and ends the call
}

// The tags of scripts, which are those of neighborhood calls, since an
// inter-communicator has none: number of the call, number of the step.
const (
	stepBits    = 3
	scriptCalls = neighborTag >> stepBits
)

// newScript begins the script of the call in progress, and signs it. A rank that passes
// ProcNull knows only the name of the call, so only the name counts in the signs of
// later calls.
func (c *Comm) newScript(k callCode, typ typeCode, op uint32) *script {
	q := &c.coll
	s := makeSign(k, typ, op) ^ q.over
	rest := callSign(q.before) &^ (1<<15 - 1)
	q.t.note.Sign, q.t.mark = uint32(s^rest), uint32(s^rest)
	q.t.note.Turn++
	q.before = (q.before ^ uint32(k)) * 0x9e3779b1
	q.scripts++
	return &script{
		c: c, tag: groupTag | neighborTag | int(q.scripts)%scriptCalls<<stepBits,
		mark: uint32(makeSign(k, 0, 0) ^ rest),
	}
}

// among adds a call among some ranks.
func (x *script) among(ranks []int, call collectives.Call) {
	tag := x.tag
	x.tag++
	all := x.c.inter.all
	me := slices.Index(ranks, all.rank)
	if me < 0 || x.err != nil {
		return
	}
	p := scriptStep{ranks: ranks, rank: me, tag: tag}
	g, err := collectives.New(p.on(all.coll.t), x.c.worldOptions())
	if err == nil {
		p.op, err = g.Prepare(call)
	}
	x.err = err
	x.steps = append(x.steps, p)
}

// own is among for a call on buffers of the program.
func (x *script) own(ranks []int, call collectives.Call) {
	x.among(ranks, call)
	if me := slices.Index(ranks, x.c.inter.all.rank); me >= 0 && x.err == nil {
		x.note(func(m *footprint) { m.use(&call, me) })
	}
}

// uses records buffers of the program of which the calls among ranks have copies.
func (x *script) uses(send, recv []byte) {
	x.note(func(m *footprint) { m.both(send, recv, true) })
}

// note has record tell the memory that the call uses, in a checked job: a call that is
// only prepared keeps it for its request.
func (x *script) note(record func(*footprint)) {
	k, l := &x.c.coll, x.c.launch
	switch {
	case l != nil && !l.direct && x.c.w.Check:
		record(&l.footprint)
	case k.watch:
		m := footprint{flats: k.flats}
		record(&m)
		k.touchAll(m.regions...)
	}
}

// then adds a function that this rank calls.
func (x *script) then(f func()) {
	x.steps = append(x.steps, scriptStep{then: func() error { f(); return nil }})
}

// on returns the transport among the ranks of a step.
func (p *scriptStep) on(t *collTransport) *groupTransport {
	return &groupTransport{collTransport: t, ranks: p.ranks, rank: p.rank, tag: p.tag}
}

// play makes the call, or gives the script to the launch that prepares it.
func (x *script) play() error {
	if x.err != nil {
		return x.err
	}
	if x.wrong != nil {
		x.mine[0].Wrong = 1 + int32(classOf(x.wrong))
	}
	if l := x.c.launch; l != nil && !l.direct {
		l.script = x
		return x.wrong
	}
	return x.run(x.c.coll.t)
}

// run makes the call. If a step fails, the further ones are still made, since other
// ranks wait for them.
func (x *script) run(t *collTransport) (failed error) {
	for i := range x.steps {
		p := &x.steps[i]
		if p.then != nil && failed == nil {
			if err := p.then(); err != nil {
				return err
			}
		}
		if p.then != nil {
			continue
		}
		if err := p.run(t); failed == nil {
			failed = err
		}
	}
	return failed
}

// run makes the call of a step.
func (p *scriptStep) run(t *collTransport) error {
	if p.mark != 0 {
		defer func(mark uint32) { t.mark = mark }(t.mark)
		t.mark = p.mark
	}
	p.op.Begin(p.on(t))
	return p.op.Finish()
}

// isRoot reports whether this rank is the root of a call that gives root.
func (c *Comm) isRoot(root int) bool {
	if c.inter != nil {
		return root == Root
	}
	return c.rank == root
}

// apart returns the error of buffers that overlap in a call that cannot be in place.
func apart(a, b []byte) error {
	if overlap(a, b) {
		return &Error{Class: ErrBuffer, text: "the buffers overlap; on an inter-communicator they must be apart"}
	}
	return nil
}

// wrong is the error of a mistake in the arguments.
func wrong(class Class, format string, args ...any) error {
	return &Error{Class: class, text: fmt.Sprintf(format, args...)}
}

// uneven is the error of n elements that are not equal parts for the ranks of a group,
// or nil.
func uneven(name string, n, size int) error {
	if n%size == 0 {
		return nil
	}
	return wrong(ErrCount, "%s has %d elements, which cannot be cut into equal parts for %d ranks", name, n, size)
}

func (c *Comm) interBarrier() error {
	x := c.newScript(callBarrier, 0, 0)
	x.among(span{0, c.inter.all.size}.ranks(), collectives.Call{Kind: collectives.Barrier})
	return x.play()
}

func (c *Comm) interBcast(e *elem, buf []byte, root int) error {
	x, k := c.rooted(callBcast, e.code, 0, root)
	x.own(k.ranks, collectives.Call{Kind: collectives.Bcast, Recv: buf})
	return x.play()
}

// fromFar returns counts or displacements of the other group behind an entry for the
// root, which has no part.
func fromFar(n []int) []int {
	if n == nil {
		return nil
	}
	return append([]int{0}, n...)
}

func (c *Comm) interGather(e *elem, send, recv []byte, root int) error {
	x, k := c.rooted(callGather, e.code, 0, root)
	if !k.mine {
		x.own(k.ranks, collectives.Call{Kind: collectives.Gatherv, Send: send, Elem: 1})
		return x.play()
	}
	if x.wrong = uneven("recv", len(recv)/e.size, c.size); x.wrong != nil {
		return x.play()
	}
	x.own(k.ranks, collectives.Call{Kind: collectives.Gatherv, Recv: recv, Elem: 1, RecvCounts: fromFar(slices.Repeat([]int{len(recv) / c.size}, c.size))})
	return x.play()
}

func (c *Comm) interGatherv(e *elem, send, recv []byte, counts, displs []int, root int) error {
	x, k := c.rooted(callGatherv, e.code, 0, root)
	if !k.mine {
		x.own(k.ranks, collectives.Call{Kind: collectives.Gatherv, Send: send, Elem: e.size})
		return x.play()
	}
	if class, text := misplaced(c.size, len(recv)/e.size, counts, displs); text != "" {
		x.wrong = wrong(class, "recv: %s", text)
		return x.play()
	}
	x.own(k.ranks, collectives.Call{Kind: collectives.Gatherv, Recv: recv, Elem: e.size, RecvCounts: fromFar(counts), RecvDispls: fromFar(displs)})
	return x.play()
}

func (c *Comm) interScatter(e *elem, send, recv []byte, root int) error {
	x, k := c.rooted(callScatter, e.code, 0, root)
	if !k.mine {
		x.own(k.ranks, collectives.Call{Kind: collectives.Scatterv, Recv: recv, Elem: 1})
		return x.play()
	}
	if x.wrong = uneven("send", len(send)/e.size, c.size); x.wrong != nil {
		return x.play()
	}
	x.own(k.ranks, collectives.Call{Kind: collectives.Scatterv, Send: send, Elem: 1, SendCounts: fromFar(slices.Repeat([]int{len(send) / c.size}, c.size))})
	return x.play()
}

func (c *Comm) interScatterv(e *elem, send []byte, counts, displs []int, recv []byte, root int) error {
	x, k := c.rooted(callScatterv, e.code, 0, root)
	if !k.mine {
		x.own(k.ranks, collectives.Call{Kind: collectives.Scatterv, Recv: recv, Elem: e.size})
		return x.play()
	}
	if class, text := c.misread(c.size, len(send)/e.size, counts, displs); text != "" {
		x.wrong = wrong(class, "send: %s", text)
		return x.play()
	}
	x.own(k.ranks, collectives.Call{Kind: collectives.Scatterv, Send: send, Elem: e.size, SendCounts: fromFar(counts), SendDispls: fromFar(displs)})
	return x.play()
}

// groups returns the two groups in their order.
func (x *inter) groups() (first, second span) {
	if x.own.from == 0 {
		return x.own, x.far
	}
	return x.far, x.own
}

func (c *Comm) interAllgather(e *elem, send, recv []byte) error {
	if err := uneven("recv", len(recv)/e.size, c.size); err != nil {
		return err
	}
	x := c.newScript(callAllgather, e.code, 0)
	return c.allgatherAcross(x, 1, send, recv, slices.Repeat([]int{len(recv) / c.size}, c.size), nil)
}

func (c *Comm) interAllgatherv(e *elem, send, recv []byte, counts, displs []int) error {
	if class, text := misplaced(c.size, len(recv)/e.size, counts, displs); text != "" {
		return wrong(class, "recv: %s", text)
	}
	x := c.newScript(callAllgatherv, e.code, 0)
	return c.allgatherAcross(x, e.size, send, recv, counts, displs)
}

// allgatherAcross has rank 0 of each group gather the parts of the other group and
// broadcast them in its own.
func (c *Comm) allgatherAcross(x *script, unit int, send, recv []byte, counts, displs []int) error {
	if touches(send, recv, counts, displs, unit, true) {
		return apart(send, recv)
	}
	x.note(func(m *footprint) {
		m.region(send, false)
		m.parts(recv, counts, displs, unit, true)
	})
	packed := make([]byte, offset(counts, nil, c.size)*unit)
	if displs == nil {
		packed = recv[:len(packed)]
	}
	first, second := c.inter.groups()
	for _, way := range []struct{ from, to span }{{first, second}, {second, first}} {
		call := collectives.Call{Kind: collectives.Gatherv, Send: send, Elem: unit}
		if c.inter.own == way.to && c.rank == 0 {
			call.Send, call.Recv, call.RecvCounts = nil, packed, fromFar(counts)
		}
		x.among(append([]int{way.to.from}, way.from.ranks()...), call)
	}
	x.among(c.inter.own.ranks(), collectives.Call{Kind: collectives.Bcast, Recv: packed})
	if displs != nil {
		x.then(func() {
			at := 0
			for i, n := range counts {
				copy(recv[displs[i]*unit:], packed[at:at+n*unit])
				at += n * unit
			}
		})
	}
	return x.play()
}

func (c *Comm) interAlltoall(e *elem, send, recv []byte) error {
	if err := cmp.Or(uneven("send", len(send)/e.size, c.size), uneven("recv", len(recv)/e.size, c.size)); err != nil {
		return err
	}
	each := func(b []byte) []int { return slices.Repeat([]int{len(b) / c.size}, c.size) }
	return c.alltoallAcross(c.newScript(callAlltoall, e.code, 0), 1, send, each(send), nil, recv, each(recv), nil)
}

func (c *Comm) interAlltoallv(e *elem, send []byte, scounts, sdispls []int, recv []byte, rcounts, rdispls []int) error {
	if class, text := misplaced(c.size, len(recv)/e.size, rcounts, rdispls); text != "" {
		return wrong(class, "recv: %s", text)
	}
	if class, text := misfit(c.size, len(send)/e.size, scounts, sdispls); text != "" {
		return wrong(class, "send: %s", text)
	}
	return c.alltoallAcross(c.newScript(callAlltoallv, e.code, 0), e.size, send, scounts, sdispls, recv, rcounts, rdispls)
}

// alltoallAcross is an exchange of all ranks, in which ranks of one group send nothing
// to each other.
func (c *Comm) alltoallAcross(x *script, unit int, send []byte, scounts, sdispls []int, recv []byte, rcounts, rdispls []int) error {
	if text := mingledIn(unit, send, scounts, sdispls, recv, rcounts, rdispls, false); text != "" {
		return wrong(ErrBuffer, "%s", text)
	}
	if sameStart(send, recv) {
		return wrong(ErrBuffer, "send and recv begin with the same element, as in a call in place, which an inter-communicator does not have; begin one of them at its first part")
	}
	spread := func(n []int) []int {
		if n == nil {
			return nil
		}
		all := make([]int, c.inter.all.size)
		copy(all[c.inter.far.from:], n)
		return all
	}
	x.own(span{0, c.inter.all.size}.ranks(), collectives.Call{
		Kind: collectives.Alltoallv, Elem: unit,
		Send: send, SendCounts: spread(scounts), SendDispls: spread(sdispls),
		Recv: recv, RecvCounts: spread(rcounts), RecvDispls: spread(rdispls),
	})
	return x.play()
}

func (c *Comm) interReduce(r *reducer, in, out []byte, root int) error {
	x, k := c.rooted(callReduce, r.typ, r.code, root)
	if k.root == Undefined {
		return x.play()
	}
	result := out
	if k.takes {
		x.uses(in, nil)
		result = make([]byte, len(in))
	} else {
		x.uses(nil, out)
	}
	x.among(k.ranks[1:], collectives.Call{Kind: collectives.Reduce, Send: in, Recv: result, Reducer: r})
	x.among([]int{k.ranks[1], k.root}, collectives.Call{Kind: collectives.Bcast, Recv: result})
	return x.play()
}

// reduceAcross combines the buffers of the ranks of each group. result is, at rank 0 of
// a group, the result of the other group, which goes to out in the end.
func (c *Comm) reduceAcross(x *script, r *reducer, in, out []byte) (result []byte) {
	x.uses(in, out)
	first, second := c.inter.groups()
	both := make([]byte, 2*len(in))
	own, far := both[:len(in)], both[len(in):]
	if c.inter.own != first {
		own, far = far, own
	}
	x.among(c.inter.own.ranks(), collectives.Call{Kind: collectives.Reduce, Send: in, Recv: own, Reducer: r})
	x.among([]int{first.from, second.from}, collectives.Call{Kind: collectives.Allgather, Send: own, Recv: both})
	return far
}

func (c *Comm) interAllreduce(r *reducer, in, out []byte) error {
	if len(in) != len(out) {
		return wrong(ErrCount, "in has %d elements and out %d; they must be equally long", len(in)/r.size, len(out)/r.size)
	}
	if err := apart(in, out); err != nil {
		return err
	}
	x := c.newScript(callAllreduce, r.typ, r.code)
	far := c.reduceAcross(x, r, in, out)
	if c.rank == 0 {
		x.then(func() { copy(out, far) })
	}
	x.among(c.inter.own.ranks(), collectives.Call{Kind: collectives.Bcast, Recv: out})
	return x.play()
}

func (c *Comm) interReduceScatterBlock(r *reducer, in, out []byte) error {
	if len(in) != len(out)*c.Size() {
		return wrong(ErrCount, "in has %d elements, out of %d ranks of the own group %d each; make them as many", len(in)/r.size, c.Size(), len(out)/r.size)
	}
	if err := apart(in, out); err != nil {
		return err
	}
	x := c.newScript(callReduceScatterBlock, r.typ, r.code)
	far := c.reduceAcross(x, r, in, out)
	x.among(c.inter.own.ranks(), collectives.Call{Kind: collectives.Scatter, Send: far, Recv: out})
	return x.play()
}

func (c *Comm) interReduceScatter(r *reducer, in, out []byte, counts []int) error {
	class, text := misfit(c.Size(), len(in)/r.size, counts, nil)
	switch {
	case text != "":
		return wrong(class, "in: %s", text)
	case offset(counts, nil, c.Size())*r.size != len(in):
		return wrong(ErrCount, "in has %d elements, the counts make %d; they must be equal", len(in)/r.size, offset(counts, nil, c.Size()))
	case len(out) != counts[c.rank]*r.size:
		return wrong(ErrCount, "out has %d elements, counts[%d] is %d; they must be equal", len(out)/r.size, c.rank, counts[c.rank])
	}
	if err := apart(in, out); err != nil {
		return err
	}
	x := c.newScript(callReduceScatter, r.typ, r.code)
	far := c.reduceAcross(x, r, in, out)
	x.among(c.inter.own.ranks(), collectives.Call{Kind: collectives.Scatterv, Send: far, SendCounts: counts, Recv: out, Elem: r.size})
	return x.play()
}

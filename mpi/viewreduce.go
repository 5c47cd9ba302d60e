package mpi

import "rhinet/internal/layout"

// Reductions of items (MPI 4.1, section 6.9.5). The algorithms combine packed bytes as
// in other collective calls on layouts, and an item is to them what an element is in a
// slice: they cut messages between items only, so the operation gets whole items.

// onItems returns op as an operation on the bytes of packed items, or an error.
func (c *Comm) onItems(s site, op Op, f *flat) (*userOp, error) {
	u, ok := op.(*userOp)
	switch {
	case op == nil:
		return nil, c.errorAt(s, ErrOp, "the operation is nil; pass Sum, another of the predefined ones, or an OpFunc")
	case ok && u.none:
		return nil, c.noFunction(s)
	case !ok:
		return nil, c.errorAt(s, ErrOp, "%v is not defined for items of a layout; use OpFunc with a function of their elements, or slices", op)
	}
	item := f.elem.item
	if len(f.b) == 0 {
		item = u.size // of any type
	} else if !u.combines(f.sig, item) {
		return nil, c.errorAt(s, ErrOp, "the operation combines elements of type %s, an item is %s (%d bytes); it must be a whole number of them", u.elem, f.elem.name, item)
	}
	o := *u
	if o.word, o.typ, o.size = typeWord[packedByte](), codeByte, max(item, 1); item > u.size {
		o.code, o.item = uint32(opItems), item
	}
	return &o, nil
}

// combines reports whether an item of a signature and a length consists of elements of
// the operation. Bytes serve as MPI_PACKED.
func (op *userOp) combines(sig *layout.Signature, item int) bool {
	return op.size > 0 && item%op.size == 0 && (op.typ == codeByte || len(sig.Runs) == 0 || op.sig.Same(sig))
}

// An itemReduction is the buffers of a reduction of items, and its operation. If the call is
// in place, in is out.
type itemReduction struct {
	in, out *flat
	op      *userOp
}

// reduction prepares buffers; one that does not matter at this rank is nil.
func (c *Comm) reduction(s site, in, out []Item, op Op) (*itemReduction, error) {
	a, b, err := c.pairOfFlats(s, in, out)
	if err != nil {
		return nil, err
	}
	if m, n := a.elem.item, b.elem.item; m != n && len(a.b) > 0 && len(b.b) > 0 {
		return nil, c.errorAt(s, ErrCount, "an item of in has %d bytes and one of out %d; they must be equally long", m, n)
	}
	f := a
	if len(f.b) == 0 {
		f = b
	}
	o, err := c.onItems(s, op, f)
	if err != nil {
		return nil, err
	}
	return &itemReduction{a, b, o}, nil
}

// run makes a call that takes in and fills the first n items of out.
func (k *itemReduction) run(c *Comm, call func(c *Comm) error, n int) error {
	return c.asItemsOf(k.in.elem, k.op.item, k.in.packAll, call, func() { k.out.unpack(0, n) }, k.in, k.out)
}

// unequal returns the error of buffers that do not have the same number of items.
func (c *Comm) unequal(s site, in, out []Item) error {
	if len(in) != len(out) {
		return c.errorAt(s, ErrCount, "in has %d items and out %d; they must be equally many", len(in), len(out))
	}
	return nil
}

func reduceItems(c *Comm, s site, in, out []Item, op Op, root int) error {
	switch {
	case !c.isRoot(root):
		out = nil
	case c.inter != nil:
		in = nil
	default:
		if err := c.unequal(s, in, out); err != nil {
			return err
		}
	}
	k, err := c.reduction(s, in, out, op)
	if err != nil {
		return err
	}
	return k.run(c, func(c *Comm) error { return Reduce(c, k.in.b, k.out.b, k.op, root) }, len(out))
}

// reduceAllItems makes call, an Allreduce, Scan or Exscan. If fills is false, out of this
// rank does not change, and may be empty.
func reduceAllItems(c *Comm, s site, in, out []Item, op Op, call func(c *Comm, in, out []packedByte, op Op) error, fills bool) error {
	if fills || len(out) > 0 {
		if err := c.unequal(s, in, out); err != nil {
			return err
		}
	}
	k, err := c.reduction(s, in, out, op)
	if err != nil {
		return err
	}
	n := len(out)
	if !fills {
		n = 0
	}
	return k.run(c, func(c *Comm) error { return call(c, k.in.b, k.out.b, k.op) }, n)
}

// inPlace reports whether buffers begin with the same item.
func inPlace(in, out []Item) bool { return len(in) > 0 && len(out) > 0 && in[0] == out[0] }

func reduceScatterBlockItems(c *Comm, s site, in, out []Item, op Op) error {
	n := len(out)
	switch parts := c.Size(); {
	case c.inter == nil && len(in)%parts != 0:
		return c.errorAt(s, ErrCount, "in has %d items, which cannot be cut into %d equal parts; use ReduceScatter", len(in), parts)
	case c.inter == nil && inPlace(in, out):
		out, n = in, len(in)/parts
	case len(in) != parts*len(out):
		return c.errorAt(s, ErrCount, "in has %d items, out of %d ranks %d each; make out %d", len(in), parts, len(out), len(in)/parts)
	}
	k, err := c.reduction(s, in, out, op)
	if err != nil {
		return err
	}
	return k.run(c, func(c *Comm) error { return ReduceScatterBlock(c, k.in.b, k.out.b, k.op) }, n)
}

func reduceScatterItems(c *Comm, s site, in, out []Item, counts []int, op Op) error {
	if class, text := misfit(c.Size(), len(in), counts, nil); text != "" {
		return c.errorAt(s, class, "in, in items: %s", text)
	}
	n := counts[c.rank]
	switch total := offset(counts, nil, c.Size()); {
	case total != len(in):
		return c.errorAt(s, ErrCount, "in has %d items, the counts make %d; they must be equal", len(in), total)
	case c.inter == nil && inPlace(in, out):
		out = in
	case len(out) != n:
		return c.errorAt(s, ErrCount, "out has %d items, counts[%d] is %d; they must be equal", len(out), c.rank, n)
	}
	k, err := c.reduction(s, in, out, op)
	if err != nil {
		return err
	}
	return k.run(c, func(c *Comm) error { return k.scatter(c, s, counts) }, n)
}

// scatter is ReduceScatter with counts in items, which have been checked.
func (k *itemReduction) scatter(c *Comm, s site, counts []int) error {
	r, err := enterReduction[packedByte](c, s, k.op)
	if err != nil {
		return err
	}
	b, o := view(k.in.b), view(k.out.b)
	if c.inter != nil {
		return c.leave(s, c.interReduceScatter(r, b, o, counts))
	}
	if overlap(b, o) && !sameStart(b, o) {
		return c.fail(s, ErrBuffer, "%s", overlapInOut)
	}
	c.coll.sign(makeSign(callReduceScatter, r.typ, r.code), countsLength(counts, r.size))
	return c.leave(s, c.coll.reduceScatter(b, o, counts, r))
}

func reduceLocalItems(c *Comm, s site, in, inout []Item, op Op) error {
	switch {
	case len(in) != len(inout):
		return c.errorAt(s, ErrCount, "in has %d items and inout %d; they must be equally many", len(in), len(inout))
	case inPlace(in, inout):
		return c.errorAt(s, ErrBuffer, "in and inout overlap; they must be apart")
	}
	k, err := c.reduction(s, in, inout, op)
	if err != nil || len(k.in.b) == 0 {
		return err
	}
	k.in.packAll()
	k.out.packAll()
	k.op.Reduce(view(k.in.b), view(k.out.b))
	k.out.unpackAll()
	return nil
}

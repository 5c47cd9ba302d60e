package mpi

import "fmt"

// Reduce combines the in buffers of all ranks, of equal length, element by element into
// out of root. out is ignored on the other ranks. In place: root passes out as in too.
//
// MPI 4.1, section 6.9.1.
func Reduce[T any](c *Comm, in, out []T, op Op, root int) error {
	s := atRoot("Reduce", root)
	r, err := enterReduction[T](c, s, op)
	if err != nil {
		if isItems(err) {
			return c.raise(reduceItems(c, s, itemsOf(in), itemsOf(out), op, root))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interReduce(r, view(in), view(out), root))
	}
	sign := makeRootedSign(callReduce, r.typ, r.code, root)
	if c.rank != root {
		c.coll.signRooted(sign, len(view(in)))
		return c.leave(s, c.coll.reduce(view(in), nil, r, root))
	}
	if class, text := pair(len(in), len(out), view(in), view(out)); text != "" {
		return c.fail(s, class, "%s", text)
	}
	c.coll.signRooted(sign, len(view(in)))
	return c.leave(s, c.coll.reduce(view(in), view(out), r, root))
}

// Allreduce is Reduce with the result in out of every rank. It is identical to the last
// bit on all ranks and in every run with the same number of ranks. In place: pass out
// as in too.
//
// MPI 4.1, section 6.9.6.
func Allreduce[T any](c *Comm, in, out []T, op Op) error {
	s := at("Allreduce")
	r, err := enterReduction[T](c, s, op)
	if err != nil {
		if isItems(err) {
			return c.raise(reduceAllItems(c, s, itemsOf(in), itemsOf(out), op, Allreduce[packedByte], true))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interAllreduce(r, view(in), view(out)))
	}
	if class, text := pair(len(in), len(out), view(in), view(out)); text != "" {
		return c.fail(s, class, "%s", text)
	}
	c.coll.sign(makeSign(callAllreduce, r.typ, r.code), len(view(in)))
	return c.leave(s, c.coll.allreduce(view(in), view(out), r))
}

// ReduceScatterBlock combines the in buffers of all ranks and stores part i of the Size
// equal parts of the result in out of rank i. In place: pass in as out too; the result
// is then in its first part.
//
// MPI 4.1, section 6.10.1.
func ReduceScatterBlock[T any](c *Comm, in, out []T, op Op) error {
	s := at("ReduceScatterBlock")
	r, err := enterReduction[T](c, s, op)
	if err != nil {
		if isItems(err) {
			return c.raise(reduceScatterBlockItems(c, s, itemsOf(in), itemsOf(out), op))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interReduceScatterBlock(r, view(in), view(out)))
	}
	b, o := view(in), view(out)
	switch {
	case len(in)%c.size != 0:
		return c.fail(s, ErrCount, "in has %d elements, which cannot be cut into %d equal parts; use ReduceScatter", len(in), c.size)
	case sameStart(b, o):
		o = b
	case len(in) != c.size*len(out):
		return c.fail(s, ErrCount, "in has %d elements, out of %d ranks %d each; make out %d", len(in), c.size, len(out), len(in)/c.size)
	case overlap(b, o):
		return c.fail(s, ErrBuffer, "%s", overlapInOut)
	}
	c.coll.sign(makeSign(callReduceScatterBlock, r.typ, r.code), len(b))
	return c.leave(s, c.coll.reduceScatterBlock(b, o, r))
}

// ReduceScatter is ReduceScatterBlock with a length for each rank: rank i gets
// counts[i] elements of the result, which follow those of rank i-1. The counts must be
// the same on all ranks, and add up to the length of in. In place: pass in as out too;
// the result is then in its first elements.
//
// MPI 4.1, section 6.10.2.
func ReduceScatter[T any](c *Comm, in, out []T, counts []int, op Op) error {
	s := at("ReduceScatter")
	r, err := enterReduction[T](c, s, op)
	if err != nil {
		if isItems(err) {
			return c.raise(reduceScatterItems(c, s, itemsOf(in), itemsOf(out), counts, op))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interReduceScatter(r, view(in), view(out), counts))
	}
	b, o := view(in), view(out)
	class, text := misfit(c.size, len(in), counts, nil)
	if text != "" {
		return c.fail(s, class, "in: %s", text)
	}
	total := offset(counts, nil, c.size)
	switch {
	case total != len(in):
		return c.fail(s, ErrCount, "in has %d elements, the counts make %d; they must be equal", len(in), total)
	case sameStart(b, o):
		o = b
	case len(out) != counts[c.rank]:
		return c.fail(s, ErrCount, "out has %d elements, counts[%d] is %d; they must be equal", len(out), c.rank, counts[c.rank])
	case overlap(b, o):
		return c.fail(s, ErrBuffer, "%s", overlapInOut)
	}
	c.coll.sign(makeSign(callReduceScatter, r.typ, r.code), countsLength(counts, r.size))
	return c.leave(s, c.coll.reduceScatter(b, o, counts, r))
}

// Scan stores in out of each rank the combination of the in buffers of all ranks up to
// and including its own. In place: pass out as in too.
//
// MPI 4.1, section 6.11.1.
func Scan[T any](c *Comm, in, out []T, op Op) error {
	s := at("Scan")
	b, o, r, err := enterPair(c, s, in, out, op)
	if err != nil {
		if isItems(err) {
			return c.raise(reduceAllItems(c, s, itemsOf(in), itemsOf(out), op, Scan[packedByte], true))
		}
		return err
	}
	c.coll.sign(makeSign(callScan, r.typ, r.code), len(b))
	c.coll.uses(b, o)
	return c.leave(s, c.coll.group.Scan(b, o, r))
}

// Exscan stores in out of each rank the combination of the in buffers of all lower
// ranks. Out of rank 0 does not change, and may be empty. In place: pass out as in too.
//
// MPI 4.1, section 6.11.2.
func Exscan[T any](c *Comm, in, out []T, op Op) error {
	s, second := at("Exscan"), out
	if len(out) == 0 && c.Rank() == 0 {
		second = in // nothing to compare with
	}
	b, _, r, err := enterPair(c, s, in, second, op)
	if err != nil {
		if isItems(err) {
			return c.raise(reduceAllItems(c, s, itemsOf(in), itemsOf(out), op, Exscan[packedByte], c.rank > 0))
		}
		return err
	}
	c.coll.sign(makeSign(callExscan, r.typ, r.code), len(b))
	if c.coll.uses(b, nil); c.rank > 0 { // else out is not significant
		c.coll.uses(nil, view(out))
	}
	return c.leave(s, c.coll.group.Exscan(b, view(out), r))
}

const overlapInOut = "in and out overlap; they must be apart, or one and the same"

// pair returns what is wrong with the two buffers of a reduction, or "".
func pair(n, m int, in, out []byte) (Class, string) {
	switch {
	case n != m:
		return ErrCount, fmt.Sprintf("in has %d elements and out %d; they must be equally long", n, m)
	case overlap(in, out) && !sameStart(in, out):
		return ErrBuffer, overlapInOut
	}
	return 0, ""
}

// enterReduction is enter for calls with an operation.
func enterReduction[T any](c *Comm, s site, op Op) (*reducer, error) {
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		return nil, err
	}
	r, err := c.findReducer(s, op, e)
	switch {
	case err != nil:
		c.cease()
	case !r.users():
	case c.launch == nil || c.launch.direct:
		r = c.coll.guard(r)
	default:
		c.launch.user = true
	}
	return r, c.raise(err)
}

// enterPair is enterReduction with two buffers of equal length.
func enterPair[T any](c *Comm, s site, in, out []T, op Op) (b, o []byte, r *reducer, err error) {
	if r, err = enterReduction[T](c, s, op); err != nil {
		return nil, nil, nil, err
	}
	if c.inter != nil {
		return nil, nil, nil, c.fail(s, ErrComm, "not defined on an inter-communicator; use what Merge makes of it")
	}
	b, o = view(in), view(out)
	if class, text := pair(len(in), len(out), b, o); text != "" {
		return nil, nil, nil, c.fail(s, class, "%s", text)
	}
	return b, o, r, nil
}

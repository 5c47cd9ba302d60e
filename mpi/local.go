package mpi

// ReduceLocal combines in into inout on this rank alone: inout[i] = in[i] op inout[i].
// The buffers must have the same length and not overlap.
//
// MPI 4.1, section 6.9.7.
func ReduceLocal[T any](c *Comm, in, inout []T, op Op) (err error) {
	defer c.raised(&err)
	s := at("ReduceLocal")
	if err := c.check(s); err != nil {
		return err
	}
	e := elemFor[T](c)
	if e.items {
		return reduceLocalItems(c, s, itemsOf(in), itemsOf(inout), op)
	}
	if e.bad != "" {
		return c.badElem(s, e)
	}
	r, err := c.findReducer(s, op, e)
	if err != nil {
		return err
	}
	b, o := view(in), view(inout)
	switch {
	case len(in) != len(inout):
		return c.errorAt(s, ErrCount, "in has %d elements and inout %d; they must be equally long", len(in), len(inout))
	case overlap(b, o):
		return c.errorAt(s, ErrBuffer, "in and inout overlap; they must be apart")
	case len(in) > 0:
		r.Reduce(b, o)
	}
	return nil
}

// OpCommutative reports whether op commutes.
//
// MPI 4.1, section 6.9.7 (MPI_Op_commutative).
func OpCommutative(op Op) bool {
	u, ok := op.(*userOp)
	return op != nil && (!ok || u.commutative)
}

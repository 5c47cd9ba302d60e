package mpi

import (
	"rhinet/collectives"
	"rhinet/internal/libmpi"
)

// Collective passes a call on to the library.
func (t *libTransport) Collective(call *collectives.Call) error {
	err := t.translate(&t.call, call)
	if err == nil {
		err = t.lib.Collective(&t.call)
	}
	t.call = libmpi.Collective{} // so that it keeps no buffers
	return err
}

// translate converts a call to the library's form, c.
func (t *libTransport) translate(c *libmpi.Collective, call *collectives.Call) (err error) {
	size := len(t.members)
	*c = libmpi.Collective{Comm: t.comm, Root: call.Root, Send: call.Send, Recv: call.Recv, InPlace: sameStart(call.Send, call.Recv)}
	switch call.Kind {
	case collectives.Barrier:
		c.Kind = libmpi.Barrier
	case collectives.Bcast:
		c.Kind, c.Count = libmpi.Bcast, len(call.Recv)
	case collectives.Gather:
		c.Kind, c.Count = libmpi.Gather, len(call.Send)
		if c.InPlace || len(call.Recv) > 0 {
			c.Count = len(call.Recv) / size
		}
	case collectives.Scatter:
		c.Kind, c.Count = libmpi.Scatter, len(call.Recv)
		if c.InPlace || len(call.Send) > 0 {
			c.Count = len(call.Send) / size
		}
	case collectives.Allgather:
		c.Kind, c.Count = libmpi.Allgather, len(call.Recv)/size
	case collectives.Alltoall:
		c.Kind, c.Count = libmpi.Alltoall, len(call.Recv)/size
	case collectives.Alltoallv:
		c.Kind = libmpi.Alltoallv
		t.counts(c, call)
	case collectives.Reduce:
		c.Kind = libmpi.Reduce
		err = reduction(c, call)
	case collectives.Allreduce:
		c.Kind = libmpi.Allreduce
		err = reduction(c, call)
	case collectives.Scan:
		c.Kind = libmpi.Scan
		err = reduction(c, call)
	default:
		err = errNotCarried
	}
	return err
}

// libOperations is how many of the predefined operations the library has for single
// numbers: all but MinLoc and MaxLoc.
const libOperations = int(BXor) + 1

// reduction converts the operation of a call.
func reduction(c *libmpi.Collective, call *collectives.Call) error {
	r, ok := call.Reducer.(*reducer)
	if !ok || int(r.code) > libOperations {
		return &Error{Class: ErrOp, text: "the library of another MPI combines single numbers by Sum, Prod, Min, Max and the logical and bitwise operations only; use one of these, or a network interface of rhinet"}
	}
	c.Op = libmpi.Op{Kind: int(r.typ), Operation: int(r.code)}
	c.Count = len(call.Send) / r.size
	return nil
}

// counts converts the counts and displacements of a call to bytes.
func (t *libTransport) counts(c *libmpi.Collective, call *collectives.Call) {
	c.SendCounts, c.SendDispls = t.inBytes(0, call.SendCounts, call.SendDispls, call.Elem)
	c.RecvCounts, c.RecvDispls = t.inBytes(2, call.RecvCounts, call.RecvDispls, call.Elem)
}

// inBytes converts counts of elements and displacements to bytes, in memory of s; nil
// displs mean that the parts follow each other. The library refuses buffers whose
// length an int32 cannot hold, so parts of them fit.
func (s *libShared) inBytes(at int, counts, displs []int, elem int) (n, d []int32) {
	n, d = s.ints[at][:0], s.ints[at+1][:0]
	next := 0
	for i, k := range counts {
		if displs != nil {
			next = displs[i]
		}
		n, d = append(n, int32(k*elem)), append(d, int32(next*elem))
		next += k
	}
	s.ints[at], s.ints[at+1] = n, d
	return n, d
}

package collectives

import (
	"errors"
	"fmt"
	"slices"
)

// The classes of mistakes in a call. They are found before any byte moves.
var (
	ErrLength  = errors.New("buffer lengths do not fit")
	ErrCounts  = errors.New("counts or displacements do not fit")
	ErrRoot    = errors.New("no such root")
	ErrReducer = errors.New("no usable operation to reduce with")
	ErrActive  = errors.New("operation is already started")
)

// A Call is one collective operation with its buffers. The [Group] method of its name
// says which fields an operation uses, and what they mean; Bcast has its buffer in
// Recv, reductions have in and out in Send and Recv.
type Call struct {
	Kind Kind
	// Once says that a prepared call is started once, and before any later call on the
	// group: so all ranks start it in the same order with the other calls.
	Once bool

	Send, Recv []byte
	Root       int
	Elem       int // bytes per element of the counts below
	SendCounts []int
	SendDispls []int
	RecvCounts []int
	RecvDispls []int
	Reducer    Reducer

	// Least is the length in bytes of the shortest part that a prepared Gatherv,
	// Scatterv or Alltoallv moves, also of the part that stays at its rank; the caller
	// moves shorter ones in another way. It is the same on all ranks.
	Least int
}

// A shape is everything that a schedule depends on, except the group and, for the
// operations with counts, the counts.
type shape struct {
	kind        Kind
	inPlace     bool // this rank's input is in its output
	prepared    bool // other calls are made while it runs
	once        bool // it was started in the order of all calls
	commutative bool
	sparse      bool // a reduction with counts in which some ranks have no part of the result
	root        int
	bytes       int // length of the buffer, or of one block or the largest part of those with one per rank
	elem        int // bytes per element, 1 where elements do not matter
	least       int // length of the shortest part to move
}

// Sparse reports whether some ranks have no part in a call with these counts.
func Sparse(counts []int) bool { return slices.Contains(counts, 0) }

func sameStart(a, b []byte) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// check returns the shape of a call and the buffers that in and out of its schedule
// stand for. In an in-place call in is a part of out.
func (g *Group) check(c *Call) (s shape, in, out []byte, err error) {
	s = shape{kind: c.Kind, elem: 1}
	if c.Kind.rooted() {
		if c.Root < 0 || c.Root >= g.size {
			return s, nil, nil, fmt.Errorf("collectives: %v: root %d of %d ranks: %w", c.Kind, c.Root, g.size, ErrRoot)
		}
		s.root = c.Root
	}
	atRoot := g.rank == s.root
	in, out = c.Send, c.Recv
	same := sameStart(in, out)
	switch c.Kind {
	case Barrier:
		return s, nil, nil, nil
	case Bcast:
		s.bytes = len(out)
		return s, nil, out, nil
	case Gather, Scatter:
		if !atRoot {
			if c.Kind == Gather {
				s.bytes, out = len(in), nil
			} else {
				s.bytes, in = len(out), nil
			}
			return s, in, out, nil
		}
		whole, part := &out, &in
		if c.Kind == Scatter {
			whole, part = &in, &out
		}
		s.bytes, err = g.block(c.Kind, *whole, part, same)
		return s, in, out, err
	case Allgather:
		s.bytes, err = g.block(c.Kind, out, &in, same)
		return s, in, out, err
	case Alltoall:
		s.inPlace = same
		if same {
			in = out
		}
		if len(in) != len(out) || len(out)%g.size != 0 {
			err = fmt.Errorf("collectives: %v: %d bytes to send, %d to receive for %d ranks: %w", c.Kind, len(in), len(out), g.size, ErrLength)
		}
		s.bytes = len(out) / g.size
		return s, in, out, err
	case Gatherv, Scatterv, Allgatherv, Alltoallv:
		return g.checkCounts(c)
	case Reduce, Allreduce, ReduceScatterBlock, ReduceScatter, Scan, Exscan:
		return g.checkReduction(c)
	}
	return s, nil, nil, fmt.Errorf("collectives: no operation %v", c.Kind)
}

// block returns the length of one rank's part of whole, and points part at this rank's
// part if the call is in place.
func (g *Group) block(k Kind, whole []byte, part *[]byte, inPlace bool) (int, error) {
	n := len(whole) / g.size
	if inPlace {
		*part = whole[g.rank*n : (g.rank+1)*n]
	}
	if len(*part)*g.size != len(whole) {
		return 0, fmt.Errorf("collectives: %v: %d bytes for %d ranks with parts of %d: %w", k, len(whole), g.size, len(*part), ErrLength)
	}
	return n, nil
}

func (g *Group) checkReduction(c *Call) (s shape, in, out []byte, err error) {
	if c.Reducer == nil || c.Reducer.ElemSize() < 1 {
		return s, nil, nil, fmt.Errorf("collectives: %v: %w", c.Kind, ErrReducer)
	}
	s = shape{kind: c.Kind, root: c.Root, elem: c.Reducer.ElemSize(), commutative: c.Reducer.Commutative()}
	in, out = c.Send, c.Recv
	s.inPlace = sameStart(in, out)
	parts, needs, largest := 1, len(in), 0
	switch c.Kind {
	case Reduce:
		if g.rank != c.Root {
			s.inPlace, needs, out = false, 0, nil
		}
	case Exscan:
		if s.root = 0; g.rank == 0 {
			s.inPlace, needs, out = false, 0, nil
		}
	case ReduceScatterBlock:
		s.root, parts, needs = 0, g.size, len(in)/g.size
	case ReduceScatter:
		if largest, err = g.checkShares(in, c.SendCounts, s.elem); err != nil {
			return s, nil, nil, err
		}
		s.root, needs = 0, c.SendCounts[g.rank]*s.elem
	default:
		s.root = 0
	}
	if s.inPlace && len(out) == len(in) {
		out = out[:needs]
	}
	s.bytes = len(in) / parts
	if c.Kind == ReduceScatter {
		s.bytes, s.sparse = largest, Sparse(c.SendCounts)
	}
	switch {
	case len(in)%(parts*s.elem) != 0:
		err = fmt.Errorf("collectives: %v: %d bytes are not a multiple of %d parts of %d-byte elements: %w", c.Kind, len(in), parts, s.elem, ErrLength)
	case len(out) != needs:
		err = fmt.Errorf("collectives: %v: the result of %d bytes does not fit %d: %w", c.Kind, needs, len(out), ErrLength)
	}
	return s, in, out, err
}

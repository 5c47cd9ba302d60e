package mpi

import (
	"slices"

	"rhinet/collectives"
)

// What each kind of call gives and takes in an exchange.

// A part is n bytes at an offset.
type part struct{ at, n int }

// prepare reports whether an exchange of k serves a call, as quick does for blocking
// ones, and readies e for it.
func (e *exchange) prepare(k *exchanges, call *collectives.Call) bool {
	q, size, rank := &k.quick, k.x.c.size, k.x.c.rank
	in, out := call.Send, call.Recv
	e.parts, e.share = e.parts[:0], 0
	e.kind, e.flow, e.root, e.take, e.out, e.n = call.Kind, collectives.AllToAll, call.Root, nil, out, len(in)
	e.from, e.to = 0, size-1
	e.reducer, _ = call.Reducer.(*reducer)
	switch call.Kind {
	case collectives.Barrier:
		if q.barrier == nil {
			return false
		}
	case collectives.Bcast:
		if !q.bcast.takes(len(out)) {
			return false
		}
		e.flow, e.n, in, e.take = collectives.FromRoot, len(out), out, out
	case collectives.Gather:
		if rank == call.Root && sameStart(in, out) {
			e.n = len(out) / size
			in = out[rank*e.n:][:e.n]
		}
		if !q.gather.takes(e.n) {
			return false
		}
		e.flow, e.take = collectives.ToRoot, out
	case collectives.Gatherv:
		if !e.divide(&q.gatherv, call, size, rank) {
			return false
		}
	case collectives.Scatterv:
		if !e.divide(&q.scatterv, call, size, rank) {
			return false
		}
	case collectives.Alltoallv:
		if !e.divide(&q.alltoallv, call, size, rank) {
			return false
		}
	case collectives.Scatter:
		block := len(out)
		if rank == call.Root {
			block = len(in) / size
		}
		if e.n = block * (size - 1); !q.scatter.takes(e.n) {
			return false
		}
		if e.flow, e.take = collectives.FromRoot, in; rank != call.Root {
			e.take = e.scratch(e.n)
		}
	case collectives.Allgather:
		if e.n = len(out) / size; !q.allgather.takes(e.n) {
			return false
		}
		if sameStart(in, out) {
			in = out[rank*e.n:]
		}
		in, e.take = in[:e.n], out
	case collectives.Allgatherv:
		if e.n = slices.Max(call.RecvCounts) * call.Elem; !q.allgatherv.takes(e.n) {
			return false
		}
		e.parts = appendParts(e.parts, call.RecvCounts, call.RecvDispls, call.Elem)
		if own := e.parts[rank]; sameStart(in, out) {
			in = out[own.at:][:own.n]
		}
		e.take = out
	case collectives.Alltoall:
		if e.n = len(out) / size * (size - 1); !q.alltoall.takes(e.n) {
			return false
		}
		if sameStart(in, out) {
			in = out
		}
		e.take = e.scratch(e.n * size)
	case collectives.Reduce:
		if !q.reduce.takes(e.n) {
			return false
		}
		if e.flow = collectives.ToRoot; rank == call.Root {
			e.take, e.out = e.scratch(e.n*size), out[:e.n]
		}
	case collectives.Allreduce:
		if !q.allreduce.takes(e.n) {
			return false
		}
		e.take, e.out = e.scratch(e.n*size), out[:e.n]
	case collectives.ReduceScatterBlock:
		if !q.reduceScatterBlock.takes(e.n) {
			return false
		}
		part := e.n / size
		e.take, e.out, e.from = e.scratch(e.n*size), out[:part], rank*part
	case collectives.ReduceScatter:
		unit := call.Reducer.ElemSize()
		if !q.takesShares(call.SendCounts, unit) {
			return false
		}
		e.take, e.out, e.from = e.scratch(e.n*size), out[:call.SendCounts[rank]*unit], offset(call.SendCounts, nil, rank)*unit
	case collectives.Scan:
		if !q.scan.takes(e.n) {
			return false
		}
		e.take, e.out, e.to = e.scratch(e.n*size), out[:e.n], rank
	case collectives.Exscan:
		if !q.exscan.takes(e.n) {
			return false
		}
		e.take, e.to = e.scratch(e.n*size), rank-1 // all of out, which rank 0 need not have
	default:
		return false
	}
	e.of, e.give = k, in
	return true
}

// appendParts appends to list the parts that counts and displs name, in elements of elem bytes.
func appendParts(list []part, counts, displs []int, elem int) []part {
	next := 0
	for i, n := range counts {
		at := next
		if displs != nil {
			at = displs[i]
		}
		if next = at + n; n == 0 {
			at = 0 // it has no place
		}
		list = append(list, part{at * elem, n * elem})
	}
	return list
}

// scratch returns memory for n bytes.
func (e *exchange) scratch(n int) []byte {
	if words := (n + 7) / 8; words > len(e.memory) {
		e.memory = make([]uint64, words)
	}
	return view(e.memory)[:n]
}

// deliver makes the result from all contributions.
func (e *exchange) deliver() {
	c := e.of.x.c
	switch e.kind {
	case collectives.Scatter:
		block := c.rank // of what root has
		if c.rank != e.root {
			block = collectives.BlockOf(c.rank, e.root)
		}
		if !sameStart(e.take, e.out) {
			copy(e.out, e.take[block*len(e.out):])
		}
	case collectives.Alltoall:
		n := e.n / (c.size - 1)
		for i := range c.size {
			if i != c.rank {
				copy(e.out[i*n:][:n], e.part(i)[collectives.BlockOf(c.rank, i)*n:])
			}
		}
	case collectives.Reduce, collectives.Allreduce, collectives.ReduceScatterBlock, collectives.ReduceScatter, collectives.Scan, collectives.Exscan:
		if e.take != nil && len(e.out) > 0 && e.to >= 0 {
			e.combine()
		}
	}
}

// combine combines contributions in rank order, like exchanger.combine.
func (e *exchange) combine() {
	to, last := e.from+len(e.out), e.to*e.n
	result := e.take[last:][e.from:to]
	for i := last - e.n; i >= 0; i -= e.n {
		e.reducer.fold(e.take[i:][e.from:to], result)
	}
	copy(e.out, result)
}

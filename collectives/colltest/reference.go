package colltest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"rhinet/collectives"
)

// A trial is one collective call, the same for all ranks.
type trial struct {
	kind    collectives.Kind
	size    int // of the group
	n       int // elements, of the buffer or of one block
	elem    int // bytes per element
	root    int
	inPlace bool
	packed  bool // counts without displacements
	reducer collectives.Reducer
	seed    uint64
}

// given returns what a rank contributes, in memory of its own.
func (c trial) given(rank, n int) []byte {
	r := rand.NewPCG(c.seed, uint64(rank))
	buf := make([]byte, (n+7)&^7)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(buf[i:], r.Uint64())
	}
	buf = buf[:n:n]
	if _, ok := c.reducer.(floatSum); ok {
		for i := 0; i+8 <= n; i += 8 { // finite numbers of very different size
			binary.LittleEndian.PutUint16(buf[i+6:], 0x3000+uint16(r.Uint64()%0x2000))
		}
	}
	return buf
}

// counts returns the number of elements that rank i sends to each rank in Alltoallv,
// equal in both directions in place. Those of rank 0 serve the other operations.
func (c trial) counts(i int) []int {
	counts := make([]int, c.size)
	for j := range counts {
		counts[j] = c.count(i, j)
	}
	return counts
}

// count returns the number of elements that rank i sends to rank j: random, often 0.
func (c trial) count(i, j int) int {
	if c.inPlace && j < i {
		i, j = j, i
	}
	r := rand.New(rand.NewPCG(c.seed, uint64(i)<<32|uint64(j)))
	if r.IntN(3) == 0 {
		return 0
	}
	return r.IntN(c.n + 1)
}

// arriving returns the number of elements that rank j receives from each rank in
// Alltoallv.
func (c trial) arriving(j int) []int {
	counts := make([]int, c.size)
	for i := range counts {
		counts[i] = c.count(i, j)
	}
	return counts
}

// displs places parts from the last rank to the first with a gap of one element between
// them; it returns nil if they are packed. total is the number of elements needed.
func (c trial) displs(counts []int) (displs []int, total int) {
	if c.packed {
		for _, n := range counts {
			total += n
		}
		return nil, total
	}
	displs = make([]int, len(counts))
	for i := len(counts) - 1; i >= 0; i-- {
		displs[i] = total
		total += counts[i] + 1
	}
	return displs, total
}

func (c trial) part(buf []byte, counts, displs []int, i int) []byte {
	at := 0
	if displs != nil {
		at = displs[i]
	} else {
		for _, n := range counts[:i] {
			at += n
		}
	}
	return buf[at*c.elem : (at+counts[i])*c.elem]
}

// fold combines the contributions of n bytes of ranks lo to hi-1 in rank order.
func (c trial) fold(lo, hi, n int) []byte {
	value := c.given(hi-1, n)
	for i := hi - 2; i >= lo; i-- {
		c.reducer.Reduce(c.given(i, n), value)
	}
	return value
}

// want returns what a call must leave in a rank's output; nil means that the output is
// not checked.
func (c trial) want(rank int) []byte {
	block := c.n * c.elem
	atRoot := rank == c.root
	switch c.kind {
	case collectives.Bcast:
		return c.given(c.root, block)
	case collectives.Gather:
		if !atRoot {
			return nil
		}
		fallthrough
	case collectives.Allgather:
		var all []byte
		for i := range c.size {
			all = append(all, c.given(i, block)...)
		}
		return all
	case collectives.Scatter:
		return c.given(c.root, block*c.size)[rank*block:][:block]
	case collectives.Alltoall:
		var all []byte
		for i := range c.size {
			all = append(all, c.given(i, block*c.size)[rank*block:][:block]...)
		}
		return all
	case collectives.Reduce:
		if !atRoot {
			return nil
		}
		return c.fold(0, c.size, block)
	case collectives.Allreduce:
		return c.fold(0, c.size, block)
	case collectives.ReduceScatterBlock:
		return c.fold(0, c.size, block*c.size)[rank*block:][:block]
	case collectives.ReduceScatter:
		counts := c.counts(0)
		total := 0
		for _, n := range counts {
			total += n
		}
		return c.part(c.fold(0, c.size, total*c.elem), counts, nil, rank)
	case collectives.Scan:
		return c.fold(0, rank+1, block)
	case collectives.Exscan:
		if rank == 0 {
			return nil
		}
		return c.fold(0, rank, block)
	}
	return nil
}

// wantParts checks the parts of an operation with counts.
func (c trial) wantParts(rank int, got []byte) bool {
	counts := c.counts(0)
	switch c.kind {
	case collectives.Gatherv, collectives.Allgatherv:
		if c.kind == collectives.Gatherv && rank != c.root {
			return true
		}
		displs, _ := c.displs(counts)
		for i := range c.size {
			if !bytes.Equal(c.part(got, counts, displs, i), c.given(i, counts[i]*c.elem)) {
				return false
			}
		}
	case collectives.Scatterv:
		displs, total := c.displs(counts)
		return bytes.Equal(got, c.part(c.given(c.root, total*c.elem), counts, displs, rank))
	case collectives.Alltoallv:
		in := c.arriving(rank)
		rdispls, _ := c.displs(in)
		for i := range c.size {
			out := c.counts(i)
			displs, total := c.displs(out)
			if !bytes.Equal(c.part(got, in, rdispls, i), c.part(c.given(i, total*c.elem), out, displs, rank)) {
				return false
			}
		}
	}
	return true
}

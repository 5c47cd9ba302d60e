package colltest

import (
	"bytes"
	"fmt"

	"rhinet/collectives"
)

const guardBytes = 64

// A memory is a buffer between guards.
type memory struct{ all, buf []byte }

func newMemory(n int, content []byte) memory {
	all := bytes.Repeat([]byte{0xA5}, n+2*guardBytes)
	m := memory{all, all[guardBytes : guardBytes+n : guardBytes+n]}
	copy(m.buf, content)
	return m
}

func (m memory) intact() bool {
	guard := bytes.Repeat([]byte{0xA5}, guardBytes)
	return bytes.HasPrefix(m.all, guard) && bytes.HasSuffix(m.all, guard)
}

// prepare returns a rank's call of the trial, and a function that checks the result.
func (c trial) prepare(rank int) (call collectives.Call, check func() error) {
	call = collectives.Call{Kind: c.kind, Root: c.root, Elem: c.elem, Reducer: c.reducer}
	in, out := c.lengths(rank, &call)
	send, recv := newMemory(in, c.given(rank, in)), newMemory(out, nil)
	call.Send, call.Recv = send.buf, recv.buf
	if c.kind == collectives.Bcast && rank == c.root {
		copy(recv.buf, send.buf)
	}
	result := recv.buf
	if c.inPlace {
		result = c.shareBuffers(rank, &call, send, recv)
	}
	return call, func() error {
		if !send.intact() || !recv.intact() {
			return fmt.Errorf("%v: rank %d: memory beside the buffers was written", c, rank)
		}
		if !c.inPlace && !bytes.Equal(send.buf, c.given(rank, in)) {
			return fmt.Errorf("%v: rank %d: the input was written", c, rank)
		}
		if want := c.want(rank); want != nil && !bytes.Equal(result, want) {
			return fmt.Errorf("%v: rank %d: wrong result", c, rank)
		}
		if !c.wantParts(rank, result) {
			return fmt.Errorf("%v: rank %d: wrong result", c, rank)
		}
		return nil
	}
}

// lengths returns the lengths of a rank's buffers; it fills in counts and
// displacements.
func (c trial) lengths(rank int, call *collectives.Call) (in, out int) {
	block, all := c.n*c.elem, c.n*c.elem*c.size
	atRoot := rank == c.root
	counts := c.counts(0)
	displs, total := c.displs(counts)
	switch c.kind {
	case collectives.Bcast, collectives.Allreduce, collectives.Scan, collectives.Exscan:
		return block, block
	case collectives.Reduce:
		if atRoot {
			return block, block
		}
		return block, 0
	case collectives.Gather:
		if atRoot {
			return block, all
		}
		return block, 0
	case collectives.Scatter:
		if atRoot {
			return all, block
		}
		return 0, block
	case collectives.Allgather:
		return block, all
	case collectives.Alltoall:
		return all, all
	case collectives.ReduceScatterBlock:
		return all, block
	case collectives.ReduceScatter:
		for _, n := range counts {
			in += n * c.elem
		}
		call.SendCounts = counts
		return in, counts[rank] * c.elem
	case collectives.Gatherv:
		if !atRoot {
			return counts[rank] * c.elem, 0
		}
		fallthrough
	case collectives.Allgatherv:
		call.RecvCounts, call.RecvDispls = counts, displs
		return counts[rank] * c.elem, total * c.elem
	case collectives.Scatterv:
		if !atRoot {
			return 0, counts[rank] * c.elem
		}
		call.SendCounts, call.SendDispls = counts, displs
		return total * c.elem, counts[rank] * c.elem
	case collectives.Alltoallv:
		call.SendCounts, call.RecvCounts = c.counts(rank), c.arriving(rank)
		call.SendDispls, in = c.displs(call.SendCounts)
		call.RecvDispls, out = c.displs(call.RecvCounts)
		return in * c.elem, out * c.elem
	}
	return 0, 0
}

// shareBuffers makes the call in place and returns where its result is.
func (c trial) shareBuffers(rank int, call *collectives.Call, send, recv memory) []byte {
	counts := c.counts(0)
	displs, _ := c.displs(counts)
	switch c.kind {
	case collectives.Gather:
		if rank == c.root {
			copy(recv.buf[rank*len(send.buf):], send.buf)
			call.Send = recv.buf
		}
	case collectives.Allgather:
		copy(recv.buf[rank*len(send.buf):], send.buf)
		call.Send = recv.buf
	case collectives.Gatherv, collectives.Allgatherv:
		if c.kind == collectives.Allgatherv || rank == c.root {
			copy(c.part(recv.buf, counts, displs, rank), send.buf)
			call.Send = recv.buf
		}
	case collectives.Scatter:
		if rank == c.root {
			call.Recv = send.buf
			return send.buf[rank*len(recv.buf):][:len(recv.buf)]
		}
	case collectives.Scatterv:
		if rank == c.root {
			call.Recv = send.buf
			return c.part(send.buf, counts, displs, rank)
		}
	case collectives.ReduceScatterBlock, collectives.ReduceScatter:
		call.Recv = send.buf
		if c.seed%2 == 0 {
			call.Recv = send.buf[:len(recv.buf)]
		}
		return send.buf[:len(recv.buf)]
	case collectives.Reduce:
		if rank != c.root {
			break
		}
		fallthrough
	default:
		copy(recv.buf, send.buf)
		call.Send = recv.buf
	}
	return recv.buf
}

// String describes the trial in a failure.
func (c trial) String() string {
	return fmt.Sprintf("%v of %d x %d bytes, %d ranks, root %d, in place %t, %T", c.kind, c.n, c.elem, c.size, c.root, c.inPlace, c.reducer)
}

// run makes the call by the method of Group with its name.
func run(g *collectives.Group, c *collectives.Call) error {
	switch c.Kind {
	case collectives.Barrier:
		return g.Barrier()
	case collectives.Bcast:
		return g.Bcast(c.Recv, c.Root)
	case collectives.Gather:
		return g.Gather(c.Send, c.Recv, c.Root)
	case collectives.Gatherv:
		return g.Gatherv(c.Send, c.Recv, c.RecvCounts, c.RecvDispls, c.Elem, c.Root)
	case collectives.Scatter:
		return g.Scatter(c.Send, c.Recv, c.Root)
	case collectives.Scatterv:
		return g.Scatterv(c.Send, c.SendCounts, c.SendDispls, c.Recv, c.Elem, c.Root)
	case collectives.Allgather:
		return g.Allgather(c.Send, c.Recv)
	case collectives.Allgatherv:
		return g.Allgatherv(c.Send, c.Recv, c.RecvCounts, c.RecvDispls, c.Elem)
	case collectives.Alltoall:
		return g.Alltoall(c.Send, c.Recv)
	case collectives.Alltoallv:
		return g.Alltoallv(c.Send, c.SendCounts, c.SendDispls, c.Recv, c.RecvCounts, c.RecvDispls, c.Elem)
	case collectives.Reduce:
		return g.Reduce(c.Send, c.Recv, c.Reducer, c.Root)
	case collectives.Allreduce:
		return g.Allreduce(c.Send, c.Recv, c.Reducer)
	case collectives.ReduceScatterBlock:
		return g.ReduceScatterBlock(c.Send, c.Recv, c.Reducer)
	case collectives.ReduceScatter:
		return g.ReduceScatter(c.Send, c.Recv, c.SendCounts, c.Reducer)
	case collectives.Scan:
		return g.Scan(c.Send, c.Recv, c.Reducer)
	case collectives.Exscan:
		return g.Exscan(c.Send, c.Recv, c.Reducer)
	}
	return fmt.Errorf("colltest: no method for %v", c.Kind)
}

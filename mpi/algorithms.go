package mpi

import (
	"context"
	"sync"
)

// A collState is what a communicator needs for collective calls.
type collState struct {
	mu    sync.Mutex      // one collective call at a time
	ctx   context.Context // limits the call in progress
	seq   uint64          // exchanges on the board so far
	group algorithms
}

func (k *collState) init(c *core, seq uint64) {
	k.seq = seq
	k.group = &plain{c}
}

// algorithms are the collective operations on bytes, as package collectives
// offers them.
type algorithms interface {
	Barrier() error
	Bcast(buf []byte, root int) error
	Gather(send, recv []byte, root int) error
	Gatherv(send, recv []byte, counts, displs []int, elem, root int) error
	Scatter(send, recv []byte, root int) error
	Allgather(send, recv []byte) error
	Alltoall(send, recv []byte) error
	Alltoallv(send []byte, scounts, sdispls []int, recv []byte, rcounts, rdispls []int, elem int) error
	Reduce(in, out []byte, r *reducer, root int) error
	Allreduce(in, out []byte, r *reducer) error
	ReduceScatterBlock(in, out []byte, r *reducer) error
	Scan(in, out []byte, r *reducer) error
}

// A reducer is a fold with what algorithms must know of it.
type reducer struct {
	fold        fold
	size        int // bytes of one element
	commutative bool
}

// Reduce, ElemSize and Commutative make a reducer what collectives expect.

// Reduce combines in into inout.
func (r *reducer) Reduce(in, inout []byte) { r.fold(in, inout) }

// ElemSize is the size of one element in bytes.
func (r *reducer) ElemSize() int { return r.size }

// Commutative reports whether operands may change places.
func (r *reducer) Commutative() bool { return r.commutative }

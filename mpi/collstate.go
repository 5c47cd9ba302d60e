package mpi

import (
	"context"
	"sync"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A collState is what a communicator needs for collective calls.
type collState struct {
	mu    sync.Mutex // one collective call at a time
	t     *collTransport
	x     *exchanger // nil: no flag board
	quick *exchanger // x, unless the choice of algorithms is forced: then nil
	group *collectives.Group
}

// init readies c for collective calls. Exchanges on its board so far have used
// the sequence numbers up to seq.
func (k *collState) init(c *core, seq uint64) error {
	k.t = newCollTransport(c)
	var t collectives.Transport = k.t
	if c.board != noBoard {
		k.x = newExchanger(k.t, c.t.Board(), c.board, seq)
		t = k.x
	}
	if len(c.w.Collectives.Force) == 0 {
		k.quick = k.x
	}
	group, err := collectives.New(t, c.w.Collectives)
	k.group = group
	return err
}

// barrier is Barrier: directly on the board, or by an algorithm.
func (k *collState) barrier() error {
	if k.quick != nil {
		return k.quick.Exchange(nil, nil)
	}
	return k.group.Barrier()
}

// allreduce is Allreduce: directly on the board if it is short, or by an algorithm.
func (k *collState) allreduce(in, out []byte, r *reducer) error {
	if k.quick != nil && len(in) <= ir.FlagBytes && len(in) > 0 {
		return k.quick.allreduce(in, out, r)
	}
	return k.group.Allreduce(in, out, r)
}

// begin notes the name of the call in progress and the context that limits it.
func (k *collState) begin(call string, ctx context.Context) { k.t.call, k.t.ctx = call, ctx }

// lastSeq is the last sequence number used on the board.
func (k *collState) lastSeq() uint64 {
	if k.x == nil {
		return 0
	}
	return k.x.seq
}

var _ collectives.Reducer = (*reducer)(nil)

// A reducer is a fold with what algorithms must know of it.
type reducer struct {
	fold        fold
	size        int // bytes of one element
	commutative bool
}

// Reduce combines in into inout.
func (r *reducer) Reduce(in, inout []byte) { r.fold(in, inout) }

// ElemSize is the size of one element in bytes.
func (r *reducer) ElemSize() int { return r.size }

// Commutative reports whether operands may change places.
func (r *reducer) Commutative() bool { return r.commutative }

package mpi

import (
	"context"
	"sync"

	"rhinet/collectives"
)

// A collState is what a communicator needs for collective calls.
type collState struct {
	mu     sync.Mutex // one collective call at a time
	t      *collTransport
	x      *exchanger // nil: no flag board
	group  *collectives.Group
	before uint32   // hash of the calls so far, see callSign
	over   callSign // turns the type of bytes into that of the items they are of; else 0

	spares transportPool // for operations that are not blocking

	quick quick
}

// init readies c for collective calls. Exchanges on its board so far have used
// the sequence numbers up to seq.
func (k *collState) init(c *core, seq uint64, o collectives.Options) error {
	k.t = newCollTransport(c)
	k.t.note.Team = uint32(c.global(0))<<16 | uint32(c.idOf(0).number())
	var t collectives.Transport = k.t
	if c.board != noBoard {
		k.x = newExchanger(k.t, c.t.Board(), c.board, seq)
		t = k.x
	}
	k.quick.init(k.x, o.Force)
	group, err := collectives.New(t, o)
	k.group = group
	return err
}

// part is a barrier by messages. After it no rank looks at another's flags of
// this communicator any more, which a barrier on the board itself cannot tell:
// there the others may have seen this rank's last flag, or not yet.
func (k *collState) part() error {
	k.before = 0 // where a context has ended the ranks need not have made the same calls
	k.sign(makeSign(callFree, 0, 0, 0))
	g, err := collectives.New(parting{k.t}, collectives.Options{})
	if err != nil {
		return err
	}
	return g.Barrier()
}

// A parting is a collTransport whose messages never meet those of calls: where
// a context has ended, one rank may free a communicator while another is still
// in a call on it.
type parting struct{ *collTransport }

// partTag is the half of the tags that calls leave free.
const partTag = collectives.MaxTag>>1 + 1

// Isend is that of the collTransport, with another tag.
func (t parting) Isend(i int, buf []byte, dst, tag int) error {
	return t.collTransport.Isend(i, buf, dst, tag|partTag)
}

// Irecv is that of the collTransport, with another tag.
func (t parting) Irecv(i int, buf []byte, src, tag int) error {
	return t.collTransport.Irecv(i, buf, src, tag|partTag)
}

// begin notes the name of the call in progress and the context that limits it.
func (k *collState) begin(call string, ctx context.Context) {
	k.t.call, k.t.ctx, k.t.lost = call, ctx, nil
}

// lastSeq is the last sequence number used on the board.
func (k *collState) lastSeq() uint64 {
	if k.x == nil {
		return 0
	}
	return k.x.turns.seq
}

var _ collectives.Reducer = (*reducer)(nil)

// A reducer is a fold with what algorithms must know of it.
type reducer struct {
	fold        fold
	size        int // bytes of one element
	typ         typeCode
	code        uint32 // of the operation, in a callSign
	commutative bool
}

// Reduce combines in into inout.
func (r *reducer) Reduce(in, inout []byte) { r.fold(in, inout) }

// ElemSize is the size of one element in bytes.
func (r *reducer) ElemSize() int { return r.size }

// Commutative reports whether operands may change places.
func (r *reducer) Commutative() bool { return r.commutative }

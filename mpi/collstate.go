package mpi

import (
	"context"
	"errors"
	"sync"

	"rhinet/collectives"
	"rhinet/internal/observe"
)

// A collState is what a communicator needs for collective calls.
type collState struct {
	mu       sync.Mutex // one collective call at a time
	t        *collTransport
	x        *exchanger // nil: no flag board
	history  *history   // of a checked job; else nil
	barriers *barriers  // nil: no barrier controllers
	group    *collectives.Group
	before   uint32       // hash of the calls so far, see callSign
	begun    observe.Mark // when the call in progress began, if that is written down
	over     callSign     // turns the type of bytes into that of the items they are of; else 0
	apart    bool         // that is so, or there is a history

	launches launches   // of operations that are not blocking
	async    *exchanges // of these; nil: none
	scripts  uint32     // calls so far, of an inter-communicator

	quick *quick
	none  quick // in the place of quick while calls are prepared, and not carried out
}

// init readies c for collective calls. Exchanges on its board so far have used
// the sequence numbers up to seq.
func (k *collState) init(c *core, seq uint64, o collectives.Options) error {
	k.t = newCollTransport(c)
	k.history = c.w.newHistory(c.size)
	k.swap(0)
	k.t.note.Team = uint32(c.global(0))<<16 | uint32(c.idOf(0).number())
	var t collectives.Transport = k.t
	if c.board != noBoard {
		var err error
		if k.barriers, err = openBarriers(c, seq); err != nil {
			return err
		}
		if k.barriers != nil {
			k.t.cross(k.barriers)
		}
		if board := c.t.Board(); board != nil {
			k.x = newExchanger(k.t, board, c.board, seq)
			t = k.x
		}
	}
	k.quick = new(quick)
	k.quick.init(k.x, o, c.size)
	k.async = newExchanges(k.x, seq)
	if !c.onHost(c.w) {
		o.Hosts = make([]int, c.size)
		for r := range o.Hosts {
			o.Hosts[r] = c.t.Host(c.global(r))
		}
	}
	group, err := collectives.New(t, o)
	if lib, ok := c.t.(library); ok && err == nil {
		group = group.Catcher(lib.Collective)
	}
	k.group = group
	return err
}

// part is a barrier by messages. After it no rank looks at another's flags of
// this communicator any more, which a barrier on the board itself cannot tell:
// there the others may have seen this rank's last flag, or not yet. Before it this rank
// shows the others that it is in Free, if they should be in another call.
//
// A rank that has left the communicator to itself because the ranks were in different calls does
// not wait. It says so to those who do, and all come to know. Then nothing is known of who looks at flags.
func (k *collState) part() (broken bool, err error) {
	k.before = 0 // where a context has ended the ranks need not have made the same calls
	k.sign(makeSign(callFree, 0, 0), 0)
	k.show()
	c, mine, theirs := k.t.c, []byte{0}, []byte{0}
	t := newCollTransport(c)
	t.ctx, t.call, t.note, t.mark = k.t.ctx, k.t.call, k.t.note, k.t.mark
	alone := k.t.broken != nil || k.history.told()
	if alone {
		mine[0] = 1
	}
	for far, tag := 1, partTag; far < c.size && err == nil; far, tag = far*2, tag+1 {
		err = t.Isend(0, mine, (c.rank+far)%c.size, tag)
		if err == nil && !alone {
			err = t.Irecv(1, theirs, (c.rank-far+c.size)%c.size, tag)
		}
		err = errors.Join(err, t.Wait(0, 2))
		mine[0] |= theirs[0]
	}
	return mine[0] != 0 || err != nil, err
}

// show has those who wait for this rank in an exchange or a barrier see what it is in.
func (k *collState) show() {
	if k.x != nil {
		k.x.show()
	}
	if b := k.barriers; b != nil {
		k.t.c.t.Perform(func() { b.enter(callSign(k.t.note.Sign)) })
	}
}

// partTag is the first of the tags that calls leave free: where a context has ended, one rank may
// free a communicator while another is still in a call on it.
const partTag = collectives.MaxTag + 1

// begin notes the name of the call in progress and the context that limits it.
func (k *collState) begin(call string, ctx context.Context) {
	k.t.call, k.t.ctx, k.t.lost = call, ctx, nil
}

// lastSeq is the last sequence number used on the board, and on the barrier controllers.
func (k *collState) lastSeq() (last uint64) {
	if k.x != nil {
		last = k.x.turns.seq
	}
	if k.async != nil {
		last = max(last, k.async.last, k.async.restarts.top)
	}
	if k.barriers != nil {
		last = max(last, k.barriers.last())
	}
	return last
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

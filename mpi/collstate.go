package mpi

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"rhinet/collectives"
	"rhinet/internal/observe"
	"rhinet/llc"
)

// A collState is what a communicator needs for collective calls.
type collState struct {
	mu       sync.Mutex // one collective call at a time
	t        *collTransport
	x        *exchanger // nil: no flag array
	history  *history   // of a checked job; else nil
	barriers *barriers  // nil: no barrier controllers
	group    *collectives.Group
	before   uint32       // hash of the earlier calls, see callSign
	begun    observe.Mark // when the call in progress began, if calls are recorded
	over     callSign     // for bytes of items: turns the sign of bytes into that of the items; else 0
	item     int          // bytes of one item, if they must agree; else 0
	within   wholeCall    // of a window's communicator
	apart    bool         // over or within is set, or there is a history

	launches launches   // of operations that are not blocking
	async    *exchanges // the exchanges of these; nil: none
	scripts  uint32     // calls so far, of an inter-communicator

	gathered, scattered, sent division // what Gatherv and Alltoallv receive, Scatterv and Alltoallv send

	users guardedOp   // the user's operation of the blocking call in progress
	watch bool        // blocking calls must not use the buffers of requests: see uses
	clash *touchError // that the one in progress does; else nil
	flats flats       // of the one in progress, in a checked job

	visits atomic.Int32 // calls to neighbors in progress

	quick *quick
	none  quick // replaces quick while calls are only prepared
}

// init readies c for collective calls. Exchanges on its flag array have used the
// sequence numbers up to seq.
func (k *collState) init(c *core, seq uint64, o collectives.Options) error {
	k.t = newCollTransport(c)
	k.history = c.w.newHistory(c.size)
	k.swap(0, 0)
	k.t.note.Team, k.t.note.Comm = uint32(c.global(0))<<16|uint32(c.idOf(0).number()), &c.name
	var t collectives.Transport = k.t
	if c.flagArray != noFlagArray {
		var err error
		if k.barriers, err = openBarriers(c, seq); err != nil {
			return err
		}
		if k.barriers != nil {
			k.t.cross(k.barriers)
		}
		if flagArray := c.t.FlagArray(); flagArray != nil {
			k.x = newExchanger(k.t, flagArray, c.flagArray, seq)
			t = k.x
		}
	}
	k.quick = new(quick)
	if k.x != nil {
		k.quick.init(k.x, o, c.size, func(kind collectives.Kind) int { return o.Exchanges(kind, c.size, len(k.x.mine)) })
	}
	k.async = newExchanges(k.x, seq, o)
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

// part is a barrier by messages. After it no rank reads another's flags of this
// communicator any more. A barrier on the flag array itself cannot tell that: some
// ranks may not yet have seen this rank's last flag. Before the barrier this rank shows
// the others that it is in Free, whose sign it has, in case they are in another call.
//
// A rank whose use of the communicator has ended because the ranks were in different
// calls does not wait. It says so to those that do, and all learn it. Then it is
// unknown who still reads flags.
func (k *collState) part() (broken bool, err error) {
	k.show()
	c, mine, theirs := k.t.c, []byte{0}, []byte{0}
	t := newCollTransport(c)
	t.ctx, t.call, t.note, t.mark = k.t.ctx, k.t.call, k.t.note, k.t.mark
	if c.w.Clock == nil {
		t.call = llc.Serving // Free may have returned: the program does not wait
	}
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

// show has ranks that wait for this one in an exchange or a barrier see the call it is
// in.
func (k *collState) show() {
	if k.x != nil {
		k.x.show()
	}
	if b := k.barriers; b != nil {
		k.t.c.t.Perform(func() { b.enter(callSign(k.t.note.Sign)) })
	}
}

// partTag is the first of the tags that calls do not use: where a context has ended,
// one rank may free a communicator while another is still in a call on it.
const partTag = collectives.MaxTag + 1

// begin records the name of the call in progress and the context that limits it.
func (k *collState) begin(call string, ctx context.Context) {
	k.t.call, k.t.ctx, k.t.lost = call, ctx, nil
}

// lastSeq is the last sequence number used on the flag array, and on the barrier controllers.
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

// A reducer is a fold and what algorithms must know about it.
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

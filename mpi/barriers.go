package mpi

import (
	"rhinet/collectives"
	"rhinet/llc/ir"
)

// barriers are the barriers of a communicator that the barrier controllers of the
// network serve. Each consists of two codes: the first says that this rank has come,
// and the second waits until all have executed the first. A code is executed when the
// one before has been passed, so barriers follow each other in the order in which they
// were entered, which is the same on all ranks, and a rank that waits for any of them
// makes progress with all.
//
// The methods are called where the transport may be called: in AwaitCollective and
// Perform.
type barriers struct {
	codes  ir.Codes
	ranks  []int     // the other ranks
	peers  []int     // the same as numbers in the transport
	all    []barrier // by number; numbers of finished ones are reused
	unused []int
	queue  []int // entered, and not yet by all ranks, oldest first
	codesN int   // codes of the oldest that have been executed
	waits  bool  // the one executed last has not been passed
}

// A barrier is the state of one barrier.
type barrier struct {
	sign    callSign
	over    bool // all ranks have come
	odd     bool // rank strange is in another call, with the sign theirs
	strange int
	theirs  callSign
}

// openBarriers returns the barriers of a communicator that has a flag array; nil if no
// controllers serve it. Sequence numbers up to seq have been used there.
func openBarriers(c *core, seq uint64) (*barriers, error) {
	b := &barriers{}
	for rank := range c.size {
		if rank != c.rank {
			b.ranks, b.peers = append(b.ranks, rank), append(b.peers, c.global(rank))
		}
	}
	var err error
	if b.codes, err = c.t.Codes(int(c.flagArray), b.peers, seq+1); b.codes == nil || err != nil {
		return nil, err
	}
	return b, nil
}

// enter says that this rank has come to the next barrier, and returns its number.
func (b *barriers) enter(sign callSign) int {
	n := len(b.all)
	if last := len(b.unused) - 1; last >= 0 {
		n, b.unused = b.unused[last], b.unused[:last]
	} else {
		b.all = append(b.all, barrier{})
	}
	b.all[n] = barrier{sign: sign}
	b.queue = append(b.queue, n)
	b.progress()
	return n
}

// codesOfBarrier is the number of codes of a barrier.
const codesOfBarrier = 2

// progress executes codes as far as they can be passed.
func (b *barriers) progress() {
	for {
		if b.waits {
			if !b.codes.Go() {
				return
			}
			b.waits = false
			if b.codesN == codesOfBarrier {
				b.end()
			}
		}
		if len(b.queue) == 0 {
			return
		}
		mark := uint32(0)
		if b.codesN == 0 {
			mark = uint32(b.all[b.queue[0]].sign)
		}
		b.codes.Code(mark)
		b.codesN, b.waits = b.codesN+1, true
	}
}

// end ends the oldest barrier, to which all have come, and checks that all ranks made
// the same call.
func (b *barriers) end() {
	oldest := &b.all[b.queue[0]]
	oldest.over = true
	for i, peer := range b.peers {
		if mark, ok := b.codes.Mark(peer); !ok || callSign(mark) != oldest.sign {
			oldest.odd, oldest.strange, oldest.theirs = true, b.ranks[i], callSign(mark)
			break
		}
	}
	b.queue, b.codesN = append(b.queue[:0], b.queue[1:]...), 0
}

// left returns the end of a barrier, if it has ended.
func (b *barriers) left(n int) (end barrier) {
	b.progress()
	if end = b.all[n]; end.over {
		b.unused = append(b.unused, n)
	}
	return end
}

// ahead reports whether a rank, by its number in the transport, has come to a barrier
// to which this rank has not come, and in which call.
func (b *barriers) ahead(peer int) (theirs callSign, ok bool) {
	if b.progress(); len(b.queue) > 0 {
		return 0, false
	}
	mark, ok := b.codes.Ahead(peer)
	return callSign(mark), ok
}

// last is the last sequence number that this rank has used, or will use.
func (b *barriers) last() uint64 { return b.codes.Next() }

// A crossing is the state of a collTransport at a barrier.
type crossing struct {
	*barriers
	entered int  // the barrier that was entered, or is waited for
	over    bool // it is over, as end says
	end     barrier
	enter   func() // made once, like the others, so that waiting does not allocate
	test    func() bool
	peek    func() bool
}

// cross has t use the barriers of its communicator.
func (t *collTransport) cross(b *barriers) {
	x := &t.crossing
	*x = crossing{barriers: b}
	x.enter = func() { x.entered = b.enter(callSign(t.note.Sign)) }
	x.test = func() bool {
		if !x.over {
			x.end = b.left(x.entered)
			x.over = x.end.over
		}
		return x.over || t.told()
	}
	x.peek = func() bool { x.test(); return true }
}

var _ collectives.Controller = (*collTransport)(nil)

// Controls reports whether barrier controllers serve the communicator.
func (t *collTransport) Controls() bool { return t.crossing.barriers != nil }

// Enter says that this rank has come to the next barrier.
func (t *collTransport) Enter() (int, error) {
	switch {
	case t.broken != nil:
		return 0, t.broken
	case t.lost != nil:
		return 0, t.lost
	case t.ctx != nil:
		if err := t.ended(); err != nil {
			return 0, err
		}
	}
	x := &t.crossing
	x.entered, x.over = -1, false
	if t.c.t.Perform(x.enter); x.entered < 0 {
		t.lost = errClosed
		return 0, t.lost
	}
	if to := t.c.w.Observe; to != nil {
		to.Add(t.call, 0)
	}
	return x.entered, nil
}

// Left reports whether all ranks have come to a barrier.
func (t *collTransport) Left(barrier int, wait bool) (done bool, err error) {
	x := &t.crossing
	if t.op != nil {
		if !t.op.when(nil, x.test) {
			return false, nil
		}
		return true, t.passed()
	}
	x.entered, x.over = barrier, false
	switch {
	case !wait:
		return t.leftAlready()
	case t.ctx != nil:
		return true, t.waitLimited(x.test, t.leftAlready)
	}
	if t.c.t.AwaitCollective(t.call, &t.note, nil, x.test); !x.over {
		if t.lost = failure(t.c.t); t.lost == nil {
			t.lost = errClosed
		}
		return true, t.lost
	}
	return true, t.met()
}

// leftAlready is Left without waiting.
func (t *collTransport) leftAlready() (bool, error) {
	x := &t.crossing
	t.c.t.Probe(t.c.id.pointToPoint(), 0, 0) // makes progress
	if t.c.t.AwaitCollective(t.call, &t.note, nil, x.peek); x.over {
		return true, t.met()
	}
	if err := failure(t.c.t); err != nil || t.told() {
		if t.lost = err; err == nil {
			t.lost = errClosed
		}
		return true, t.lost
	}
	if t.ctx == nil {
		return false, nil
	}
	err := t.ended()
	return err != nil, err
}

// passed ends a barrier for which the operation does not wait any more.
func (t *collTransport) passed() error {
	if t.crossing.over {
		return t.met()
	}
	if t.lost = failure(t.c.t); t.lost != nil {
		return t.lost
	}
	if t.ctx != nil {
		if err := t.ended(); err != nil {
			return err
		}
	}
	t.lost = errClosed
	return t.lost
}

// met ends a barrier to which all ranks have come.
func (t *collTransport) met() error {
	switch end := &t.crossing.end; {
	case end.odd && end.theirs == end.sign^otherWay:
		return t.another(end.strange)
	case end.odd:
		return t.disagree(end.strange, end.sign, end.theirs, false) // there are no lengths
	}
	return nil
}

package mpi

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// An exchanger is a collTransport with a flag board: a rank that gives something
// raises its flag with a few bytes, and one that takes something waits until the
// flags of those who give it carry the number of this exchange. See turns for when a
// flag may be raised again.
//
// Before a rank leaves the communicator, and may raise its flags of this board for
// another, it knows by messages that all have read the last ones: see collState.part.
type exchanger struct {
	*collTransport
	board ir.Board
	index int
	order []int // the other ranks, as they are looked at
	peers []int // the same as numbers in the transport
	at    []int // where in them each rank is
	turns turns
	signs [windows]callSign // of the last exchange of each window

	// The exchange in progress.
	flow     collectives.Flow
	root     int
	give     []byte // what the flag carries
	take     []byte
	n        int      // bytes of one contribution to take
	rouse    []int    // who may wait for the flag, as numbers in the transport
	unraised bool     // the flag is to be raised
	catchUp  uint64   // not 0: looks for the flags with this number first
	number   uint32   // what the flags that are looked for carry
	sign     callSign // and their mark
	missing  uint64   // those of order whose flag is not here
	odd      bool     // somebody is in another call: rank strange, with the sign theirs
	strange  int
	theirs   callSign
	fence    atomic.Uint32

	raise  func()      // made once, like the others, so that waiting does not allocate
	first  func()      // is all of an exchange for which nobody waits
	raised func() bool // reports whether everybody's flag is here
	peek   func() bool // looks once; a closed transport does not call it
	peeked bool

	// short takes the contributions of all ranks to a short call: see quick.init. Words,
	// so that it is aligned for any element.
	short []uint64
	mine  *[ir.FlagBytes]byte // what this rank gives that does not lie in one piece; apart, for in here it made every call of 8 bytes a tenth slower
}

var _ collectives.Exchange = (*exchanger)(nil)

func newExchanger(t *collTransport, board ir.Board, slot boardSlot, seq uint64) *exchanger {
	x := &exchanger{collTransport: t, board: board, index: int(slot), turns: newTurns(seq, t.c.w.Collectives.Oversubscribed)}
	x.order, x.at = lookOrder(t.c), make([]int, t.c.size)
	for i, rank := range x.order {
		x.peers = append(x.peers, t.c.global(rank))
		x.at[rank] = i
	}
	x.mine = new([ir.FlagBytes]byte)
	x.raise, x.raised = x.put, x.look
	x.first = func() {
		if x.look() {
			x.put()
		}
	}
	x.peek = func() bool { x.look(); x.peeked = true; return true }
	if t.c.coll.history != nil {
		x.raised = func() bool { return x.told() || x.look() }
		x.peek = func() bool { x.peeked = !x.told() && (x.look() || true); return true }
	}
	return x
}

// lookOrder lists the other ranks of c from the next one on, so that not all
// wake rank 0 first. Where ranks share processors, those that began on this one
// come first: while one of them is missing it needs the processor, and nobody
// should touch the lines that ranks elsewhere are about to write.
func lookOrder(c *core) []int {
	var here, elsewhere []int
	for i := 1; i < c.size; i++ {
		rank := (c.rank + i) % c.size
		if n := c.w.Processors; n > 0 && n < c.w.Size && (c.global(rank)-c.global(c.rank))%n == 0 {
			here = append(here, rank)
		} else {
			elsewhere = append(elsewhere, rank)
		}
	}
	return append(here, elsewhere...)
}

// ExchangeBytes is the payload of one flag.
func (x *exchanger) ExchangeBytes() int { return ir.FlagBytes }

// Exchange makes one exchange, and waits for what it brings this rank.
func (x *exchanger) Exchange(f collectives.Flow, root int, in, out []byte) error {
	if x.ctx != nil {
		return x.exchangeLimited(f, root, in, out)
	}
	if x.lost != nil {
		return x.lost // in the name of this call nothing more is shown
	}
	if x.begin(f, root, in, out); x.catchUp != 0 {
		x.c.t.AwaitCollective(x.call, &x.note, nil, x.raised)
		if err := x.caughtUp(); err != nil {
			return err
		}
	}
	if !f.Together() {
		x.c.t.Perform(x.first)
	}
	if x.missing != 0 && !x.odd {
		x.c.t.AwaitCollective(x.call, &x.note, x.raise, x.raised)
	}
	return x.finish()
}

// begin takes the next number, and readies the exchange for its flags, or for
// those that must have been raised before.
func (x *exchanger) begin(f collectives.Flow, root int, in, out []byte) {
	x.flow, x.root, x.give, x.take = f, root, in, out
	if x.catchUp = x.turns.next(); x.catchUp != 0 {
		x.n = 0
		x.expect(x.catchUp, x.signs[x.turns.place(x.catchUp)], x.everybody())
		return
	}
	x.ready()
}

// caughtUp ends the wait for flags that must have been raised before.
func (x *exchanger) caughtUp() error {
	if err := x.verdict(); err != nil {
		x.give, x.take = nil, nil
		return err
	}
	x.turns.seen(x.catchUp)
	x.catchUp = 0
	x.ready()
	return nil
}

// ready readies the exchange for its flags.
func (x *exchanger) ready() {
	x.unraised, x.rouse, x.n = true, x.peers, len(x.give)
	missing := uint64(0)
	switch mine := x.c.rank == x.root; {
	case x.flow == collectives.AllToAll:
		copy(x.part(x.c.rank), x.give)
		missing = x.everybody()
	case x.flow == collectives.ToRoot:
		if mine {
			x.keep(x.part(x.root))
			x.unraised, missing = false, x.everybody()
		} else {
			x.rouse = x.peers[x.at[x.root]:][:1]
		}
	case x.flow == collectives.FromRoot:
		if !mine {
			x.n, x.give = len(x.take), nil
			x.unraised, missing = false, 1<<x.at[x.root]
		}
	default:
		x.n, missing = len(x.take)/x.c.size, x.everybody()
		copy(x.part(x.c.rank), x.give)
	}
	x.expect(x.turns.seq, callSign(x.note.Sign), missing)
	if x.turns.last() {
		x.signs[x.turns.place(x.turns.seq)] = x.sign
		if x.turns.owed() {
			x.unraised, x.rouse = true, x.peers
		}
	}
}

// keep puts root's own contribution in its place, where it may be already.
func (x *exchanger) keep(place []byte) {
	if len(place) > 0 && &place[0] != &x.give[0] {
		copy(place, x.give)
	}
	x.give = nil
}

// expect says which flags are looked for.
func (x *exchanger) expect(seq uint64, sign callSign, missing uint64) {
	x.number, x.sign, x.missing = x.turns.number(seq), sign, missing
}

// everybody has a bit for each other rank.
func (x *exchanger) everybody() uint64 { return 1<<len(x.order) - 1 }

// finish is the end of an exchange for which nobody waits any longer.
func (x *exchanger) finish() error {
	err := x.verdict()
	x.give, x.take = nil, nil
	if err == nil && x.flow.Together() {
		x.turns.seen(x.turns.seq)
	}
	return err
}

// verdict is how a wait for flags has ended.
func (x *exchanger) verdict() error {
	switch {
	case x.missing == 0 && (x.catchUp != 0 || !x.unraised):
		return nil
	case x.odd && (x.theirs^x.sign)&^otherWay == 0:
		return x.another(x.strange)
	case x.odd:
		return x.disagree(x.strange, x.sign, x.theirs, true)
	}
	if x.lost = failure(x.c.t); x.lost == nil {
		x.lost = errClosed
	}
	return x.lost
}

// exchangeLimited is Exchange within the limits of the context.
func (x *exchanger) exchangeLimited(f collectives.Flow, root int, in, out []byte) error {
	err := x.ExchangeStart(f, root, in, out)
	if err == nil {
		// ExchangeTest ends with the context by itself.
		poll(context.Background(), func() (done bool) {
			done, err = x.ExchangeTest()
			return done
		})
	}
	return err
}

// ExchangeStart raises this rank's flag, unless it has to wait before, and does not
// wait.
func (x *exchanger) ExchangeStart(f collectives.Flow, root int, in, out []byte) error {
	if x.ctx != nil {
		if err := x.ended(); err != nil {
			return err
		}
	}
	if x.begin(f, root, in, out); x.catchUp == 0 {
		x.c.t.Perform(x.raise)
	}
	return nil
}

// show raises this rank's flag for no exchange: it says to those who wait for it in one which call this
// rank is in, and wakes them. Where it would have to wait before, they are not told.
func (x *exchanger) show() {
	if x.begin(collectives.FromRoot, x.c.rank, nil, nil); x.catchUp == 0 {
		x.c.t.Perform(x.raise)
	}
}

// ExchangeTest looks for the flags of the others.
func (x *exchanger) ExchangeTest() (bool, error) {
	x.c.t.Probe(x.c.id.pointToPoint(), 0, 0, false) // makes progress
	if x.catchUp != 0 {
		if ended, err := x.test(); !ended || err != nil {
			return ended, err
		}
		if err := x.caughtUp(); err != nil {
			return true, err
		}
		x.c.t.Perform(x.raise)
	}
	if ended, err := x.test(); !ended || err != nil {
		return ended, err
	}
	return true, x.finish()
}

// test looks once for the flags of the others, and reports whether there is nothing
// to wait for. The error is that of the context or the transport.
func (x *exchanger) test() (bool, error) {
	x.peeked = false
	x.c.t.AwaitCollective(x.call, &x.note, nil, x.peek)
	if x.missing == 0 || !x.peeked || x.odd {
		return true, nil
	}
	err := failure(x.c.t)
	if x.ctx == nil {
		return err != nil, err
	}
	if err == nil {
		err = x.ended()
	}
	if err != nil {
		x.give, x.take = nil, nil
	}
	return err != nil, err
}

// errClosed is what a wait finds that the transport ended.
var errClosed = errors.New("the transport was closed while waiting")

// failure returns why t has lost ranks, or nil; see [port.Port.Failure].
func failure(t Transport) error {
	if f, ok := t.(interface{ Failure() error }); ok {
		return f.Failure()
	}
	return nil
}

// put raises this rank's flag, if it is to be raised.
//
// Where ranks share processors many may sleep, and a flag that wakes all is one of many for which they
// wait. In an exchange of all with all only who sees everybody's flag, after its own, wakes
// the others: of two whose flags are the last at least one does.
func (x *exchanger) put() {
	if x.unraised {
		x.unraised = false
		if to := x.c.w.Observe; to != nil {
			to.Add(x.call, len(x.give))
		}
		rouse, together := x.rouse, x.flow.Together() && x.c.w.Collectives.Oversubscribed
		if together {
			rouse = nil
		}
		x.board.Raise(rouse, x.index, x.turns.number(x.turns.seq), x.note.Sign, x.give)
		if together {
			x.fence.Add(1) // the own flag is up before the others are looked at
			if x.look() {
				x.board.Rouse(x.rouse)
			}
		}
	}
	if !x.c.w.Collectives.Oversubscribed {
		x.board.Claim(x.index, x.turns.number(x.turns.seq+1))
	}
}

// look takes flags that have been raised since the last look, up to the first
// that has not: one that is missing is reason enough to go on waiting. It
// reports whether there is nothing to wait for: all have been raised, or one for
// another call.
func (x *exchanger) look() bool {
	for x.missing != 0 && !x.odd {
		i := bits.TrailingZeros64(x.missing)
		theirs, raised := x.flag(i)
		if !raised {
			if x.crossing.barriers == nil || !x.elsewhere(i) {
				return false
			}
			continue // the flag has come, or x is odd
		}
		if theirs != x.sign {
			x.odd, x.strange, x.theirs = true, x.order[i], theirs
			return true
		}
		x.missing &= x.missing - 1
	}
	return true
}

// elsewhere reports whether a rank whose flag was missing has come to a barrier of the
// controllers to which this rank has not. If it has raised its flag before, that is in order. Else it
// is there in the place of this exchange, and this rank comes there as well, to be found out.
func (x *exchanger) elsewhere(i int) bool {
	b := x.crossing.barriers
	theirs, ahead := b.ahead(x.peers[i])
	if !ahead {
		return false
	}
	if _, raised := x.flag(i); !raised {
		x.odd, x.strange, x.theirs = true, x.order[i], theirs
		mine := x.sign
		if mine == theirs {
			mine ^= otherWay
		}
		b.enter(mine)
	}
	return true
}

// flag looks at the flag of one of order, and takes what it brings.
func (x *exchanger) flag(i int) (sign callSign, raised bool) {
	mark, raised := x.board.Raised(x.peers[i], x.index, x.number, x.part(x.order[i]))
	return callSign(mark), raised
}

// part is the place of rank i's contribution.
func (x *exchanger) part(i int) []byte { return partOf(x.flow, x.take, x.n, i) }

// partOf is the place in take of the n bytes that rank i contributes to a flow.
func partOf(f collectives.Flow, take []byte, n, i int) []byte {
	switch {
	case n == 0:
		return nil
	case f == collectives.FromRoot:
		return take
	}
	return take[i*n : (i+1)*n]
}

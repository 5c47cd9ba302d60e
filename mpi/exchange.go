package mpi

import (
	"errors"
	"math/bits"
	"sync/atomic"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// An exchanger is a collTransport with a flag array: a rank that contributes raises its
// flag with a few bytes, and a rank that receives waits until the flags of the
// contributors carry the number of this exchange. See turns for when a flag may be
// raised again.
//
// Before a rank leaves the communicator, and may raise its flags of this flag array for
// another one, it knows by messages that all ranks have read the last flags: see
// collState.part.
type exchanger struct {
	*collTransport
	flagArray      ir.FlagArray
	index          int
	oversubscribed bool
	order          []int // the other ranks, in the order in which their flags are read
	peers          []int // the same as numbers in the transport
	at             []int // index of each rank in order and peers
	turns          turns
	signs          [windows]callSign // of the last exchange of each window

	// The exchange in progress.
	flow     collectives.Flow
	root     int
	give     []byte // what the flag carries
	take     []byte
	n        int      // bytes of one contribution to take
	wake     []int    // who may wait for the flag, as numbers in the transport
	unraised bool     // the flag is to be raised
	catchUp  uint64   // not 0: wait for the flags with this number first
	number   uint32   // number of the flags that are waited for
	sign     callSign // and their mark
	missing  uint64   // bits of the ranks of order whose flag has not been seen
	odd      bool     // a rank is in another call: rank strange, with the sign theirs
	strange  int
	theirs   callSign
	fence    atomic.Uint32

	ahead outlook

	// leads is set by a call in which this rank gave data to all others, and cleared by
	// the barrier after it, in which this rank tries to raise the last flag.
	leads atomic.Bool
	looks int // before it raises the flag in any case

	raise   func()      // made once, like the others, so that waiting does not allocate
	first   func()      // makes a whole exchange if no wait is needed
	raised  func() bool // reports whether all flags have been seen
	closing func() bool // the same, and raises the flag as the last
	peek    func() bool // tests once; a closed transport does not call it
	peeked  bool

	// short receives the contributions of all ranks to a short call.
	// Words, so that it is aligned for any element.
	short []uint64
	mine  []byte // a contribution that is not in one piece, of the largest length
}

var _ collectives.Exchange = (*exchanger)(nil)

func newExchanger(t *collTransport, flagArray ir.FlagArray, slot flagArraySlot, seq uint64) *exchanger {
	x := &exchanger{collTransport: t, flagArray: flagArray, index: int(slot), oversubscribed: t.c.w.Collectives.Oversubscribed}
	x.turns = newTurns(seq, x.oversubscribed)
	x.order, x.at = lookOrder(t.c), make([]int, t.c.size)
	for i, rank := range x.order {
		x.peers = append(x.peers, t.c.global(rank))
		x.at[rank] = i
	}
	x.mine = make([]byte, shortBytes)
	if x.oversubscribed {
		x.mine = make([]byte, sharedBytes)
	}
	x.short = make([]uint64, (t.c.size*len(x.mine)+7)/8)
	x.raise, x.raised = x.put, x.look
	t.note.Flags = x
	x.first = func() {
		if x.look() {
			x.put()
		}
	}
	x.closing = func() bool {
		all := x.raised()
		if x.unraised && (all || x.looks == 0) {
			x.put()
		}
		x.looks--
		return all
	}
	x.peek = func() bool { x.look(); x.peeked = true; return true }
	if t.c.coll.history != nil {
		x.raised = func() bool { return x.told() || x.look() }
		x.peek = func() bool { x.peeked = !x.told() && (x.look() || true); return true }
	}
	return x
}

// lookOrder lists the other ranks of c from the next one on, so that not all wake rank
// 0 first. Where ranks share processors, the ranks that started on this processor come
// first: while one of them is missing it needs the processor, and no rank should touch
// the lines that ranks elsewhere are about to write.
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

// ExchangeBytes is the largest contribution to an exchange.
func (x *exchanger) ExchangeBytes() int { return len(x.mine) }

// Exchange makes one exchange, and waits for what this rank receives.
func (x *exchanger) Exchange(f collectives.Flow, root int, in, out []byte) error {
	if x.ctx != nil {
		return x.exchangeLimited(f, root, in, out)
	}
	if x.lost != nil {
		return x.lost // this call shows nothing more
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
	switch {
	case x.missing == 0 || x.odd:
	case f == collectives.AllToAll && len(in) == 0 && x.leads.CompareAndSwap(true, false):
		x.looks = lastLooks
		x.c.t.AwaitCollective(x.call, &x.note, nil, x.closing)
	default:
		x.c.t.AwaitCollective(x.call, &x.note, x.raise, x.raised)
	}
	return x.finish()
}

// lastLooks is how often a rank that leads looks for the other flags of a barrier before
// it raises its own. A wait looks more often before it sleeps.
const lastLooks = 4

// gave notes that this rank gives data to all others in the call in progress. Programs
// often do the same again after a barrier, as when root reads the next part of its
// input. Where ranks share processors the last rank to come to a barrier continues at
// once, while the others wait until the processor is theirs. If root is the last, its
// data is there when they come. Otherwise the last rank waits for root in the next call.
func (x *exchanger) gave() {
	if x != nil && x.oversubscribed && x.c.w.Clock == nil {
		x.leads.Store(true)
	}
}

// begin takes the next number, and readies the exchange for its flags, or for the flags
// that must have been raised before.
func (x *exchanger) begin(f collectives.Flow, root int, in, out []byte) {
	x.flow, x.root, x.give, x.take = f, root, in, out
	if x.catchUp = x.turns.next(); x.catchUp != 0 {
		x.n = 0
		x.expect(x.turns.number(x.catchUp), x.signs[x.turns.place(x.catchUp)], x.everybody())
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
	x.unraised, x.wake, x.n = true, x.peers, len(x.give)
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
			x.wake = x.peers[x.at[x.root]:][:1]
		}
	case x.flow == collectives.FromRoot:
		if !mine {
			x.n, x.give = len(x.take), nil
			x.unraised, missing = false, 1<<x.at[x.root]
		}
	default:
		x.n, missing = len(x.take)/x.c.size, x.everybody()
	}
	x.expect(x.turns.now, callSign(x.note.Sign), missing)
	if x.turns.last() {
		x.signs[x.turns.place(x.turns.seq)] = x.sign
		if x.turns.owed() {
			x.unraised, x.wake = true, x.peers
		}
	}
}

// keep copies root's own contribution to its place, unless it is there already.
func (x *exchanger) keep(place []byte) {
	if len(place) > 0 && &place[0] != &x.give[0] {
		copy(place, x.give)
	}
	x.give = nil
}

// expect sets which flags are waited for.
func (x *exchanger) expect(number uint32, sign callSign, missing uint64) {
	x.number, x.sign, x.missing = number, sign, missing
}

// everybody returns a mask with a bit for each other rank.
func (x *exchanger) everybody() uint64 { return 1<<len(x.order) - 1 }

// finish ends an exchange for which no goroutine waits any more.
func (x *exchanger) finish() error {
	x.give, x.take = nil, nil
	if x.missing != 0 || x.unraised {
		return x.verdict()
	}
	if x.flow.Together() {
		x.turns.seen(x.turns.seq)
	}
	return nil
}

// verdict returns how a wait for flags has ended.
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

// exchangeLimited is Exchange with a context.
func (x *exchanger) exchangeLimited(f collectives.Flow, root int, in, out []byte) error {
	if err := x.ExchangeStart(f, root, in, out); err != nil {
		return err
	}
	return x.waitLimited(x.raised, x.ExchangeTest)
}

// ExchangeStart raises this rank's flag, unless it must wait for others first, and does
// not wait.
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

// show raises this rank's flag without an exchange: it tells ranks that wait for this
// rank in an exchange which call it is in, and wakes them. If this rank would have to
// wait first, they are not told.
func (x *exchanger) show() {
	if x.begin(collectives.FromRoot, x.c.rank, nil, nil); x.catchUp == 0 {
		x.c.t.Perform(x.raise)
	}
}

// ExchangeTest tests the flags of the other ranks.
func (x *exchanger) ExchangeTest() (bool, error) {
	x.c.t.Probe(x.c.id.pointToPoint(), 0, 0) // makes progress
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

// test tests once the flags of the other ranks, and reports whether the wait is over.
// The error is that of the context or the transport.
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

// errClosed is the error of a wait that the end of the transport ended.
var errClosed = errors.New("the transport was closed while waiting")

// failure returns why t has lost ranks, or nil; see [port.Port.Failure].
func failure(t Transport) error {
	if f, ok := t.(interface{ Failure() error }); ok {
		return f.Failure()
	}
	return nil
}

// Awaited returns a rank of the job that has not come: see [ir.Collective].
func (x *exchanger) Awaited() int { return x.awaited(x.missing) }

// awaited returns the first rank of the job whose flag is missing, or NoPeer.
func (x *exchanger) awaited(missing uint64) int {
	if missing == 0 {
		return ir.NoPeer
	}
	return x.peers[bits.TrailingZeros64(missing)]
}

// put raises this rank's flag, if it is to be raised.
//
// Where ranks share processors many may sleep, and a flag that wakes all is only one of
// many that they wait for. In an exchange of all with all only a rank that sees all
// flags, after it has raised its own, wakes the others: of two ranks whose flags are
// the last at least one does.
func (x *exchanger) put() {
	if x.unraised {
		x.unraised = false
		if to := x.c.w.Observe; to != nil {
			to.Add(x.call, len(x.give))
		}
		wake, together := x.wake, x.lastWakes(x.flow)
		if together {
			wake = nil
		}
		x.flagArray.Raise(wake, x.index, x.turns.now, x.note.Sign, x.give)
		if together {
			x.fence.Add(1) // raise the own flag before reading the others
			if x.look() {
				x.flagArray.WakePeers(x.wake)
			}
		}
	}
	x.prefetch(x.turns.after(), 0)
	if n := len(x.give); n > ir.FlagInline {
		x.prefetch(x.turns.number(x.ahead.after(x.turns.seq)), n)
	}
}

// lastWakes reports whether only the last rank to come wakes the others, see put.
func (x *exchanger) lastWakes(f collectives.Flow) bool {
	return f.Together() && x.oversubscribed
}

// prefetch fetches the flag of a number into the cache, because this rank raises it
// soon, with n bytes. Where ranks share processors that gains nothing: no rank reads a
// flag while another writes it.
func (x *exchanger) prefetch(number uint32, n int) {
	if !x.oversubscribed {
		x.flagArray.Prefetch(x.index, number, n)
	}
}

// An outlook foresees in which exchange this rank raises a flag with long data again:
// as far ahead as the last one was from the one before, because calls with data and
// barriers often alternate.
type outlook struct{ last uint64 }

// farthest is how far ahead an outlook foresees.
const farthest = 8

// after returns the number of that exchange after one with the number seq.
func (o *outlook) after(seq uint64) uint64 {
	gap := seq - o.last
	if o.last = seq; gap > farthest {
		gap = 1
	}
	return seq + gap
}

// look takes the flags that have been raised since the last call, up to the first one
// that has not: one missing flag is reason enough to go on waiting. It reports whether
// the wait is over: all flags have been raised, or one of them for another call.
func (x *exchanger) look() bool {
	for x.missing != 0 && !x.odd {
		i := bits.TrailingZeros64(x.missing)
		theirs, raised := x.flag(i)
		if !raised {
			if x.crossing.barriers == nil || !x.elsewhere(i) {
				return false
			}
			continue // the flag is up, or x is odd
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
// controllers to which this rank has not come. If it has raised its flag before, that
// is right. Else it is in that barrier instead of this exchange, and this rank enters
// the barrier, too, so that the mismatch is noticed.
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

// flag reads the flag of rank order[i], and copies its data.
func (x *exchanger) flag(i int) (sign callSign, raised bool) {
	mark, raised := x.flagArray.Raised(x.peers[i], x.index, x.number, x.part(x.order[i]))
	return callSign(mark), raised
}

// part is the place of rank i's contribution.
func (x *exchanger) part(i int) []byte { return partOf(x.flow, x.take, x.n, i) }

// partOf returns the place in take of the n bytes that rank i contributes to a flow.
func partOf(f collectives.Flow, take []byte, n, i int) []byte {
	switch {
	case n == 0:
		return nil
	case f == collectives.FromRoot:
		return take
	}
	return take[i*n : (i+1)*n]
}

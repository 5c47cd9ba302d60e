package mpi

import (
	"math/bits"
	"slices"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// An exchanges makes the exchanges of nonblocking operations, which are begun once, in
// the same order on all ranks, on flags that blocking calls do not use. Several may be
// in progress, and they end in any order. So a rank that has come to an exchange need
// not have ended the earlier ones, as with blocking calls (see turns). Instead
//
//   - every rank raises its flag in every exchange, in the order of their numbers;
//   - it raises the flag of number m only after it has ended all exchanges up to
//     m - asyncWindow.
//
// Numbers are divided into windows, four to a lap of flags. Before a rank raises the
// first flag of window v, it has seen the last flag of window v-2, F, of all other
// ranks. They had ended window v-3 then, and so v-4, whose flags are raised again from
// here on. And F is still up: to raise it again a rank must have seen a flag of window
// v that this rank has not raised.
//
// A flag that may not be raised yet is raised by any goroutine that makes progress:
// then its operation is a task of the transport. All other operations need nothing of
// this rank until it waits or tests, as long as only the flags of others can end them.
type exchanges struct {
	x       *exchanger
	last    uint64                 // number of the last exchange begun
	flag    uint32                 // the same as flags carry it
	met     uint64                 // number of an exchange that all ranks have come to
	open    [asyncWindow]*exchange // whose flags are up, and which wait for other flags
	waiting []*exchange            // whose flags are not raised yet, in order
	busy    bool                   // these flags are being raised
	all     []int                  // the ranks, as numbers in the transport
	quick   quick                  // which calls go by flags
	ahead   outlook

	restarts restarts // of persistent operations
}

const (
	asyncWindow = 16                    // most exchanges that wait with their flags up; also the numbers of a window
	asyncLap    = windows * asyncWindow // flags in use
	asyncBase   = sharedLap             // the first of them: blocking calls use those before
)

// These do not compile unless asyncLap flags fit in the flag array, after those of
// blocking calls.
const _, _ = uint(ir.FlagTurns - asyncBase - asyncLap), uint(sharedLap - nearLap)

// newExchanges returns the exchanges on the flags of x that follow the one with the
// number seq, in which all ranks took part. It returns nil if x is nil; if the network
// makes barriers, as some of these calls would use those instead; and in virtual time,
// where every reading of a flag is a call that takes time.
func newExchanges(x *exchanger, seq uint64, o collectives.Options) *exchanges {
	if x == nil {
		return nil
	}
	if w := x.c.w; w.Clock != nil || x.crossing.barriers != nil || x.c.t.Carrier() == nil {
		return nil
	}
	k := &exchanges{x: x, last: seq, flag: asyncNumber(seq), met: seq, all: append(slices.Clone(x.peers), x.c.global(x.c.rank))}
	k.restarts.init(x, seq)
	k.quick.init(x, o, x.c.size, func(kind collectives.Kind) int {
		return o.ExchangesAside(kind, x.c.size, asideBytes(kind, o.Oversubscribed))
	})
	return k
}

// asideBytes returns the largest contribution of a rank to such a call. Of a reduction
// that is scattered each rank reads all contributions, but uses only a part of them. A
// root that shares its processor reads long flags of many ranks no sooner than packets.
func asideBytes(k collectives.Kind, oversubscribed bool) int {
	switch k {
	case collectives.ReduceScatter, collectives.ReduceScatterBlock:
		return ir.FlagBytes / 2
	case collectives.Gather, collectives.Gatherv, collectives.Reduce:
		if oversubscribed {
			return sharedBytes
		}
	}
	return ir.FlagBytes
}

// An exchange is one of these. It belongs to a launch, which uses it again. prepare
// sets its kind and buffers; the lock of the transport guards the rest.
type exchange struct {
	of      *exchanges
	t       *collTransport
	kind    collectives.Kind
	flow    collectives.Flow
	root    int
	give    []byte // what the flag carries
	take    []byte // receives what the flags of other ranks carry
	n       int    // bytes of one contribution, of the longest if they differ
	parts   []part // their places in take, if they differ; else none
	out     []byte // the final result
	from    int    // for reductions: offset in each contribution of the part that is combined
	to      int    // the last rank whose contribution is combined; -1: none
	reducer *reducer
	divided // for calls in which each rank knows only a part of the counts

	set     *startSet // of a persistent operation; nil: begun only once
	number  uint64
	flag    uint32 // number as flags carry it
	begun   bool
	raised  bool
	missing uint64 // ranks, in the exchanger's order, whose flags have not been seen
	odd     bool   // a rank is in another call: rank strange, with the sign theirs
	strange int
	theirs  callSign

	memory []uint64    // memory for take, aligned for any element
	start  func()      // made once, like the others, so that an operation does not allocate
	drop   func()      // ends the exchange, whatever is missing
	test   func() bool // reports whether the wait is over
	peek   func() bool // tests once; a closed transport does not call it
	peeked bool
	here   bool // the wait was over when peek was called
	up     bool // the flag was raised at the start
}

// ready readies e for start, for the call that t has.
func (e *exchange) ready(t *collTransport) {
	if e.t = t; e.start == nil {
		e.start, e.drop, e.test = func() { e.of.begin(e); e.up = e.raised }, func() { e.of.close(e) }, e.over
		if e.set != nil {
			e.start = func() { e.set.begin(e); e.up = e.raised }
		}
		e.peek = func() bool { e.here, e.peeked = e.over(), true; return true }
	}
	e.begun, e.raised, e.up, e.odd, e.missing = false, false, false, false, 0
	t.note.Flags = e
	if e.set != nil {
		e.give = e.set.in
	}
	c, x := e.of.x.c, e.of.x
	switch mine := c.rank == e.root; {
	case e.share != 0:
		e.enclose()
	case e.kind == collectives.Alltoall:
		own := e.n / (c.size - 1)
		if !sameStart(e.give, e.out) {
			copy(e.out[c.rank*own:][:own], e.give[c.rank*own:])
		}
		e.give, e.missing = others(e.part(c.rank), e.give, own, c.rank), x.everybody()
	case e.flow == collectives.AllToAll:
		if e.n > 0 {
			copy(e.part(c.rank), e.give)
		}
		e.missing = x.everybody()
	case e.flow == collectives.ToRoot && mine:
		copy(e.part(c.rank), e.give)
		e.give, e.missing = nil, x.everybody()
	case e.flow == collectives.FromRoot && !mine:
		e.give, e.missing = nil, 1<<x.at[e.root]
	case e.kind == collectives.Scatter:
		e.give = others(e.scratch(e.n), e.give, e.n/(c.size-1), e.root)
	}
}

// Awaited returns a rank of the job that has not come: see [ir.Collective].
func (e *exchange) Awaited() int { return e.of.x.awaited(e.missing) }

// part is the place of rank i's contribution.
func (e *exchange) part(i int) []byte {
	if len(e.parts) > 0 {
		return e.take[e.parts[i].at:][:e.parts[i].n]
	}
	return partOf(e.flow, e.take, e.n, i)
}

// over takes the flags that have been raised, and reports whether the wait is over.
func (e *exchange) over() bool {
	if !e.raised && e.begun {
		switch f := e.set; {
		case f == nil:
			e.of.advance()
		case f.broken != nil:
			return true
		default:
			f.offer(e)
		}
	}
	return e.look() || e.t.told()
}

// look takes the flags that have been raised since the last call, up to the first one
// that has not, and reports whether there are no more to wait for.
func (e *exchange) look() bool {
	if !e.raised {
		return false
	}
	x := e.of.x
	for e.missing != 0 && !e.odd {
		i := bits.TrailingZeros64(e.missing)
		mark, up := x.flagArray.Raised(x.peers[i], x.index, e.flag, e.part(x.order[i]))
		if !up {
			return false
		}
		if mark != e.t.note.Sign {
			e.odd, e.strange, e.theirs = true, x.order[i], callSign(mark)
			break
		}
		e.missing &= e.missing - 1
	}
	e.of.close(e)
	return true
}

// asyncNumber returns an exchange's number as flags carry it: see turns.number.
func asyncNumber(seq uint64) uint32 {
	return flagNumber(seq/asyncLap*ir.FlagTurns + asyncBase + seq%asyncLap)
}

// after returns the number of the exchange after seq as flags carry it, from that of seq:
// one more, except at the beginning of a lap.
func (k *exchanges) after(seq uint64, flag uint32) uint32 {
	if (seq+1)%asyncLap == 0 {
		return asyncNumber(seq + 1)
	}
	return flag + 1
}

// begin gives e the next number, and raises its flag if that is allowed.
func (k *exchanges) begin(e *exchange) {
	k.flag = k.after(k.last, k.flag)
	k.last++
	e.number, e.flag, e.begun = k.last, k.flag, true
	if len(k.waiting) == 0 && k.may(e) {
		k.raise(e)
		return
	}
	k.waiting = append(k.waiting, e)
	k.advance()
}

// may reports whether the flag of e may be raised, if all earlier ones are up.
func (k *exchanges) may(e *exchange) bool {
	if o := k.open[e.number%asyncWindow]; o != nil && !o.look() {
		return false
	}
	if e.number%asyncWindow != 0 || e.number <= k.met+2*asyncWindow {
		return true
	}
	x, seen := k.x, e.number-asyncWindow-1
	for _, peer := range x.peers {
		if _, up := x.flagArray.Raised(peer, x.index, asyncNumber(seen), nil); !up {
			return false
		}
	}
	k.met = seen
	return true
}

// raise raises the flag of e.
func (k *exchanges) raise(e *exchange) {
	x, wake := k.x, k.x.peers
	switch {
	case k.busy: // a goroutine of this rank may sleep, and have what it waits for
		wake = k.all
	case e.number%asyncWindow == asyncWindow-1: // a rank may wait for it before it raises another flag
	case e.flow == collectives.ToRoot && x.c.rank != e.root:
		wake = x.peers[x.at[e.root]:][:1]
	case e.flow == collectives.ToRoot || e.flow == collectives.FromRoot && x.c.rank != e.root:
		wake = nil
	}
	if to := x.c.w.Observe; to != nil {
		to.Add(e.t.call, len(e.give))
	}
	if e.raised = true; e.missing != 0 {
		k.open[e.number%asyncWindow] = e
	}
	e.show(wake)
	x.prefetch(k.after(e.number, e.flag), 0)
	if n := len(e.give); n > ir.FlagInline {
		x.prefetch(asyncNumber(k.ahead.after(e.number)), n)
	}
}

// show raises the flag of e, and wakes ranks. If ranks share processors and all wait for
// all, only the last one to come wakes the others, as in exchanger.put.
func (e *exchange) show(wake []int) {
	x := e.of.x
	if !x.lastWakes(e.flow) || e.of.busy {
		x.flagArray.Raise(wake, x.index, e.flag, e.t.note.Sign, e.give)
		return
	}
	x.flagArray.Raise(nil, x.index, e.flag, e.t.note.Sign, e.give)
	x.fence.Add(1) // raise the own flag before reading the others
	if e.look() {
		x.flagArray.WakePeers(x.peers)
	}
}

// advance raises the flags that may be raised now.
func (k *exchanges) advance() {
	if k.busy || len(k.waiting) == 0 {
		return
	}
	k.busy = true
	defer func() { k.busy = false }()
	for len(k.waiting) > 0 && k.may(k.waiting[0]) {
		e := k.waiting[0]
		k.waiting = slices.Delete(k.waiting, 0, 1)
		k.raise(e)
	}
}

// close ends e on this rank. If its flag has not been raised, it never is: as after a
// blocking call that ended early, the ranks do not agree any more.
func (k *exchanges) close(e *exchange) {
	if at := &k.open[e.number%asyncWindow]; *at == e {
		if *at = nil; e.missing == 0 && e.flow == collectives.AllToAll {
			k.met = max(k.met, e.number)
		}
		k.advance()
	}
	if e.raised {
		return
	}
	k.waiting = slices.DeleteFunc(k.waiting, func(o *exchange) bool { return o == e })
	k.advance()
}

// finish ends an exchange for which no goroutine waits any more: it delivers what has
// arrived.
func (e *exchange) finish() error {
	if e.raised && e.missing == 0 {
		if e.deliver(); e.set == nil {
			e.give, e.take, e.out = nil, nil, nil
		}
		return nil
	}
	e.t.c.t.Perform(e.drop)
	f := e.set
	if f == nil {
		return e.failure()
	}
	if f.broken == nil {
		f.broken = e.failure()
	}
	return f.broken
}

// failure returns why an exchange has failed.
func (e *exchange) failure() error {
	t := e.t
	switch {
	case e.odd && e.theirs == callSign(t.note.Sign):
		return t.another(e.strange)
	case e.odd:
		return t.disagree(e.strange, callSign(t.note.Sign), e.theirs, true)
	case t.ctx != nil && t.ended() != nil:
		return t.ended()
	}
	if t.lost = failure(t.c.t); t.lost == nil {
		t.lost = errClosed
	}
	return t.lost
}

package mpi

import (
	"math/bits"
	"sync"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A restarts hands out flags to the short persistent operations of a communicator.
// Ranks start those in any order, so each operation has its own flags, a set of
// startLap, which it uses in turn, and its starts have their own numbers.
//
// A rank starts an operation again only when it has ended the last start. In an
// operation in which every rank receives from all, a rank that has come to start s
// shows that all others have come to s-1, and so have ended s-2: its flag may be raised
// again. A rank that only sends may be ahead: the root of Bcast, or the others in
// Gather. So starts are divided into windows, two to a lap of flags. A rank that only
// receives raises a flag in the first start of each window, F, and a rank that only
// sends looks for these before its own first flag of the next window:
//
//	window    v-2     v-1      v
//	        |.......|F......|^
//	         `---- lap -----'  looks for F of the receivers; from here on the flags of v-2 are raised again
//
// A rank that has raised F has ended v-2. And F is still up: to raise it again a rank
// must have received all that is sent in window v.
//
// Ranks make operations in the same order, but free them alone. Each set goes to one
// operation without communication. For later operations all ranks tell which sets they
// have back, and take the first that all have; if there is none, the operation uses
// messages.
type restarts struct {
	x     *exchanger
	first uint64 // number of the first start of operations on unused flags
	top   uint64 // number of the last start of any operation; the lock of the transport guards it

	mu   sync.Mutex
	made int    // sets that have been handed out once
	free uint64 // sets that have been given back
}

const (
	startLap    = 8 // flags of one operation
	startWindow = startLap / 2
	startBase   = asyncBase + asyncLap // the first of these flags
	startSets   = (ir.FlagTurns - startBase) / startLap
)

// Sets have bits in a word.
const _ = uint(64 - startSets)

func (k *restarts) init(x *exchanger, seq uint64) { k.x, k.first, k.top = x, behind(seq), seq }

// behind returns the number of the first start of an operation on flags that have been
// used up to a number.
func behind(seq uint64) uint64 { return (seq/startLap + 1) * startLap }

// A startSet is the flags of one operation.
type startSet struct {
	of     *restarts
	number int    // of the set
	first  uint64 // number of the first start
	last   uint64 // of the last start begun
	in     []byte // what this rank sends
	broken error  // why a start has failed: the ranks do not agree any more on the flags
}

// take returns flags for the operation whose call is in progress, the same on all
// ranks; nil if none are left.
func (k *restarts) take() (*startSet, error) {
	k.mu.Lock()
	n, have := k.made, k.free
	if n < startSets {
		k.made++
	}
	k.mu.Unlock()
	first := k.first
	if n == startSets {
		all, last, err := k.agree(have)
		if all == 0 || err != nil {
			return nil, err
		}
		n, first = bits.TrailingZeros64(all), behind(last)
		k.mu.Lock()
		k.free &^= 1 << n
		k.mu.Unlock()
	}
	return &startSet{of: k, number: n, first: first, last: first - 1}, nil
}

// agree tells all ranks which sets this one has, and returns the sets that all have,
// and the highest number that any has used.
func (k *restarts) agree(have uint64) (all, last uint64, err error) {
	x := k.x
	mine := [2]uint64{0: have}
	x.c.t.Perform(func() { mine[1] = k.top })
	every := make([]uint64, 2*x.c.size)
	x.note.Sign ^= uint32(otherWay) // so that no blocking call matches it
	err = x.Exchange(collectives.AllToAll, 0, view(mine[:]), view(every))
	x.note.Sign ^= uint32(otherWay)
	if err != nil {
		return 0, 0, err
	}
	all = have
	for i := 0; i < len(every); i += 2 {
		all, last = all&every[i], max(last, every[i+1])
	}
	return all, last, nil
}

// give takes back flags that no start of this rank uses any more. After a start that
// has failed others may still look for them.
func (k *restarts) give(f *startSet) {
	if f.broken != nil {
		return
	}
	k.mu.Lock()
	k.free |= 1 << f.number
	k.mu.Unlock()
}

// reserve takes flags for the persistent operation that e is prepared for, and reports
// whether it got some.
func (e *exchange) reserve() (bool, error) {
	set, err := e.of.restarts.take()
	if set != nil {
		set.in, e.set = e.give, set
	}
	return set != nil, err
}

// flag returns the number of a start as flags carry it: see turns.number.
func (f *startSet) flag(start uint64) uint32 {
	return flagNumber(start/startLap*ir.FlagTurns + startBase + uint64(f.number)*startLap + start%startLap)
}

// begin gives e the next number, and raises its flag if that is allowed.
func (f *startSet) begin(e *exchange) {
	e.begun = true
	if f.broken == nil {
		f.last++
		f.of.top = max(f.of.top, f.last)
		e.flag = f.flag(f.last)
		f.offer(e)
	}
}

// offer raises the flag of e if that is allowed.
func (f *startSet) offer(e *exchange) {
	x, others := f.of.x, f.of.x.peers
	first, takes := f.last%startWindow == 0, e.missing != 0
	if e.flow != collectives.AllToAll && x.c.rank != e.root {
		others = x.peers[x.at[e.root]:][:1]
	}
	if first && !takes && !f.came(others) {
		return
	}
	if stats := x.c.w.Observe; stats != nil {
		stats.Add(e.t.call, len(e.give))
	}
	e.raised = true
	if e.flow == collectives.AllToAll || first || !takes {
		e.show(others)
		x.prefetch(f.flag(f.last+1), len(e.give))
	}
}

// came reports whether peers have ended the starts whose flags are raised again in the
// window that begins.
func (f *startSet) came(peers []int) bool {
	if f.last < f.first+startLap {
		return true
	}
	x, seen := f.of.x, f.flag(f.last-startWindow)
	for _, peer := range peers {
		if _, up := x.flagArray.Raised(peer, x.index, seen, nil); !up {
			return false
		}
	}
	return true
}

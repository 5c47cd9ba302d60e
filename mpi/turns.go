package mpi

import "rhinet/llc/ir"

// A turns says when a rank may use a flag of its board again. Exchanges have the
// same numbers on all ranks, flag by flag in turn, and a rank that only gives
// something may be ahead of those who look for it. Before it raises the flag of the
// next lap it must know that all have ended the exchange of this one; and a rank
// that has come to an exchange has ended those before.
//
// The numbers are cut into windows, a few to a lap. Where a window has no exchange of
// all with all, everybody raises the flag of its last number, even who gives
// nothing then; and whoever enters the window after the next looks for these
// flags of all others first:
//
//	window     v-4     v-3     v-2     v-1      v
//	        |.......|.......|......F|.......|^
//	         `--------- one lap -----------'  looks for F; from here on the flags of v-4 are raised again
//
// Whoever has raised F has ended v-3 and what was before. And F is still up: to
// raise that flag again, in window v+2, a rank must have seen the last flag of
// window v of this one. So a rank is two or three windows ahead before it waits.
// Where all ranks meet now and then anyway, nobody waits and nobody raises more.
//
// All ranks count alike, so they agree on which flags are owed.
type turns struct {
	seq    uint64 // of the last exchange
	met    uint64 // all ranks have come to the exchange with this number
	window uint64 // numbers of a window: a power of two
	laps   uint64 // that there are flags for: a rank has FlagTurns
}

// windows is how many windows a lap has.
const windows = 4

// nearLap is a lap where each rank has a processor: ranks go in step then, and flags that are
// used again soon are near. Where they share processors a lap has all flags, because
// others that do not run are waited for once in two windows, and each wait is a context switch.
const nearLap = 16

// newTurns begins after the exchange with the number seq, in which all ranks took part.
func newTurns(seq uint64, oversubscribed bool) turns {
	lap := uint64(nearLap)
	if oversubscribed {
		lap = ir.FlagTurns
	}
	return turns{seq, seq, lap / windows, ir.FlagTurns / lap}
}

// next takes the next number. It returns the number of the flags that must be seen
// of all others before the own one may be raised, or 0; then seen says that they were.
func (t *turns) next() (first uint64) {
	t.seq++
	if t.seq&(t.window-1) == 0 && t.met+2*t.window < t.seq {
		return t.seq - t.window - 1
	}
	return 0
}

// last reports whether the exchange is the last of its window.
func (t *turns) last() bool { return (t.seq+1)&(t.window-1) == 0 }

// owed reports whether all ranks must raise their flags in this exchange.
func (t *turns) owed() bool { return t.last() && t.met+t.window < t.seq+1 }

// seen says that all ranks have come to an exchange.
func (t *turns) seen(seq uint64) { t.met = seq }

// place is the window of an exchange in its lap.
func (t *turns) place(seq uint64) uint64 { return seq / t.window % windows }

// number is an exchange's number as flags carry it: by it the flags of a lap follow each other for ever.
func (t *turns) number(seq uint64) uint32 {
	lap := windows * t.window
	return flagNumber(seq&^(lap-1)*t.laps + seq&(lap-1))
}

// flagNumber is n as flags carry it, which are FlagTurns in turn: never 0, which is what one holds that was never raised.
func flagNumber(n uint64) uint32 { return uint32(n%(1<<32-ir.FlagTurns)) + ir.FlagTurns }

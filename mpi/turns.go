package mpi

import "rhinet/llc/ir"

// A turns says when a rank may use a flag of its flag array again. Exchanges have the
// same numbers on all ranks and use the flags in turn, and a rank that only sends may
// be ahead of those that wait for its flags. Before it raises a flag again in the next
// lap it must know that all ranks have ended the exchange of this lap; and a rank that
// has come to an exchange has ended the earlier ones.
//
// The numbers are divided into windows, a few to a lap. If a window has no exchange of
// all with all, every rank raises the flag of its last number, even if it sends nothing
// then; and a rank that enters the window after the next first looks for these flags of
// all others:
//
//	window     v-4     v-3     v-2     v-1      v
//	        |.......|.......|......F|.......|^
//	         `--------- one lap -----------'  looks for F; from here on the flags of v-4 are raised again
//
// A rank that has raised F has ended v-3 and everything before. And F is still up: to
// raise that flag again, in window v+2, a rank must have seen this rank's last flag of
// window v. So a rank is two or three windows ahead before it waits. Where all ranks
// meet from time to time, no rank waits or raises extra flags.
//
// All ranks count in the same way, so they agree on which flags are owed.
type turns struct {
	seq    uint64 // of the last exchange
	now    uint32 // the same as flags carry it
	met    uint64 // all ranks have come to the exchange with this number
	window uint64 // numbers of a window: a power of two
	laps   uint64 // laps of flags: a rank has FlagTurns flags
}

// windows is how many windows a lap has.
const windows = 4

// Where each rank has a processor, a lap has nearLap flags: the ranks keep up with each
// other, and flags that are used again soon are still in the first cache. Where ranks
// share processors it has sharedLap flags: a rank then waits for others once in two
// windows, and each wait for a rank that does not run is a context switch. With 16 flags
// instead of 32 calls of 8 bytes on two ranks take 1.05 times as long, and with 64 they
// take 0.96 of the time, but find their flags in the second cache only.
const (
	nearLap   = 32
	sharedLap = 256
)

// newTurns begins after the exchange with the number seq, in which all ranks took part.
func newTurns(seq uint64, oversubscribed bool) turns {
	lap := uint64(nearLap)
	if oversubscribed {
		lap = sharedLap
	}
	t := turns{seq: seq, met: seq, window: lap / windows, laps: ir.FlagTurns / lap}
	t.now = t.number(seq)
	return t
}

// next takes the next number. It returns the number of the flags that must be seen of
// all other ranks before this rank may raise its own, or 0; seen then says that they
// were.
func (t *turns) next() (first uint64) {
	t.now = t.after()
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

// place returns the window of an exchange in its lap.
func (t *turns) place(seq uint64) uint64 { return seq / t.window % windows }

// number returns an exchange's number as flags carry it: the flags of a lap follow each
// other for ever.
func (t *turns) number(seq uint64) uint32 {
	lap := windows * t.window
	return flagNumber(seq&^(lap-1)*t.laps + seq&(lap-1))
}

// after is number(seq+1): one more than now, except at the beginning of a lap.
func (t *turns) after() uint32 {
	if next := t.seq + 1; next&(windows*t.window-1) == 0 {
		return t.number(next)
	}
	return t.now + 1
}

// flagNumber returns n as flags, which are FlagTurns in turn, carry it: never 0, which
// a flag holds that was never raised.
func flagNumber(n uint64) uint32 { return uint32(n%(1<<32-ir.FlagTurns)) + ir.FlagTurns }

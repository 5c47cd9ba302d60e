package nictest

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"rhinet/llc/ir"
)

func testFlagArray(r *rig) {
	if ir.AbilitiesOf(r.ts[0]).FlagArray == nil {
		r.Skip("no flag arrays")
	}
	b := make([]ir.FlagArray, len(r.ts))
	for i, t := range r.ts {
		b[i] = ir.AbilitiesOf(t).FlagArray
	}
	if b[0].FlagArrays() < 1 {
		r.Fatal("no flag arrays")
	}
	for to := range b {
		if r.apart(0, 0, to) {
			r.Skip("not all peers see the flag arrays")
		}
	}
	into := make([]byte, ir.FlagBytes)
	lengthOf := func(seq uint32) int { return int(seq*37) % (ir.FlagBytes + 1) } // in one turn short ones follow long ones and the reverse
	for seq := uint32(1); seq < 2*ir.FlagTurns; seq++ {
		for flagArray := range b[0].FlagArrays() {
			n := lengthOf(seq)
			for from := range b {
				var others []int
				for to := range b {
					if to == from {
						continue
					}
					if _, early := b[to].Raised(from, flagArray, seq, into[:n]); early {
						r.Fatalf("flag array %d: flag %d from %d is up already", flagArray, seq, from)
					}
					others = append(others, to)
				}
				b[from].Raise(others, flagArray, seq, ^seq, payload(from+flagArray, n))
			}
			for to := range b {
				for from := range b {
					if from == to {
						continue
					}
					if mark, ok := b[to].Raised(from, flagArray, seq, into[:n]); !ok || mark != ^seq {
						r.Fatalf("flag array %d: flag %d from %d is not up", flagArray, seq, from)
					}
					if !bytes.Equal(into[:n], payload(from+flagArray, n)) {
						r.Fatalf("flag array %d: flag %d from %d carries other data", flagArray, seq, from)
					}
					other := into[:lengthOf(seq+1)]
					both := min(n, len(other))
					if mark, ok := b[to].Raised(from, flagArray, seq, other); !ok || mark != ^seq || !bytes.Equal(other[:both], payload(from+flagArray, n)[:both]) {
						r.Fatalf("flag array %d: flag %d from %d, of %d bytes, is not up for %d, or with other data", flagArray, seq, from, n, len(other))
					}
				}
			}
		}
	}
	for seq := uint32(2 * ir.FlagTurns); seq < 3*ir.FlagTurns; seq++ {
		b[0].Raise([]int{1}, 0, seq, seq, payload(int(seq), 8))
	}
	for seq := uint32(2 * ir.FlagTurns); seq < 3*ir.FlagTurns; seq++ {
		if mark, ok := b[1].Raised(0, 0, seq, into[:8]); !ok || mark != seq || !bytes.Equal(into[:8], payload(int(seq), 8)) {
			r.Fatalf("flag %d of a peer that is ahead is not up, or with other data", seq)
		}
	}
	raceOnFlagArray(r, b[0], b[1], lengthOf)
	r.quiet()
}

// raceOnFlagArray has peer 1 look for flags of peer 0, which raises them at the same time and is up to a lap
// ahead.
func raceOnFlagArray(r *rig, from, to ir.FlagArray, lengthOf func(uint32) int) {
	const first, end = 3 * ir.FlagTurns, 8 * ir.FlagTurns
	var seen atomic.Uint32 // all flags up to this one
	seen.Store(first - 1)
	var writer sync.WaitGroup
	defer writer.Wait()
	defer seen.Store(end)
	writer.Go(func() {
		for seq := uint32(first); seq < end; seq++ {
			for seq-seen.Load() > ir.FlagTurns && seen.Load() < end {
				runtime.Gosched()
			}
			from.Raise(nil, 0, seq, ^seq, payload(int(seq), lengthOf(seq)))
		}
	})
	into := make([]byte, ir.FlagBytes)
	for seq := uint32(first); seq < end; seq++ {
		n := lengthOf(seq)
		mark, up := to.Raised(0, 0, seq, into[:n])
		for limit := time.Now().Add(r.wait); !up; mark, up = to.Raised(0, 0, seq, into[:n]) {
			if time.Now().After(limit) {
				r.Fatalf("flag %d of a peer that runs meanwhile is not up", seq)
			}
			runtime.Gosched()
		}
		if mark != ^seq || !bytes.Equal(into[:n], payload(int(seq), n)) {
			r.Fatalf("flag %d of a peer that runs meanwhile has the mark %#x, or other data", seq, mark)
		}
		if _, up := to.Raised(0, 0, seq-ir.FlagTurns, into[:n]); up {
			r.Fatalf("flag %d is up, in whose place flag %d was raised", seq-ir.FlagTurns, seq)
		}
		seen.Store(seq)
	}
}

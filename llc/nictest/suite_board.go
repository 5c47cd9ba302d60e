package nictest

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"rhinet/llc/ir"
)

func testBoard(r *rig) {
	if ir.AbilitiesOf(r.ts[0]).Board == nil {
		r.Skip("no boards")
	}
	b := make([]ir.Board, len(r.ts))
	for i, t := range r.ts {
		b[i] = ir.AbilitiesOf(t).Board
	}
	if b[0].Boards() < 1 {
		r.Fatal("no boards")
	}
	for to := range b {
		if r.apart(0, 0, to) {
			r.Skip("not all peers see the boards")
		}
	}
	into := make([]byte, ir.FlagBytes)
	lengthOf := func(seq uint32) int { return int(seq*37) % (ir.FlagBytes + 1) } // in one turn short ones follow long ones, and long ones short
	for seq := uint32(1); seq < 2*ir.FlagTurns; seq++ {
		for board := range b[0].Boards() {
			n := lengthOf(seq)
			for from := range b {
				var others []int
				for to := range b {
					if to == from {
						continue
					}
					if _, early := b[to].Raised(from, board, seq, into[:n]); early {
						r.Fatalf("board %d: flag %d from %d is up already", board, seq, from)
					}
					others = append(others, to)
				}
				b[from].Raise(others, board, seq, ^seq, payload(from+board, n))
			}
			for to := range b {
				for from := range b {
					if from == to {
						continue
					}
					if mark, ok := b[to].Raised(from, board, seq, into[:n]); !ok || mark != ^seq {
						r.Fatalf("board %d: flag %d from %d is not up", board, seq, from)
					}
					if !bytes.Equal(into[:n], payload(from+board, n)) {
						r.Fatalf("board %d: flag %d from %d carries other data", board, seq, from)
					}
					other := into[:lengthOf(seq+1)]
					both := min(n, len(other))
					if mark, ok := b[to].Raised(from, board, seq, other); !ok || mark != ^seq || !bytes.Equal(other[:both], payload(from+board, n)[:both]) {
						r.Fatalf("board %d: flag %d from %d, of %d bytes, is not up for %d, or with other data", board, seq, from, n, len(other))
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
	raceOnBoard(r, b[0], b[1], lengthOf)
	r.quiet()
}

// raceOnBoard has peer 1 look for flags of peer 0, which raises them at the same time and is up to a lap ahead.
func raceOnBoard(r *rig, from, to ir.Board, lengthOf func(uint32) int) {
	const first, end = 3 * ir.FlagTurns, 8 * ir.FlagTurns
	var seen atomic.Uint32 // all flags up to it
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

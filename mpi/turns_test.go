package mpi

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A player is a rank that makes exchanges on flags that hold their numbers.
type player struct {
	turns
	lap   uint64
	rank  int
	flags *[maxPlayers][ir.FlagTurns]uint64
	ended *[maxPlayers]uint64 // the last exchange that each rank has ended
	stage int
	first uint64
}

const maxPlayers = 5

// A play is the flow and the root of each exchange.
type play struct {
	flow collectives.Flow
	root int
}

func (p *player) up(rank int, seq uint64) bool { return p.flags[rank][seq%p.lap] == seq }

// lapOf returns how many flags are used in turn.
func lapOf(oversubscribed bool) uint64 {
	if oversubscribed {
		return sharedLap
	}
	return nearLap
}

// step advances the exchange by one look at the flags, and reports whether it moved.
// The error is a flag that is overwritten although a rank still looks for it.
func (p *player) step(plays []play, size int) (moved bool, err error) {
	switch p.stage {
	case 0: // outside of an exchange
		if p.first = p.next(); p.first == 0 {
			p.stage = 2
			return p.raise(plays, size)
		}
		p.stage = 1
		return true, nil
	case 1: // behind flags that must have been raised before
		if all, err := p.see(p.first, size, func(r int) bool { return r != p.rank }); !all || err != nil {
			return false, err
		}
		p.seen(p.first)
		p.stage = 2
		return p.raise(plays, size)
	}
	now := plays[p.seq]
	takes := func(r int) bool {
		switch now.flow {
		case collectives.FromRoot:
			return r == now.root && p.rank != now.root
		case collectives.ToRoot:
			return r != now.root && p.rank == now.root
		}
		return r != p.rank
	}
	if all, err := p.see(p.seq, size, takes); !all || err != nil {
		return false, err
	}
	if now.flow.Together() {
		p.seen(p.seq)
	}
	p.ended[p.rank], p.stage = p.seq, 0
	return true, nil
}

// see looks for flag seq of the ranks that take selects.
func (p *player) see(seq uint64, size int, take func(r int) bool) (all bool, err error) {
	for r := range size {
		if take(r) && !p.up(r, seq) {
			if p.flags[r][seq%p.lap] > seq {
				return false, fmt.Errorf("rank %d looks for flag %d of rank %d, which is gone", p.rank, seq, r)
			}
			return false, nil
		}
	}
	return true, nil
}

// raise raises the flag of this exchange, if there is anything to show.
func (p *player) raise(plays []play, size int) (bool, error) {
	now := plays[p.seq]
	if !now.flow.Together() && (p.rank == now.root) != (now.flow == collectives.FromRoot) && !p.owed() {
		return true, nil
	}
	for r := range size {
		if old := p.seq - p.lap; p.seq > p.lap && p.ended[r] < old {
			return false, fmt.Errorf("rank %d raises flag %d when rank %d has ended %d", p.rank, p.seq, r, p.ended[r])
		}
	}
	p.flags[p.rank][p.seq%p.lap] = p.seq
	return true, nil
}

// TestFlagsAreSeenBeforeTheyAreRaisedAgain has ranks make random exchanges in random
// order: no rank may hang, and no flag may change while a rank looks for it.
func TestFlagsAreSeenBeforeTheyAreRaisedAgain(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 11))
		oversubscribed := rng.IntN(2) == 0
		lap := lapOf(oversubscribed)
		size, start := 2+rng.IntN(maxPlayers-1), rng.Uint64N(2*lap)
		plays := make([]play, start+4*lap+140)
		favour := rng.IntN(3) // how often all ranks meet
		for i := range plays {
			plays[i] = play{collectives.Flow(rng.IntN(4)), rng.IntN(size)}
			if plays[i].flow.Together() && rng.IntN(4) > favour {
				plays[i] = plays[max(i-1, 0)] // the same call several times
			}
		}
		var flags [maxPlayers][ir.FlagTurns]uint64
		var ended [maxPlayers]uint64
		ps := make([]*player, size)
		for r := range ps {
			ps[r], ended[r] = &player{turns: newTurns(start, oversubscribed), lap: lap, rank: r, flags: &flags, ended: &ended}, start
		}
		lazy := rng.IntN(size) // is rarely scheduled
		for vain := 0; vain < 500*size; {
			p := ps[rng.IntN(size)]
			if p.rank == lazy && rng.IntN(30) > 0 || p.stage == 0 && int(p.seq) == len(plays)-1 {
				vain++
				continue
			}
			moved, err := p.step(plays, size)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if vain++; moved {
				vain = 0
			}
		}
		for _, p := range ps {
			if p.stage != 0 || int(p.seq) != len(plays)-1 || p.met != ps[0].met {
				t.Fatalf("seed %d: rank %d of %d is at exchange %d of %d, stage %d; all met at %d, rank 0 says %d",
					seed, p.rank, size, p.seq, len(plays)-1, p.stage, p.met, ps[0].met)
			}
		}
	}
}

// A rank that only sends is two or three windows ahead before it waits.
func TestHowFarARankIsAhead(t *testing.T) {
	for _, oversubscribed := range []bool{false, true} {
		window := lapOf(oversubscribed) / windows
		for start := range 2 * lapOf(oversubscribed) {
			p := newTurns(start, oversubscribed)
			n := uint64(0)
			for ; p.next() == 0; n++ {
			}
			if n < 2*window || n >= 3*window {
				t.Errorf("from %d on: %d exchanges before it waits", start, n)
			}
		}
	}
}

// The numbers in flags are never 0, differ, and belong to the flags of a lap in turn,
// also where 32 bits wrap around.
func TestNumbersOfFlags(t *testing.T) {
	for _, oversubscribed := range []bool{false, true} {
		lap := lapOf(oversubscribed)
		for _, start := range []uint64{0, 5 * lap, lap * (1<<32/ir.FlagTurns - 2)} {
			p, seen := newTurns(start, oversubscribed), map[uint32]bool{}
			for seq := start; seq < start+4*lap; seq++ {
				n := p.number(seq)
				if n == 0 || seen[n] || uint64(n)%ir.FlagTurns != seq%lap {
					t.Errorf("exchange %d, laps of %d flags: number %#x", seq, lap, n)
				}
				seen[n] = true
			}
		}
	}
}

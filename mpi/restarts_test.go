package mpi

import (
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A repeater is one rank's part of a persistent operation.
type repeater struct {
	exchange
	call   collectives.Call
	id, n  int
	starts int // so far
	left   int // to come
	active bool
}

// newRepeater makes rank p's part of an operation of a kind, which uses the flags of
// set.
func newRepeater(p *beginner, set *startSet, kind collectives.Kind, root, n, id, starts int) *repeater {
	size := p.x.c.size
	r := &repeater{id: id, n: n, left: starts}
	r.call = collectives.Call{Kind: kind, Root: root, Send: make([]byte, n)}
	mine := p.x.c.rank == root
	switch kind {
	case collectives.Barrier:
		r.call.Send = nil
	case collectives.Bcast:
		r.call.Send, r.call.Recv = nil, make([]byte, n)
	case collectives.Allgather:
		r.call.Recv = make([]byte, n*size)
	case collectives.Gather:
		if mine {
			r.call.Recv = make([]byte, n*size)
		}
	case collectives.Scatter:
		r.call.Send, r.call.Recv = nil, make([]byte, n)
		if mine {
			r.call.Send = make([]byte, n*size)
		}
	}
	if !r.prepare(p.exchanges, &r.call) {
		return nil
	}
	set.in, r.set = r.give, set
	return r
}

// gives returns the contribution of a rank to the current start.
func (r *repeater) gives(rank, n int) []byte { return content(r.id*1000+r.starts, rank, n) }

// all returns the contributions of all ranks.
func (r *repeater) all(size int) (all []byte) {
	for rank := range size {
		all = append(all, r.gives(rank, r.n)...)
	}
	return all
}

// begin begins the next start.
func (r *repeater) begin(p *beginner) {
	rank, root := p.x.c.rank, r.call.Root
	r.starts, r.left, r.active = r.starts+1, r.left-1, true
	clear(r.call.Recv)
	switch {
	case r.kind == collectives.Bcast && rank == root:
		copy(r.call.Recv, r.gives(rank, r.n))
	case r.kind == collectives.Scatter && rank == root:
		copy(r.call.Send, r.all(p.x.c.size))
	default:
		copy(r.call.Send, r.gives(rank, r.n))
	}
	r.ready(p.t)
	r.start()
}

// want returns the result of the current start.
func (r *repeater) want(rank, size int) []byte {
	switch r.kind {
	case collectives.Bcast:
		return r.gives(r.call.Root, r.n)
	case collectives.Scatter:
		return r.gives(rank, r.n)
	}
	if len(r.call.Recv) == 0 {
		return nil
	}
	return r.all(size)
}

// TestFlagsOfPersistentOperationsAreSeenBeforeTheyAreRaisedAgain: ranks start several
// operations in orders of their own, and each several times; where all have freed one,
// another gets its flags. No rank hangs, all receive what the others send, and no flag
// is overwritten that a rank still looks for.
func TestFlagsOfPersistentOperationsAreSeenBeforeTheyAreRaisedAgain(t *testing.T) {
	kinds := []collectives.Kind{collectives.Barrier, collectives.Bcast, collectives.Gather, collectives.Allgather, collectives.Scatter}
	deferred := map[collectives.Flow]int{}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 6))
		size, before := 2+rng.IntN(maxPlayers-1), rng.Uint64N(100)
		var lines [maxPlayers][ir.FlagTurns]raisedFlag
		var open [maxPlayers]map[uint32]bool // none: only some look for a flag
		ps := make([]*beginner, size)
		for r := range ps {
			ps[r] = newBeginner(r, size, before, &sharedFlags{r, &lines, &open, func(format string, args ...any) {
				t.Fatalf("seed %d: "+format, append([]any{seed}, args...)...)
			}})
			ps[r].restarts.init(ps[r].x, before)
		}
		id := 0
		under := make([][]*repeater, size)
		add := func(set func(p *beginner) *startSet) {
			kind, root, n, starts := kinds[rng.IntN(len(kinds))], rng.IntN(size), 1+rng.IntN(ir.FlagBytes/maxPlayers), rng.IntN(6*startLap)
			for r, p := range ps {
				under[r] = append(under[r], newRepeater(p, set(p), kind, root, n, id, starts))
			}
			id++
		}
		for range 1 + rng.IntN(4) {
			add(func(p *beginner) *startSet { f, _ := p.restarts.take(); return f })
		}
		lazy := rng.IntN(size)
		for vain := 0; id < 12 || slices.ContainsFunc(under, func(all []*repeater) bool {
			return slices.ContainsFunc(all, func(r *repeater) bool { return r.left > 0 || r.active })
		}); vain++ {
			if vain > 5000*size {
				t.Fatalf("seed %d: ranks hang", seed)
			}
			rank, which := rng.IntN(size), rng.IntN(len(under[0]))
			if rank == lazy && rng.IntN(30) > 0 {
				continue
			}
			p, r := ps[rank], under[rank][which]
			switch {
			case !r.active && r.left > 0:
				r.begin(p)
				if vain = 0; !r.raised {
					deferred[r.flow]++
				}
			case r.active && r.test():
				if err := r.finish(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if got, want := r.call.Recv, r.want(rank, size); string(got) != string(want) {
					t.Fatalf("seed %d: rank %d of %d: start %d of %v %d with root %d brings %v, not %v", seed, rank, size, r.starts, r.kind, r.id, r.call.Root, got, want)
				}
				r.active, vain = false, 0
			case id < 12 && !slices.ContainsFunc(under, func(all []*repeater) bool { return all[which].left > 0 || all[which].active }):
				last := uint64(0) // the result of agree
				for _, p := range ps {
					last = max(last, p.restarts.top)
				}
				n := r.set.number
				add(func(p *beginner) *startSet {
					first := behind(last)
					return &startSet{of: &p.restarts, number: n, first: first, last: first - 1}
				})
				for r, all := range under {
					under[r] = slices.Delete(all, which, which+1)
				}
			}
		}
	}
	if deferred[collectives.FromRoot] == 0 || deferred[collectives.ToRoot] == 0 || deferred[collectives.AllToAll] != 0 {
		t.Errorf("flags that were raised later, by flow: %v", deferred)
	}
}

// The numbers of flags of persistent operations are never 0, differ, and belong to
// lines that nothing else uses, also where 32 bits wrap around.
func TestNumbersOfFlagsOfPersistentOperations(t *testing.T) {
	lines := map[uint32]bool{}
	for n := range startSets {
		f := &startSet{number: n}
		for _, start := range []uint64{0, 5 * startLap, startLap * (1<<32/ir.FlagTurns - 2)} {
			seen := map[uint32]bool{}
			for s := start; s < start+4*startLap; s++ {
				k := f.flag(s)
				if line := k % ir.FlagTurns; k == 0 || seen[k] || line < startBase || lines[line] && s == start {
					t.Errorf("start %d of operation %d: number %#x", s, n, k)
				}
				seen[k] = true
			}
		}
		for s := range uint64(startLap) {
			lines[f.flag(s)%ir.FlagTurns] = true
		}
	}
	if len(lines) != startSets*startLap {
		t.Errorf("%d lines", len(lines))
	}
}

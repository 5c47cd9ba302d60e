package mpi

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A drawn is a call with counts and displacements, equal on all ranks.
type drawn struct {
	counts, displs []int
	total          int // elements that the parts span
	root           int
	inPlace        bool
	content        uint64
}

// draw draws a call with up to most elements per rank. One in three has its parts in
// any order, with gaps.
func draw(rng *rand.Rand, ranks, most int) (d drawn) {
	d = drawn{counts: make([]int, ranks), root: rng.IntN(ranks), inPlace: rng.IntN(2) == 0, content: rng.Uint64()}
	for i := range d.counts {
		d.counts[i] = rng.IntN(most + 1)
	}
	if rng.IntN(3) > 0 {
		for _, n := range d.counts {
			d.total += n
		}
		return d
	}
	d.displs = make([]int, ranks)
	for _, i := range rng.Perm(ranks) {
		d.displs[i] = d.total + rng.IntN(2)
		d.total = d.displs[i] + d.counts[i]
	}
	return d
}

// fill returns a buffer with the contents of a rank.
func (d drawn) fill(rank, n int) []int16 {
	rng, buf := rand.New(rand.NewPCG(d.content, uint64(rank))), make([]int16, n)
	for i := range buf {
		buf[i] = int16(rng.Uint32())
	}
	return buf
}

// shortCalls make a drawn call, and return what its rank has received. Those without
// counts use the count of rank 0.
var shortCalls = map[string]func(c *Comm, d drawn) ([]int16, error){
	"Allgather": func(c *Comm, d drawn) ([]int16, error) {
		n := d.counts[0]
		out, in := d.fill(c.rank+100, n*c.size), d.fill(c.rank, n)
		if d.inPlace {
			in = out
		}
		return out, Allgather(c, in, out)
	},
	"Allgatherv": func(c *Comm, d drawn) ([]int16, error) {
		out, in := d.fill(c.rank+100, d.total), d.fill(c.rank, d.counts[c.rank])
		if d.inPlace && d.total > 0 {
			in = out
		}
		return out, Allgatherv(c, in, out, d.counts, d.displs)
	},
	"Alltoall": func(c *Comm, d drawn) ([]int16, error) {
		n := d.counts[0] * c.size
		out, in := d.fill(c.rank+100, n), d.fill(c.rank, n)
		if d.inPlace {
			in = out
		}
		return out, Alltoall(c, in, out)
	},
	"ReduceScatterBlock": func(c *Comm, d drawn) ([]int16, error) {
		in, out := d.fill(c.rank, d.counts[0]*c.size), d.fill(c.rank+100, d.counts[0])
		if d.inPlace {
			return in[:d.counts[0]], ReduceScatterBlock(c, in, in, Max)
		}
		return out, ReduceScatterBlock(c, in, out, Max)
	},
	"ReduceScatter": func(c *Comm, d drawn) ([]int16, error) {
		n := d.counts[c.rank]
		in, out := d.fill(c.rank, offset(d.counts, nil, c.size)), d.fill(c.rank+100, n)
		if d.inPlace {
			return in[:n], ReduceScatter(c, in, in, d.counts, Sum)
		}
		return out, ReduceScatter(c, in, out, d.counts, Sum)
	},
	"Gatherv": func(c *Comm, d drawn) ([]int16, error) {
		out, in := d.fill(c.rank+100, d.total), d.fill(c.rank, d.counts[c.rank])
		if d.inPlace && c.rank == d.root && d.total > 0 {
			in = out
		}
		return out, Gatherv(c, in, out, d.counts, d.displs, d.root)
	},
	"Scatterv": func(c *Comm, d drawn) ([]int16, error) {
		out, in := d.fill(c.rank+100, d.counts[c.rank]), d.fill(c.rank, d.total)
		if d.inPlace && c.rank == d.root && d.total > 0 {
			out = in
		}
		return out, Scatterv(c, in, d.counts, d.displs, out, d.root)
	},
	"Alltoallv": func(c *Comm, d drawn) ([]int16, error) {
		in, out := d.fill(c.rank, d.total), d.fill(c.rank+100, d.total)
		same := slices.Repeat(d.counts[:1], c.size) // so that sent and expected lengths agree
		for i := range same {
			same[i] = min(same[i], d.total/c.size)
		}
		if d.inPlace && d.total > 0 {
			in = out
		}
		return out, Alltoallv(c, in, same, nil, out, same, nil)
	},
	// Rank i sends rank j a random number of elements, so that the parts of some ranks
	// are short, and those of others are not.
	"Alltoallv uneven": func(c *Comm, d drawn) ([]int16, error) {
		rng, most := rand.New(rand.NewPCG(d.content, 7)), slices.Max(d.counts)+1
		give, take := make([]int, c.size), make([]int, c.size)
		for from := range c.size {
			most := 1 + most>>rng.IntN(6)
			for to := range c.size {
				n := rng.IntN(most)
				if from == c.rank {
					give[to] = n
				}
				if to == c.rank {
					take[from] = n
				}
			}
		}
		in, out := d.fill(c.rank, offset(give, nil, c.size)), d.fill(c.rank+100, offset(take, nil, c.size))
		return out, Alltoallv(c, in, give, nil, out, take, nil)
	},
}

// Short calls give the same results as by messages, on ranks that share processors and
// on others, whatever the flags were used for before.
func TestShortCallsAreThoseByMessages(t *testing.T) {
	byMessages := map[string]string{"allgather": "ring", "allgatherv": "ring", "alltoall": "pairwise", "alltoallv": "pairwise", "gatherv": "linear",
		"scatterv": "linear", "reduce_scatter_block": "pairwise", "reduce_scatter": "pairwise"}
	names := slices.Sorted(maps.Keys(shortCalls))
	for _, ranks := range []int{2, 3, 4, 6} {
		for _, oversubscribed := range []bool{false, true} {
			quick, _ := worldsOf(t, ranks, collectives.Options{Oversubscribed: oversubscribed})
			slow, _ := worldsOf(t, ranks, collectives.Options{Oversubscribed: oversubscribed, Force: byMessages})
			var all sync.WaitGroup
			for rank := range ranks {
				all.Go(func() {
					rng := rand.New(rand.NewPCG(uint64(ranks), 21)) // the same on all ranks
					for i := range 300 {
						name := names[rng.IntN(len(names))]
						d := draw(rng, ranks, 1+rng.IntN([]int{30, 900}[i%2])) // shortBytes per rank are the most
						got, err := shortCalls[name](quick[rank], d)
						want, bad := shortCalls[name](slow[rank], d)
						if !t.Failed() && (err != nil || bad != nil || !slices.Equal(got, want)) {
							t.Errorf("call %d of %d ranks: %s of %+v: rank %d has %v, %v; by messages %v, %v", i, ranks, name, d, rank, got, err, want, bad) // and goes on, because the other ranks do
						}
					}
				})
			}
			all.Wait()
		}
	}
}

// The operations that bypass the group: those for which the table has "exchange", for
// these ranks.
func TestWhatGoesPastTheGroup(t *testing.T) {
	for _, oversubscribed := range []bool{false, true} {
		w, _ := worldsOf(t, 2, collectives.Options{Oversubscribed: oversubscribed, Force: map[string]string{"alltoall": "bruck"}})
		q, aside := w[0].coll.quick, &w[0].coll.async.quick
		most, scattered, toRoot := uint(shortBytes), uint(1<<10), uint(ir.FlagBytes)
		if oversubscribed {
			most, scattered, toRoot = sharedBytes, sharedBytes, sharedBytes
		}
		for _, c := range []struct {
			what            string
			x, aside        shortcut
			most, mostAside uint
		}{
			{"allgather", q.allgather, aside.allgather, most, ir.FlagBytes},
			{"allgatherv", q.allgatherv, aside.allgatherv, most, ir.FlagBytes},
			{"gather", q.gather, aside.gather, most, toRoot},
			{"reduce_scatter_block", q.reduceScatterBlock, aside.reduceScatterBlock, scattered, ir.FlagBytes / 2},
			{"reduce_scatter", q.reduceScatter, aside.reduceScatter, scattered, ir.FlagBytes / 2},
		} {
			if c.x.most != c.most || c.aside.most != c.mostAside || c.x.takes(0) || !c.x.takes(1) {
				t.Errorf("%s, oversubscribed %t: up to %d bytes, if it does not block %d", c.what, oversubscribed, c.x.most, c.aside.most)
			}
		}
		if q.alltoall.takes(8) || !q.takesShares([]int{1, 2}, 8) || q.takesShares([]int{2, 0}, 8) == oversubscribed {
			t.Errorf("oversubscribed %t: alltoall %t, reduce_scatter %t, %t", oversubscribed, q.alltoall.takes(8), q.takesShares([]int{1, 2}, 8), q.takesShares([]int{2, 0}, 8))
		}
	}
}

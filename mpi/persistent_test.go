package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"rhinet/mpi"
)

// A restarted is a persistent call of one rank, with its buffers' contents in each
// start.
type restarted struct {
	r     *mpi.Request
	n, to int // starts so far, and in the end
	fill  func(start int)
	check func(start int) error
}

// persistents makes operations of each kind, the same on all ranks, with random roots
// and lengths. Their data differs from start to start.
func persistents(w *mpi.Comm, rnd *rand.Rand, count int) (all []*restarted, err error) {
	size, rank := w.Size(), w.Rank()
	for id := range count {
		root, n := rnd.IntN(size), 1+rnd.IntN(9)
		of := func(start, r int) []int64 { return values(100*id+start, r, n) }
		every := func(start int) (all []int64) {
			for r := range size {
				all = append(all, of(start, r)...)
			}
			return all
		}
		sum := func(start int) []int64 {
			s := make([]int64, n)
			for r := range size {
				for i, v := range of(start, r) {
					s[i] += v
				}
			}
			return s
		}
		mine, many, got := make([]int64, n), make([]int64, n*size), make([]int64, n)
		p := &restarted{fill: func(start int) { copy(mine, of(start, rank)); clear(got); clear(many) }}
		is := func(what string, got []int64, want func(start int) []int64, where bool) func(start int) error {
			return func(start int) error {
				if !where {
					return nil
				}
				return equalAll(fmt.Sprintf("%s %d, start %d", what, id, start), got, want(start))
			}
		}
		switch rnd.IntN(7) {
		case 0:
			p.r, err = mpi.BarrierInit(w)
			p.check = func(int) error { return nil }
		case 1:
			p.r, err = mpi.BcastInit(w, mine, root)
			p.check = is("Bcast", mine, func(start int) []int64 { return of(start, root) }, true)
		case 2:
			p.r, err = mpi.GatherInit(w, mine, many, root)
			p.check = is("Gather", many, every, rank == root)
		case 3:
			p.fill = func(start int) { copy(many, every(start)); clear(got) }
			p.r, err = mpi.ScatterInit(w, many, got, root)
			p.check = is("Scatter", got, func(start int) []int64 { return of(start, rank) }, true)
		case 4:
			p.r, err = mpi.AllgatherInit(w, mine, many)
			p.check = is("Allgather", many, every, true)
		case 5:
			p.r, err = mpi.ReduceInit(w, mine, got, mpi.Sum, root)
			p.check = is("Reduce", got, sum, rank == root)
		case 6:
			p.r, err = mpi.AllreduceInit(w, mine, got, mpi.Sum)
			p.check = is("Allreduce", got, sum, true)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// noise delays a rank at random.
func noise(rnd *rand.Rand) {
	switch rnd.IntN(40) {
	case 0:
		time.Sleep(time.Duration(rnd.IntN(200)) * time.Microsecond)
	case 1, 2, 3:
		runtime.Gosched()
	}
}

// repeat starts each operation so many times, in an order of the rank's own, and some
// again at once.
func repeat(all []*restarted, rnd *rand.Rand, starts int) error {
	for _, p := range all {
		p.to = p.n + starts
	}
	var active []*restarted
	for left := len(all) * starts; left > 0 || len(active) > 0; noise(rnd) {
		if p := all[rnd.IntN(len(all))]; p.n < p.to && !slices.Contains(active, p) {
			p.fill(p.n)
			if err := p.r.Start(); err != nil {
				return err
			}
			active, left = append(active, p), left-1
		}
		if len(active) == 0 {
			continue
		}
		i, done, err := rnd.IntN(len(active)), false, error(nil)
		switch unfinished := len(all) - countOf(all, func(p *restarted) bool { return p.n == p.to }); {
		case len(active) == unfinished && rnd.IntN(2) == 0: // else another rank may wait for an operation that this one has not started
			var reqs []*mpi.Request
			for _, p := range active {
				reqs = append(reqs, p.r)
			}
			i, _, err = mpi.WaitAny(reqs...)
			done = true
		case rnd.IntN(8) == 0:
			active[i].r.Done()
		default:
			_, done, err = active[i].r.Test()
		}
		if err != nil {
			return err
		}
		if !done {
			continue
		}
		p := active[i]
		if err := p.check(p.n); err != nil {
			return err
		}
		p.n++
		active = slices.Delete(active, i, i+1)
	}
	return nil
}

func countOf(all []*restarted, is func(p *restarted) bool) (n int) {
	for _, p := range all {
		if is(p) {
			n++
		}
	}
	return n
}

// MPI 4.1, section 6.13: ranks start operations in different orders, each again as soon
// as it is complete, more of them than have flags, and free them; and others follow.
func TestPersistentCallsInDifferentOrders(t *testing.T) {
	for _, n := range []int{2, 3, 6} {
		bothWays(t, n, func(w *mpi.Comm) error {
			rnd := rand.New(rand.NewPCG(8, uint64(n)))
			own := rand.New(rand.NewPCG(uint64(w.Rank()), uint64(n)))
			c, err := w.Dup()
			if err != nil {
				return err
			}
			var all []*restarted
			for round, count := range []int{3, 9, 12, 2} {
				more, err := persistents(c, rnd, count)
				if err != nil {
					return err
				}
				all = append(all, more...)
				if err := repeat(all, own, 20); err != nil {
					return fmt.Errorf("round %d: %w", round, err)
				}
				rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
				gone := len(all) / 2
				own.Shuffle(gone, func(i, j int) { all[i], all[j] = all[j], all[i] })
				for _, p := range all[:gone] {
					if err := p.r.Free(); err != nil {
						return err
					}
				}
				all = all[gone:]
			}
			return c.Free()
		})
	}
}

// Communicators that use one set of flags one after the other receive nothing from each
// other's persistent operations.
func TestPersistentCallsOfCommunicatorsThatComeAndGo(t *testing.T) {
	everywhere(t, 4, func(w *mpi.Comm) error {
		rnd := rand.New(rand.NewPCG(8, 8))
		own := rand.New(rand.NewPCG(uint64(w.Rank()), 8))
		for round := range 12 {
			c, err := w.Split(0, rnd.IntN(4)*w.Rank())
			if err != nil {
				return err
			}
			all, err := persistents(c, rnd, 1+rnd.IntN(5))
			if err == nil {
				err = repeat(all, own, 1+rnd.IntN(15))
			}
			if err = errors.Join(err, c.Free()); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	})
}

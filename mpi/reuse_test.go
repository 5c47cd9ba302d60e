package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"rhinet/mpi"
)

// Communicators come and go, of different ranks each time, made by several goroutines
// of each rank at once: contexts and flag arrays are reused, and no rank ever reads
// what another communicator left on a flag array.
func TestFlagArraysPassBetweenCommunicators(t *testing.T) {
	const ranks, lines, rounds = 5, 3, 25
	everywhere(t, ranks, func(w *mpi.Comm) error {
		errs := make([]error, lines)
		var all sync.WaitGroup
		for line := range lines {
			parent, err := w.Dup()
			if err != nil {
				return err
			}
			all.Go(func() {
				rng := rand.New(rand.NewPCG(7, uint64(line))) // the same on all ranks
				for round := 0; round < rounds && errs[line] == nil; round++ {
					errs[line] = passFlagArrays(parent, rng, 1000*line+round)
				}
				errs[line] = errors.Join(errs[line], parent.Free())
			})
		}
		all.Wait()
		return errors.Join(errs...)
	})
}

// passFlagArrays cuts parent at random, has each part exchange a random number of
// times, and frees it.
func passFlagArrays(parent *mpi.Comm, rng *rand.Rand, salt int) error {
	colors := make([]int, parent.Size())
	for i := range colors {
		if colors[i] = rng.IntN(3); colors[i] == 2 {
			colors[i] = mpi.Undefined
		}
	}
	times := rng.IntN(6)
	c, err := parent.Split(colors[parent.Rank()], 0)
	if err != nil || c == nil {
		return err
	}
	for i := range times {
		mine := []int{salt<<16 | i<<8 | parent.Rank()}
		got, want := make([]int, c.Size()), []int(nil)
		for r, color := range colors {
			if color == colors[parent.Rank()] {
				want = append(want, salt<<16|i<<8|r)
			}
		}
		if err := mpi.Allgather(c, mine, got); err != nil {
			return err
		}
		if err := equalAll(fmt.Sprint(c.Name(), ", exchange ", i), got, want); err != nil {
			return err
		}
		if i%2 == 0 {
			if err := mpi.Barrier(c); err != nil {
				return err
			}
		}
	}
	return c.Free()
}

// The largest communicator that has a flag array, and the first that has none.
func TestFlagArraysAtTheLimitOfTheirSize(t *testing.T) {
	for _, n := range []int{64, 65} {
		everywhere(t, n, func(w *mpi.Comm) error {
			for i := range 4 {
				in, out := make([]int64, 6), make([]int64, 6) // a whole flag
				for k := range in {
					in[k] = int64(w.Rank() + i + k)
				}
				if err := mpi.Allreduce(w, in, out, mpi.Sum); err != nil {
					return err
				}
				for k := range out {
					if err := equal("sum", out[k], int64(n*(n-1)/2+n*(i+k))); err != nil {
						return err
					}
				}
				if err := mpi.Barrier(w); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

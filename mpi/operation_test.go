package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, sections 3.7 and 6.12: a request of a collective call works like any other,
// in all calls that complete requests, and again after each start of a persistent one.
func TestOperationsInAllCallsOnRequests(t *testing.T) {
	bothWays(t, 3, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		sums := make([]int, 2)
		one, err := mpi.AllreduceInit(w, []int{1}, sums[:1], mpi.Sum)
		if err != nil {
			return err
		}
		two, err := mpi.AllreduceInit(d, []int{2}, sums[1:], mpi.Sum)
		if err != nil {
			return err
		}
		both := []*mpi.Request{one, two}
		for name, complete := range map[string]func() error{
			"Wait": func() error { return errors.Join(second(two.Wait()), second(one.Wait())) },
			"Done": func() error {
				<-two.Done()
				<-one.Done()
				return mpi.WaitAll(both...)
			},
			"Test": func() error {
				for _, r := range both {
					for {
						if _, done, err := r.Test(); done || err != nil {
							break
						}
					}
				}
				return nil
			},
			"TestAll": func() error {
				for {
					if _, done, err := mpi.TestAll(both...); done || err != nil {
						return err
					}
				}
			},
			"WaitAny": func() error {
				for range both {
					if i, _, err := mpi.WaitAny(both...); err != nil || i == mpi.Undefined {
						return fmt.Errorf("index %d, %w", i, err)
					}
				}
				return nil
			},
			"WaitSome": func() error {
				for {
					if i, _, err := mpi.WaitSome(both...); err != nil || i == nil {
						return err
					}
				}
			},
			"Status": func() error {
				for _, r := range both {
					for {
						if _, done, err := r.Status(); done || err != nil {
							break
						}
					}
				}
				return mpi.WaitAll(both...)
			},
		} {
			for round := range 6 {
				sums[0], sums[1] = 0, 0
				persistent, err := [2]*mpi.Request{one, two}, error(nil)
				if round%2 == 0 {
					err = mpi.StartAll(both...)
				} else {
					one, two = mpi.Iallreduce(w, []int{1}, sums[:1], mpi.Sum), mpi.Iallreduce(d, []int{2}, sums[1:], mpi.Sum)
					both[0], both[1] = one, two
				}
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				if err := complete(); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				if err := equalAll(name, sums, []int{3, 6}); err != nil {
					return err
				}
				one, two = persistent[0], persistent[1]
				both[0], both[1] = one, two
			}
		}
		if err := mpi.Ibarrier(d).Free(); err != nil {
			return err
		}
		return mpi.Barrier(w)
	})
}

// MPI 4.1, section 6.9.5: any goroutine may call a user's operation, but on one rank it
// is called for one operation at a time, whatever else is in progress.
func TestUserOperationsInManyOperations(t *testing.T) {
	everywhere(t, 4, func(w *mpi.Comm) error {
		const many, long = 8, 3000
		op := mpi.OpFunc(compose)
		var reqs []*mpi.Request
		var outs [][]affine
		for k := range many {
			out := make([]affine, long)
			outs = append(outs, out)
			reqs = append(reqs, mpi.Iallreduce(w, affines(k, w.Rank(), long), out, op))
		}
		if err := mpi.Barrier(w); err != nil {
			return err
		}
		if err := mpi.WaitAll(reqs...); err != nil {
			return err
		}
		for k, out := range outs {
			if err := equalAll("composed", out, folded(k, 0, 3, long)); err != nil {
				return err
			}
		}
		return nil
	})
}

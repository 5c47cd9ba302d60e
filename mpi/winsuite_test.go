package mpi_test

import (
	"errors"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, sections 12.2.4 and 12.3.4: ranks append elements to a list that spans the memory of
// all of them, by CompareAndSwap of the link of its last element, while others do the same.
func TestListAcrossRanks(t *testing.T) {
	const each = 8
	onTwo(t, 4, func(c *mpi.Comm) error {
		w, err := mpi.WinDynamic[int](c)
		if err != nil {
			return err
		}
		// An element is a link, as rank + 1 and displacement, and a value.
		nodes := make([]int, 3*(each+1))
		at, err := w.Attach(nodes)
		if err != nil {
			return err
		}
		heads := make([]int, c.Size())
		if err := errors.Join(mpi.Allgather(c, []int{at}, heads), w.LockAll()); err != nil {
			return err
		}
		for i := 1; i <= each; i++ {
			mine := []int{at + 3*i, c.Rank()*100 + i}
			if err := errors.Join(w.Put(mine, c.Rank(), at+3*i+1), w.Flush(c.Rank())); err != nil {
				return err
			}
			rank, place := 0, heads[0]
			for {
				next, err := w.CompareAndSwap(0, (c.Rank()+1)<<48|3*i, rank, place)
				if err != nil {
					return err
				}
				if next == 0 {
					break
				}
				rank, place = next>>48-1, heads[next>>48-1]+next&(1<<48-1)
			}
		}
		if err := errors.Join(w.FlushAll(), mpi.Barrier(c)); err != nil {
			return err
		}
		last, count := make([]int, c.Size()), 0
		for rank, place := 0, heads[0]; ; count++ {
			next, err := w.FetchAndOp(0, rank, place, mpi.NoOp)
			if err != nil {
				return err
			}
			if next == 0 {
				break
			}
			rank, place = next>>48-1, heads[next>>48-1]+next&(1<<48-1)
			value := make([]int, 1)
			if err := errors.Join(w.Get(value, rank, place+2), w.Flush(rank), equal("value", value[0], rank*100+last[rank]+1)); err != nil {
				return err
			}
			last[rank]++ // a rank appends in order
		}
		return errors.Join(equal("elements", count, each*c.Size()), w.UnlockAll(), mpi.Barrier(c), w.Free())
	})
}

// MPI 4.1, section 12.3.4: GetAccumulate by a layout with gaps fetches and changes what the
// layout selects, and nothing between, while other ranks update what is between.
func TestGetAccumulateBesideOtherUpdates(t *testing.T) {
	const n, rounds = 40, 30
	onTwo(t, 3, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](c, 3*n)
		if err != nil {
			return err
		}
		mine := mpi.Vector(n, 1, 3)
		add, old := make([]int, n), make([]int, n)
		for i := range add {
			add[i] = i + 1
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		for round := range rounds {
			if err := errors.Join(w.GetAccumulateLayout(add, old, 0, c.Rank(), mine, mpi.Sum), w.Flush(0)); err != nil {
				return err
			}
			for i := range old {
				if err := equal("old", old[i], round*(i+1)); err != nil {
					return err
				}
			}
		}
		if err := errors.Join(w.UnlockAll(), mpi.Barrier(c)); err != nil {
			return err
		}
		for i := range w.Local() {
			if c.Rank() == 0 {
				if err := equal("sum", w.Local()[i], rounds*(i/3+1)); err != nil {
					return err
				}
			}
		}
		return w.Free()
	})
}

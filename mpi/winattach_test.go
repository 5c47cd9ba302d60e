package mpi_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"rhinet/mpi"
)

// manyRegions is more than the network interface exposes of one window.
const manyRegions = 300

// TestManyRegions: a rank attaches as many regions as it has memory for (12.2.4: an attach
// fails for lack of resources only), and all accesses reach all of them.
func TestManyRegions(t *testing.T) {
	everywhere(t, 3, func(c *mpi.Comm) error {
		w, err := mpi.WinDynamic[int](c)
		if err != nil {
			return err
		}
		regions, where, err := attachMany(c, w)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		for target := range c.Size() {
			for i := range manyRegions {
				if err := allAccesses(w, target, where[target*manyRegions+i], c.Rank()); err != nil {
					return fmt.Errorf("region %d of rank %d: %w", i, target, err)
				}
			}
		}
		if err := errors.Join(w.UnlockAll(), mpi.Barrier(c)); err != nil {
			return err
		}
		for i, r := range regions {
			want := []int{c.Size(), c.Size(), c.Size(), 1, 2, 3}
			if err := equalAll(fmt.Sprintf("region %d", i), r[:6], want); err != nil {
				return err
			}
		}
		return errors.Join(mpi.Barrier(c), w.Free())
	})
}

// attachMany attaches regions of 9 elements, and returns their displacements at all ranks.
func attachMany(c *mpi.Comm, w *mpi.Win[int]) (regions [][]int, where []int, err error) {
	mine := make([]int, manyRegions)
	for i := range mine {
		regions = append(regions, make([]int, 9))
		if mine[i], err = w.Attach(regions[i]); err != nil {
			return nil, nil, fmt.Errorf("region %d: %w", i, err)
		}
	}
	where = make([]int, c.Size()*manyRegions)
	return regions, where, mpi.Allgather(c, mine, where)
}

// allAccesses counts the ranks in elements 0 to 2 of a region, each by another call, puts
// 1, 2 and 3 behind, and gets them.
func allAccesses(w *mpi.Win[int], target, at, me int) error {
	_, err := w.FetchAndOp(1, target, at, mpi.Sum)
	old := []int{0}
	err = errors.Join(err, w.AccumulateLayout([]int{1}, target, at, mpi.IndexedBlock(1, []int{1}), mpi.Sum), w.GetAccumulate([]int{1}, old, target, at+2, mpi.Sum))
	got := make([]int, 2)
	// Element 6 + me is of this rank only.
	err = errors.Join(err, w.Put([]int{7}, target, at+6+me), w.Flush(target), w.Get(got[:1], target, at+6+me), equal("got", got[0], 7), w.Flush(target))
	was, e := w.CompareAndSwap(7, 8, target, at+6+me)
	err = errors.Join(err, e, equal("swapped", was, 7))
	if me == 0 {
		two := mpi.Vector(2, 1, 2)
		err = errors.Join(err, w.PutLayout([]int{1, 3}, target, at+3, two), w.Put([]int{2}, target, at+4), w.Flush(target),
			w.GetLayout(got, target, at+3, two), equalAll("got by a layout", got, []int{1, 3}))
	}
	return err
}

// TestRegionsThatAreNot: a displacement that no rank, or another one, has attached is an
// error, whichever way regions are reached.
func TestRegionsThatAreNot(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.WinDynamic[int](c)
		if err != nil {
			return err
		}
		where := make([]int, manyRegions)
		if c.Rank() == 0 {
			for i := range where {
				if where[i], err = w.Attach(make([]int, 1)); err != nil {
					return err
				}
			}
		}
		if err := errors.Join(mpi.Bcast(c, where, 0), w.LockAll()); err != nil {
			return err
		}
		refused := func(target, at int) (err error) {
			_, fetched := w.FetchAndOp(1, target, at, mpi.Sum)
			for _, e := range []error{
				w.Put([]int{1}, target, at), w.Get([]int{1}, target, at), w.Accumulate([]int{1}, target, at, mpi.Sum), fetched,
				w.PutLayout([]int{1}, target, at, mpi.Contiguous(1)), w.AccumulateLayout([]int{1}, target, at, mpi.Contiguous(1), mpi.Sum),
			} {
				err = errors.Join(err, is(e, mpi.ErrRMARange, ""))
			}
			return err
		}
		last := manyRegions - 1
		err = errors.Join(refused(1, where[0]), refused(1, where[last]), refused(0, where[last]+1), mpi.Barrier(c))
		if c.Rank() == 0 {
			err = errors.Join(err, w.Detach(where[0]), w.Detach(where[last]), is(w.Detach(where[last]), mpi.ErrRMAAttach, ""), is(w.Detach(where[1]+1), mpi.ErrRMAAttach, ""))
		}
		err = errors.Join(err, mpi.Barrier(c), refused(0, where[0]), refused(0, where[last]), w.Put([]int{1}, 0, where[1+c.Rank()]), w.Put([]int{1}, 0, where[last-1-c.Rank()]))
		return errors.Join(err, w.UnlockAll(), mpi.Barrier(c), w.Free())
	})
}

// TestAttachNothing: a region may be empty (12.2.4: size is a non-negative integer), and
// then holds accesses to nothing.
func TestAttachNothing(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.WinDynamic[int](c)
		if err != nil {
			return err
		}
		for _, nothing := range [][]int{nil, {}, make([]int, 3)[1:1]} {
			at, err := w.Attach(nothing)
			if err != nil {
				return err
			}
			me := c.Rank()
			if err := errors.Join(w.Fence(), w.Put(nil, me, at), w.Get(nil, me, at), w.Accumulate(nil, me, at, mpi.Sum), is(w.Put([]int{1}, me, at), mpi.ErrRMARange, ""), w.Fence(mpi.NoSucceed), w.Detach(at)); err != nil {
				return err
			}
		}
		return w.Free()
	})
}

// TestAttachmentsThatOverlap: memory is in one region of a window at a time (12.2.4), and
// may be attached again after Detach, whatever the order.
func TestAttachmentsThatOverlap(t *testing.T) {
	everywhere(t, 1, func(c *mpi.Comm) error {
		w, err := mpi.WinDynamic[int](c)
		if err != nil {
			return err
		}
		mem := make([]int, 100)
		parts := map[int]int{}
		for _, i := range []int{5, 1, 9, 3, 7} {
			if parts[i], err = w.Attach(mem[10*i : 10*i+10]); err != nil {
				return err
			}
		}
		for _, r := range [][2]int{{10, 20}, {15, 16}, {5, 11}, {19, 25}, {0, 100}, {45, 55}, {59, 70}, {99, 100}} {
			if _, err := w.Attach(mem[r[0]:r[1]]); !errors.Is(err, mpi.ErrRMAAttach) {
				return fmt.Errorf("elements %v: %v", r, err)
			}
		}
		for _, i := range []int{9, 1, 5} {
			if err := w.Detach(parts[i]); err != nil {
				return err
			}
			if parts[i], err = w.Attach(mem[10*i+1 : 10*i+9]); err != nil {
				return err
			}
		}
		for _, i := range []int{0, 2, 4, 6, 8} { // between the others
			if _, err = w.Attach(mem[10*i : 10*i+10]); err != nil {
				return err
			}
		}
		return w.Free()
	})
}

// TestGoroutinesAttach: goroutines of a rank attach and detach at once.
func TestGoroutinesAttach(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.WinDynamic[int](c)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		var all sync.WaitGroup
		failed := make([]error, 4)
		for g := range failed {
			all.Go(func() {
				for range 20 {
					var where []int
					for i := range 50 {
						at, err := w.Attach([]int{g, i})
						got := make([]int, 2)
						err = errors.Join(err, w.Get(got, c.Rank(), at), equalAll("got", got, []int{g, i}))
						failed[g] = errors.Join(failed[g], err)
						where = append(where, at)
					}
					for _, at := range where {
						failed[g] = errors.Join(failed[g], w.Detach(at))
					}
				}
			})
		}
		all.Wait()
		return errors.Join(errors.Join(failed...), w.UnlockAll(), w.Free())
	})
}

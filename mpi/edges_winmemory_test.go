package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 12.2.1: the displacement units of the ranks may differ. The parts are
// bytes then, and each rank counts in elements of its own choice.
func TestRanksCountInUnitsOfTheirOwn(t *testing.T) {
	onTwo(t, 3, func(c *mpi.Comm) error {
		me, target := c.Rank(), (c.Rank()+1)%c.Size()
		w, err := mpi.WinAllocate[byte](c, 16+3*me) // the last elements are not whole
		if err != nil {
			return err
		}
		wide, err1 := mpi.WinAs[float64](w)
		narrow, err2 := mpi.WinAs[int16](w)
		if err := errors.Join(err1, err2, equal("float64 of rank 2", wide.Len(2), 2), equal("int16 of rank 1", narrow.Len(1), 9), w.Fence()); err != nil {
			return err
		}
		if target == 1 { // the unit of the target counts
			err = narrow.Put([]int16{7}, target, 8)
		} else {
			err = errors.Join(wide.Put([]float64{2.5}, target, 1), is(wide.Put([]float64{1}, target, 2), mpi.ErrRMARange, ""))
		}
		if err := errors.Join(err, w.Fence()); err != nil {
			return err
		}
		if me == 1 {
			err = equal("int16", narrow.Local()[8], 7)
		} else {
			err = equal("float64", wide.Local()[1], 2.5)
		}
		return errors.Join(err, w.Free())
	})
}

// MPI 4.1, section 12.2.1: the same memory may be in several windows, of all flavors, as
// long as accesses by them are not concurrent.
func TestWindowsOfTheSameMemory(t *testing.T) {
	onTwo(t, 3, func(c *mpi.Comm) error {
		next := (c.Rank() + 1) % c.Size()
		whole, err := mpi.WinAllocate[int32](c, 16)
		if err != nil {
			return err
		}
		part, err1 := mpi.WinCreate(c, whole.Local()[4:12])
		again, err2 := mpi.WinCreate(c, whole.Local()[5:])
		later, err3 := mpi.WinDynamic[int32](c)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		at, err := later.Attach(whole.Local()[2:7])
		places := make([]int, c.Size())
		if err := errors.Join(err, mpi.Allgather(c, []int{at}, places)); err != nil {
			return err
		}
		if err := errors.Join(whole.LockAll(), part.LockAll(), again.LockAll(), later.LockAll()); err != nil {
			return err
		}
		for i, access := range []func() error{ // each to element 5 of whole
			func() error { return errors.Join(whole.Put([]int32{1}, next, 5), whole.Flush(next)) },
			func() error { return errors.Join(part.Accumulate([]int32{10}, next, 1, mpi.Sum), part.Flush(next)) },
			func() error {
				return errors.Join(later.Accumulate([]int32{100}, next, places[next]+3, mpi.Sum), later.Flush(next))
			},
			func() error {
				old, err := again.FetchAndOp(1000, next, 0, mpi.Sum)
				return errors.Join(err, equal("before", old, 111), again.Flush(next))
			},
		} {
			if err := errors.Join(access(), mpi.Barrier(c), whole.Sync()); err != nil {
				return fmt.Errorf("access %d: %w", i, err)
			}
			if err := errors.Join(equal("element", whole.Local()[5], []int32{1, 11, 111, 1111}[i]), mpi.Barrier(c)); err != nil {
				return fmt.Errorf("after access %d: %w", i, err)
			}
		}
		return errors.Join(whole.UnlockAll(), part.UnlockAll(), again.UnlockAll(), later.UnlockAll(), mpi.Barrier(c),
			later.Detach(at), later.Free(), again.Free(), part.Free(), whole.Free())
	})
}

package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"rhinet/mpi"
)

// TestViewsInWindows: the buffer of the origin and the part of the target may both have
// layouts, which need not be alike (12.3.1, 12.3.2 and 12.3.4).
func TestViewsInWindows(t *testing.T) {
	const rows, columns = 5, 7
	onWindows(t, 2, rows*columns, func(c *mpi.Comm, w *mpi.Win[int]) error {
		other, one := 1-c.Rank(), 8*1
		byRows := mpi.Contiguous(rows * columns)
		byColumns := mpi.Contiguous(columns).Of(mpi.Vector(rows, 1, columns).Resized(0, one)) // rows*columns elements of a matrix of that size
		matrix := sequence(rows*columns, 100*c.Rank())
		turned := func(k int) (m []int) { // the transposed matrix of the other rank, k times
			for j := range columns {
				for i := range rows {
					m = append(m, k*(100*other+columns*i+j))
				}
			}
			return m
		}
		view := mpi.View(matrix, byColumns)
		err := errors.Join(w.Fence(), w.PutView(view, other, 0, byRows), w.Fence(), equalAll("put", w.Local(), turned(1)), w.Fence())
		err = errors.Join(err, w.AccumulateView(view, other, 0, byRows, mpi.Sum), w.Fence(), equalAll("added", w.Local(), turned(2)), w.Fence())

		// Got back by rows, every second element of a buffer, with gaps that stay.
		wide := make([]int, 2*rows*columns)
		for i := range wide {
			wide[i] = -i
		}
		gaps := slices.Clone(wide)
		err = errors.Join(err, w.GetView(mpi.View(wide, mpi.Vector(rows*columns, 1, 2)), other, 0, byRows), w.Fence())
		for k, v := range wide {
			want := gaps[k]
			if i := k / 2; k%2 == 0 { // element i of the transposed matrix
				want = 2 * (100*c.Rank() + columns*(i%rows) + i/rows)
			}
			if v != want {
				return fmt.Errorf("element %d of what was got is %d, not %d", k, v, want)
			}
		}
		old := make([]int, rows*columns)
		ones := mpi.View(make([]int, rows*columns), byRows)
		err = errors.Join(err, w.GetAccumulateView(ones, mpi.View(old, byColumns), other, 0, byRows, mpi.Replace), w.Fence(), equalAll("replaced", w.Local(), make([]int, rows*columns)))
		for i, v := range old {
			err = errors.Join(err, equal("fetched", v, 2*matrix[i]))
		}
		err = errors.Join(err, w.Fence(), w.GetAccumulateView(nil, mpi.View(old, byColumns), other, 0, byRows, mpi.NoOp), w.Fence(mpi.NoSucceed), equalAll("read", old, make([]int, rows*columns)))
		return errors.Join(err, mpi.Barrier(c))
	})
}

// TestViewsOfStructsInWindows: elements of several kinds match those of the window.
func TestViewsOfStructsInWindows(t *testing.T) {
	type cell struct {
		At    int32
		Count int32
		Value float64
	}
	everywhere(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[cell](c, 8)
		if err != nil {
			return err
		}
		from := make([]cell, 12)
		for i := range from {
			from[i] = cell{int32(i), int32(c.Rank()), float64(i) / 2}
		}
		other := 1 - c.Rank()
		err = errors.Join(w.Fence(), w.PutView(mpi.View(from, mpi.Vector(4, 1, 3)), other, 1, mpi.Vector(4, 1, 2)), w.Fence(mpi.NoSucceed))
		for i, v := range w.Local() {
			want := cell{}
			if i%2 == 1 {
				want = cell{int32(i / 2 * 3), int32(other), float64(i/2*3) / 2}
			}
			err = errors.Join(err, equal(fmt.Sprint("cell ", i), v, want))
		}
		values, none := mpi.Fields[cell]("Value"), []cell{{7, 7, 2.5}}
		err = errors.Join(err, mpi.Barrier(c), w.Fence(), w.PutView(mpi.View(none, values), other, 3, values),
			is(w.PutView(mpi.View(none, values), other, 3, mpi.Fields[cell]("At", "Count")), mpi.ErrType, ""), w.Fence(),
			equal("the other fields stay", w.Local()[3], cell{3, int32(other), 2.5}), w.GetView(mpi.View(none, values), other, 0, values),
			w.Fence(mpi.NoSucceed), equal("one field", none[0], cell{7, 7, 0}))
		return errors.Join(err, mpi.Barrier(c), w.Free())
	})
}

// TestWrongViewsInWindows: mistakes are errors that name the call, and change nothing.
func TestWrongViewsInWindows(t *testing.T) {
	onWindows(t, 1, 4, func(c *mpi.Comm, w *mpi.Win[int]) error {
		four, whole := []int{1, 2, 3, 4}, mpi.Contiguous(4)
		view := mpi.View(four, whole)
		twice := mpi.Indexed([]int{2, 2}, []int{0, 1})
		epoch := w.Fence()
		err := errors.Join(epoch,
			is(w.PutView(mpi.View([]float64{1, 2, 3, 4}, whole), 0, 0, whole), mpi.ErrType,
				"mpi: PutView on world.win1 to 0: the buffer is Contiguous(4) of float64 and the target Contiguous(4) of int; use elements of the same types, or WinAs"),
			is(w.PutView(view, 0, 0, mpi.Contiguous(3)), mpi.ErrCount, ""),
			is(w.PutView(view, 0, 1, whole), mpi.ErrRMARange, ""),
			is(w.PutView(view, 1, 0, whole), mpi.ErrRank, ""),
			is(w.PutView(view, 0, 0, twice), mpi.ErrLayout, ""),
			is(w.GetView(mpi.View(four, twice), 0, 0, whole), mpi.ErrLayout, ""),
			is(w.PutView([]mpi.Item{{}}, 0, 0, whole), mpi.ErrLayout, ""),
			is(w.AccumulateView(view, 0, 0, whole, nil), mpi.ErrOp, ""),
			is(w.GetAccumulateView(mpi.View(four, mpi.Contiguous(3)), view, 0, 0, whole, mpi.Sum), mpi.ErrCount,
				"mpi: GetAccumulateView on world.win1 to 0: from has 24 bytes and old 32; they must be equally long"),
			equalAll("part", w.Local(), make([]int, 4)))
		null := mpi.ProcNull // leaves the buffer as it is
		err = errors.Join(err, w.PutView(view, null, 0, whole), w.GetView(view, null, 0, whole), w.AccumulateView(view, null, 0, whole, mpi.Sum),
			w.GetAccumulateView(view, view, null, 0, whole, mpi.Sum), equalAll("buffer", four, []int{1, 2, 3, 4}))
		err = errors.Join(err, w.PutView(nil, 0, 0, mpi.Contiguous(0)), w.GetView(nil, 0, 4, mpi.Contiguous(0)), w.Fence(mpi.NoSucceed))
		return errors.Join(err, is(w.PutView(view, 0, 0, whole), mpi.ErrRMASync, ""), is(w.GetView(view, 0, 0, whole), mpi.ErrRMASync, ""))
	})
}

// addOne adds 1 to element 0 of rank 0 as one of a type.
func addOne[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | complex64 | complex128](w *mpi.Win[int]) error {
	v, err := mpi.WinAs[T](w)
	if err != nil {
		return err
	}
	old := make([]T, 1)
	err = errors.Join(w.Lock(mpi.LockExclusive, 0), v.Put(old, 0, 0), v.Flush(0), v.Accumulate([]T{1}, 0, 0, mpi.Sum), v.Flush(0), v.Get(old, 0, 0), w.Unlock(0))
	return errors.Join(err, equal(fmt.Sprintf("%T", old), old[0], 1))
}

// MPI 4.1, section 12.3.4: accumulate operations are defined for the predefined types, whatever
// types the target has used: here it has made no view of any.
func TestUpdatesOfTypesThatTheTargetHasNotUsed(t *testing.T) {
	onWindows(t, 2, 4, func(c *mpi.Comm, w *mpi.Win[int]) error {
		if c.Rank() == 0 {
			return nil
		}
		return errors.Join(addOne[int8](w), addOne[int16](w), addOne[int32](w), addOne[int64](w), addOne[uint8](w), addOne[uint16](w), addOne[uint32](w),
			addOne[uint64](w), addOne[float32](w), addOne[float64](w), addOne[complex64](w), addOne[complex128](w))
	})
}

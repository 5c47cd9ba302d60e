package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// reduced returns the result of Allreduce with in(rank).
func reduced[T any](w *mpi.Comm, op mpi.Op, in func(rank int) T) (T, error) {
	out := make([]T, 1)
	err := mpi.Allreduce(w, []T{in(w.Rank())}, out, op)
	return out[0], err
}

// check is an error if the reduction of in is not want.
func check[T comparable](w *mpi.Comm, op mpi.Op, want T, in func(rank int) T) error {
	got, err := reduced(w, op, in)
	if err != nil {
		return err
	}
	return equal(fmt.Sprintf("%v of %T", op, want), got, want)
}

type celsius float32
type flags uint8

// integersOf checks all operations of integers on 3 ranks.
func integersOf[T int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | uintptr | flags](w *mpi.Comm) error {
	in := func(r int) T { return []T{12, 10, 9}[r] }
	for _, tc := range []struct {
		op   mpi.Op
		want T
	}{
		{mpi.Sum, 31}, {mpi.Min, 9}, {mpi.Max, 12},
		{mpi.BAnd, 8}, {mpi.BOr, 15}, {mpi.BXor, 15}, {mpi.LAnd, 1}, {mpi.LOr, 1}, {mpi.LXor, 1},
	} {
		if err := check(w, tc.op, tc.want, in); err != nil {
			return err
		}
	}
	if err := check(w, mpi.Prod, 24, func(r int) T { return T(r + 2) }); err != nil {
		return err
	}
	if err := check(w, mpi.LAnd, 0, func(r int) T { return T(r) }); err != nil {
		return err
	}
	return check(w, mpi.LXor, 0, func(r int) T { return T(r) })
}

// MPI 4.1, section 6.9.2: which operations are defined on which types.
func TestPredefinedOperationsOnEveryType(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		for _, f := range []func(*mpi.Comm) error{
			integersOf[int], integersOf[int8], integersOf[int16], integersOf[int32], integersOf[int64],
			integersOf[uint], integersOf[uint8], integersOf[uint16], integersOf[uint32], integersOf[uint64],
			integersOf[uintptr], integersOf[flags],
		} {
			if err := f(w); err != nil {
				return err
			}
		}
		for _, err := range []error{
			check(w, mpi.Sum, 7.5, func(r int) float64 { return 2.5 }),
			check(w, mpi.Prod, -6, func(r int) float64 { return []float64{-1, 2, 3}[r] }),
			check(w, mpi.Min, -4, func(r int) float32 { return []float32{1, -4, 3}[r] }),
			check(w, mpi.Max, 3.5, func(r int) celsius { return []celsius{1, -4, 3.5}[r] }),
			check(w, mpi.Sum, 6+3i, func(r int) complex128 { return complex(2, 1) }),
			check(w, mpi.Prod, -1i, func(r int) complex64 { return 1i }),
			check(w, mpi.LAnd, false, func(r int) bool { return r != 1 }),
			check(w, mpi.LOr, true, func(r int) bool { return r == 1 }),
			check(w, mpi.LXor, true, func(r int) bool { return true }),
		} {
			if err != nil {
				return err
			}
		}
		if _, err := reduced(w, mpi.Max, func(int) complex128 { return 1 }); err == nil {
			return fmt.Errorf("Max of complex numbers is defined")
		}
		_, err := reduced(w, mpi.Sum, func(int) bool { return true })
		return is(err, mpi.ErrOp, "mpi: Allreduce on world: Sum is not defined for elements of type bool; see mpi.Op, or use OpFunc")
	})
}

// MPI 4.1, section 6.9.4: of equal values, the lowest index counts.
func TestMinLocAndMaxLocFindTheLowestPlace(t *testing.T) {
	everywhere(t, 5, func(w *mpi.Comm) error {
		at := func(vals ...float64) func(int) mpi.ValLoc[float64] {
			return func(r int) mpi.ValLoc[float64] { return mpi.ValLoc[float64]{Val: vals[r], Loc: r} }
		}
		if err := check(w, mpi.MinLoc, mpi.ValLoc[float64]{Val: -2, Loc: 1}, at(0, -2, 5, -2, 5)); err != nil {
			return err
		}
		if err := check(w, mpi.MaxLoc, mpi.ValLoc[float64]{Val: 5, Loc: 2}, at(0, -2, 5, -2, 5)); err != nil {
			return err
		}
		return check(w, mpi.MaxLoc, mpi.ValLoc[int8]{Val: 1, Loc: 0}, func(r int) mpi.ValLoc[int8] {
			return mpi.ValLoc[int8]{Val: 1, Loc: r}
		})
	})
}

// MPI 4.1, section 6.9.4: MINLOC and MAXLOC are defined on pairs. What else is in a struct
// with a pair has no operation, but travels as any element.
func TestStructsThatEmbedPairs(t *testing.T) {
	type first struct {
		mpi.ValLoc[float64]
		Extra int
	}
	type only struct{ mpi.ValLoc[float32] }
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		a, b := []first{{Extra: w.Rank()}}, []first{{}}
		_, err := mpi.Sendrecv(w, a, 1-w.Rank(), 0, b, 1-w.Rank(), 0)
		_, ofFirst := reduced(w, mpi.MaxLoc, func(int) first { return first{} })
		_, ofOnly := reduced(w, mpi.MinLoc, func(int) only { return only{} })
		return errors.Join(err, equal("received", b[0].Extra, 1-w.Rank()),
			is(ofFirst, mpi.ErrOp, "mpi: Allreduce on world: MaxLoc is not defined for elements of type mpi_test.first; see mpi.Op, or use OpFunc"),
			is(ofOnly, mpi.ErrOp, "mpi: Allreduce on world: MinLoc is not defined for elements of type mpi_test.only; see mpi.Op, or use OpFunc"))
	})
}

// MPI 4.1, section 6.9.5: a user's operation may be declared commutative.
func TestUserOperations(t *testing.T) {
	longest := mpi.OpFunc(func(in, inout [][2]int) {
		for i, v := range in {
			if v[1]-v[0] > inout[i][1]-inout[i][0] {
				inout[i] = v
			}
		}
	}, mpi.Commutative)
	everywhere(t, 4, func(w *mpi.Comm) error {
		if err := check(w, longest, [2]int{-2, 9}, func(r int) [2]int { return [2]int{-r, []int{3, 1, 9, 2}[r]} }); err != nil {
			return err
		}
		return equal("name", longest.String(), "OpFunc[[2]int]")
	})
}

package mpi_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 7.4.2: with MPI_COMM_TYPE_HW_UNGUIDED the result is a strict subset of
// the ranks, which share a resource; ranks that pass MPI_UNDEFINED take part and get
// nothing.
func TestSplitUnguided(t *testing.T) {
	for n := 1; n <= 4; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			c, err := w.SplitType(mpi.SplitUnguided, 0)
			if err != nil || c != nil && c.Size() >= n {
				return fmt.Errorf("%v %w", c, err)
			}
			kind := mpi.SplitUnguided
			if w.Rank() == n-1 {
				kind = mpi.Undefined
			}
			part, err := w.SplitType(kind, 0)
			if err != nil {
				return err
			}
			// The last rank is left out, so the others share at least the host.
			if want := max(n-1, 1); kind == mpi.Undefined {
				return nobodyIs(part)
			} else if part == nil || part.Size() != want {
				return fmt.Errorf("%v, want %d ranks", part, want)
			}
			info, err := part.Info()
			return errors.Join(err, equal("info", fmt.Sprint(info), fmt.Sprint(mpi.Info{mpi.HintHwResource: mpi.HardwareScheme + "host"})), part.Free())
		})
	}
}

// MPI 4.1, section 7.4.2: MPI_COMM_TYPE_RESOURCE_GUIDED takes a kind of hardware or a set of
// processes.
func TestSplitResource(t *testing.T) {
	for n := 1; n <= 3; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			for _, tc := range []struct {
				info mpi.Info
				size int
			}{
				{mpi.Info{mpi.HintHwResource: mpi.HardwareScheme + "host"}, n},
				{mpi.Info{mpi.HintHwResource: "mpi_shared_memory"}, n},
				{mpi.Info{mpi.HintPset: mpi.PsetWorld}, n},
				{mpi.Info{mpi.HintPset: "mpi://self"}, 1},
				{mpi.Info{"other": "x"}, 0},
				{nil, 0},
			} {
				c, err := w.SplitResource(tc.info, -w.Rank())
				if err != nil {
					return err
				}
				if c.Size() != tc.size || tc.size == n && c.Rank() != n-1-w.Rank() {
					return fmt.Errorf("%v: rank %d of %d, want %d", tc.info, c.Rank(), c.Size(), tc.size)
				}
				if c == nil {
					continue
				}
				hints, err := c.Info()
				if kind := tc.info[mpi.HintHwResource]; err == nil && kind != "" && !maps.Equal(hints, tc.info) {
					err = fmt.Errorf("hints %v of %v", hints, tc.info)
				}
				if err := errors.Join(err, c.Free()); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// MPI 4.1, section 7.4.2: ranks that pass MPI_UNDEFINED take part in any kind of split, and get nothing.
func TestRanksLeftOutOfSplits(t *testing.T) {
	everywhere(t, 4, func(w *mpi.Comm) error {
		in := w.Rank()%3 == 0 // the first and the last
		kind, set, both := "", mpi.Info{}, mpi.Info{"other": "x"}
		if in {
			kind, set, both = "host", mpi.Info{mpi.HintPset: mpi.PsetWorld}, mpi.Info{mpi.HintHwResource: "mpi_shared_memory"}
		}
		for _, split := range []func() (*mpi.Comm, error){
			func() (*mpi.Comm, error) { return w.SplitHardware(kind, 0) },
			func() (*mpi.Comm, error) { return w.SplitResource(set, 0) },
			func() (*mpi.Comm, error) { return w.SplitResource(both, 0) },
		} {
			c, err := split()
			if !in {
				if err := errors.Join(err, nobodyIs(c)); err != nil {
					return err
				}
			} else if err := errors.Join(err, equal("ranks", c.Size() > 0, true), mpi.Barrier(c), c.Free()); err != nil {
				return err
			}
		}
		c, err := w.SplitHardware("", 0)
		return errors.Join(err, nobodyIs(c))
	})
}

// Wrong types and sets are errors on all ranks that say what there is.
func TestMisusedSplits(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		kinds := []mpi.SplitType{mpi.SplitShared, mpi.SplitUnguided}
		return errors.Join(
			is(second(w.SplitType(7, 0)), mpi.ErrArg, "mpi: SplitType on world: there is no type 7; use SplitShared, SplitUnguided or Undefined"),
			is(second(w.SplitType(kinds[w.Rank()], 0)), mpi.ErrArg, "mpi: SplitType on world: ranks pass the types 0 and 1; all must pass the same, or Undefined"),
			is(second(w.SplitResource(mpi.Info{mpi.HintPset: "mpi://row"}, 0)), mpi.ErrArg, `mpi: SplitResource on world: there is no set of processes "mpi://row"; there are mpi://WORLD and mpi://SELF`),
			is(second((*mpi.Comm)(nil).SplitResource(mpi.Info{mpi.HintPset: mpi.PsetWorld}, 0)), mpi.ErrComm, "mpi: SplitResource: the communicator is nil; Split, Create, CartCreate and GraphCreate give nil to the ranks that they leave out"),
		)
	})
}

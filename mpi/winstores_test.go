package mpi_test

import (
	"errors"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// A store to a place that another rank reads in the epoch is found whether it comes before the read or after it
// (MPI 4.1, section 12.7).
func TestStoresBesideReads(t *testing.T) {
	for _, tc := range []struct {
		name  string
		read  func(win *mpi.Win[int64], target, disp int) error
		store int // the element
		first bool
		found bool
	}{
		{"before a Get", get, 3, true, true},
		{"before an atomic read", read, 4, true, true},
		{"after an atomic read", read, 3, false, true},
		{"before a Get of another place", get, 2, true, false},
		{"after an atomic read of another place", read, 5, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachWindow(t, 2, func(w *mpi.Comm, win *mpi.Win[int64]) error {
				for _, epoch := range []func(w *mpi.Comm, win *mpi.Win[int64], access func() error) error{fenced, exposedTo} {
					win.Local()[3]++ // before the epoch
					steps := []func() error{
						func() error {
							if w.Rank() == 1 {
								return tc.read(win, 0, 3)
							}
							return nil
						},
						func() error {
							if w.Rank() == 0 {
								win.Local()[tc.store] += 1000
							}
							return nil
						},
					}
					if tc.first {
						steps[0], steps[1] = steps[1], steps[0]
					}
					err := epoch(w, win, func() error { return errors.Join(steps[0](), mpi.Barrier(w), steps[1]()) })
					if w.Rank() == 0 && tc.found {
						err = tells(err, mpi.ErrRMAConflict, "of rank 1 has accessed bytes 24 to 39 of the part of this rank, and the program has stored there")
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// What another rank updates while a rank reads it atomically is no store of the target.
func TestUpdatesBesideAtomicReads(t *testing.T) {
	eachWindow(t, 3, func(w *mpi.Comm, win *mpi.Win[int64]) error {
		for _, epoch := range []func(w *mpi.Comm, win *mpi.Win[int64], access func() error) error{fenced, exposedTo} {
			err := epoch(w, win, func() error {
				switch w.Rank() {
				case 1:
					return errors.Join(addTo(win, 0, 0), addTo(win, 0, 4), put(win, 0, 6))
				case 2:
					return errors.Join(read(win, 0, 1), read(win, 0, 4), read(win, 0, 3), read(win, 0, 2))
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// A part that is too large to be kept is compared with what was read.
func TestStoresToALargePart(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		win, err := mpi.WinAllocate[int64](w, 1<<17+1)
		if err != nil {
			return err
		}
		for _, late := range []bool{false, true} {
			err := fenced(w, win, func() error {
				if w.Rank() == 1 {
					return errors.Join(mpi.Barrier(w), get(win, 0, 3), mpi.Barrier(w))
				}
				if !late {
					win.Local()[3]++
				}
				err := errors.Join(mpi.Barrier(w), mpi.Barrier(w))
				if late {
					win.Local()[3]++
				}
				return err
			})
			if w.Rank() == 0 && late {
				err = tells(err, mpi.ErrRMAConflict, "and the program has stored there")
			}
			if err != nil {
				return err
			}
		}
		return win.Free()
	})
}

// MPI 4.1, section 12.5.5: NoPrecede and NoSucceed are given by all ranks or by none.
func TestAssertsOfSomeRanks(t *testing.T) {
	eachWindow(t, 3, func(w *mpi.Comm, win *mpi.Win[int64]) error {
		by := func(rank int, a mpi.Assert) error {
			if w.Rank() == rank {
				return win.Fence(a)
			}
			return win.Fence()
		}
		return errors.Join(
			win.Fence(mpi.NoPrecede), win.Fence(mpi.NoPrecede|mpi.NoSucceed),
			tells(by(2, mpi.NoPrecede), mpi.ErrAssert, "rank 2 gives NoPrecede and rank 0 does not; all ranks must give it, or none"),
			tells(by(0, mpi.NoPrecede), mpi.ErrAssert, "rank 0 gives NoPrecede and rank 1 does not; all ranks must give it, or none"),
			tells(by(1, mpi.NoSucceed), mpi.ErrAssert, "rank 1 gives NoSucceed and rank 0 does not; all ranks must give it, or none"),
			by(1, mpi.NoStore), by(2, mpi.NoPut))
	})
}

// MPI 4.1, section 12.5.5: after NoPut no rank changes the part, up to the end of the epoch.
func TestPutsInSpiteOfNoPut(t *testing.T) {
	eachWindow(t, 2, func(w *mpi.Comm, win *mpi.Win[int64]) error {
		all, err := w.Group()
		if err != nil {
			return err
		}
		other, err := all.Incl(1 - w.Rank())
		if err != nil {
			return err
		}
		access := func(do func(win *mpi.Win[int64], target, disp int) error) error {
			if w.Rank() == 1 {
				return do(win, 0, 3)
			}
			return nil
		}
		told := func(err error, by string) error {
			if w.Rank() == 0 {
				return tells(err, mpi.ErrAssert, "of rank 1 changes bytes 24 to 39 of the part of this rank, whose "+by+" has promised with NoPut that no rank does; leave NoPut out")
			}
			return err
		}
		exposed := func(do func(win *mpi.Win[int64], target, disp int) error) error {
			return errors.Join(win.Post(other, mpi.NoPut), win.Start(other), access(do), win.Complete())
		}
		return errors.Join(
			win.Fence(mpi.NoPut), access(get), win.Fence(mpi.NoPut), access(put), told(win.Fence(), "Fence"),
			access(put), win.Fence(mpi.NoPut|mpi.NoSucceed),
			exposed(read), win.Wait(), exposed(addTo), told(win.Wait(), "Post"))
	})
}

// MPI 4.1, section 12.2.5: a window is freed, and MPI finalized, after the accesses have ended. That needs another
// Fence.
func TestFreeInAnEpochOfFence(t *testing.T) {
	onWindows(t, 2, 4, func(w *mpi.Comm, win *mpi.Win[int]) error {
		if err := win.Fence(); err != nil {
			return err
		}
		if w.Rank() == 1 {
			const open = ": the epoch of Fence has not ended, and this rank has accessed the window in it; call Fence first"
			if err := errors.Join(win.Put([]int{1}, 0, 0), is(win.Free(), mpi.ErrRMASync, "mpi: WinFree on "+win.Name()+open),
				is(mpi.Finalize(w), mpi.ErrRMASync, "mpi: Finalize on "+win.Name()+open)); err != nil {
				return err
			}
		}
		return win.Fence() // begins an epoch without accesses
	})
}

// When a Fence has ended half-way, no other one can end its epoch: that is not what Free reports.
func TestFreeAfterAFenceThatHasFailed(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		win, err := mpi.WinAllocate[int](w, 1)
		if err != nil {
			return err
		}
		if w.Rank() == 1 {
			return errors.Join(win.Fence(), tells(win.Free(), mpi.ErrMismatch, "in WinFree"))
		}
		return errors.Join(win.Fence(), win.Put([]int{1}, 1, 0), tells(win.Fence(), mpi.ErrMismatch, "in WinFree"), tells(win.Free(), mpi.ErrMismatch, "in WinFree"))
	})
}

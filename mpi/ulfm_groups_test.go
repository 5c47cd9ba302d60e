package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// User-Level Failure Mitigation: Iagree contributes at once and has its result only when
// all ranks have called it; so has Ishrink.
func TestAgreeAndShrinkWithoutWaiting(t *testing.T) {
	for _, n := range []int{1, 3} {
		runKeepGoing(t, n, func(w *mpi.Comm) error {
			for i := range uint64(5) {
				flags := i
				if err := waited(w.Iagree(&flags)); err != nil || flags != i {
					return fmt.Errorf("flags %d of %d: %v", flags, i, err)
				}
			}
			flags, err := uint64(0b1101), error(nil)
			var r *mpi.Request
			if w.Rank() == 0 {
				flags = 0b1011
				r = w.Iagree(&flags)
				if _, done, _ := r.Test(); n > 1 && (done || flags != 0b1011) {
					return fmt.Errorf("agreed on %b before others came", flags)
				}
				err = mpi.Barrier(w)
			} else {
				err = mpi.Barrier(w)
				r = w.Iagree(&flags)
			}
			want := uint64(0b1001)
			if n == 1 {
				want = 0b1011
			}
			if err := errors.Join(err, waited(r), equal("flags", flags, want)); err != nil {
				return err
			}
			s, q := w.Ishrink()
			if err := waited(q); err != nil {
				return err
			}
			how, err := s.Compare(w)
			return errors.Join(err, equal("comparison", how, mpi.Congruent), mpi.Barrier(s), s.Free())
		})
	}
}

// The same when a rank has died, and without the permission to go on.
func TestAgreeWithoutWaitingAfterADeath(t *testing.T) {
	runKeepGoing(t, 3, func(w *mpi.Comm) error {
		if w.Rank() == 1 {
			mpitest.Die()
		}
		if err := untilFailed(w, 1); err != nil {
			return err
		}
		flags := uint64(6) << (w.Rank() / 2)
		err := is(waited(w.Iagree(&flags)), mpi.ErrProcFailed, "mpi: Iagree on world: rank 1 has died, and not all ranks have acknowledged it")
		s, r := w.Ishrink()
		return errors.Join(err, equal("flags", flags, 4), waited(r), equal("ranks", s.Size(), 2), s.Free())
	})
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		_, r := w.Ishrink()
		return errors.Join(is(waited(w.Iagree(new(uint64))), mpi.ErrUnsupported, ""), is(waited(r), mpi.ErrUnsupported, ""))
	})
}

// A group without a live process leaves no inter-communicator.
func TestShrinkWithoutASide(t *testing.T) {
	runKeepGoing(t, 3, func(w *mpi.Comm) error {
		inter, _, err := sides(w, 2)
		if err != nil {
			return err
		}
		if w.Rank() == 2 { // once the others have the inter-communicator
			for r := range 2 {
				if _, err := mpi.Recv(w, []byte{0}, r, 0); err != nil {
					return err
				}
			}
			mpitest.Die()
		}
		if err := mpi.Send(w, []byte{0}, 2, 0); err != nil {
			return err
		}
		_, err = inter.Shrink()
		return is(err, mpi.ErrProcFailed, "")
	})
}

// Processes that make a communicator of a group fail when one of them is dead or dies,
// and wait neither for it nor for those that have failed.
func TestCommFromGroupWithTheDead(t *testing.T) {
	for _, n := range []int{2, 5} {
		for late := range 2 {
			runKeepGoing(t, n, func(w *mpi.Comm) error {
				g, err := w.Group()
				if err != nil {
					return err
				}
				if w.Rank() == n-1 {
					mpitest.Die()
				}
				if late == 1 {
					if err := untilFailed(w, 1); err != nil {
						return err
					}
				}
				_, err = mpi.CommFromGroup(g, "g")
				text := fmt.Sprintf("mpi: CommFromGroup: rank %d has died; Shrink makes a communicator of those that live", n-1)
				if late == 0 {
					text = "" // the process may be found gone first
				}
				if err := is(err, mpi.ErrProcFailed, text); err != nil {
					return err
				}
				rest, err := g.Excl(n - 1)
				if err != nil {
					return err
				}
				c, err := mpi.CommFromGroup(rest, "rest")
				return errors.Join(err, mpi.Barrier(c), c.Free())
			})
		}
	}
}

// A rank that frees a communicator because a member has died does not disturb ranks that
// do not know of it yet: they get the error of the death.
func TestFreeAfterADeathIsNoOtherCall(t *testing.T) {
	for range 5 {
		runKeepGoing(t, 4, func(w *mpi.Comm) error {
			c, err := w.Dup()
			if err != nil {
				return err
			}
			if w.Rank() == 1 {
				for range w.Size() - 1 { // all have c
					if _, err := mpi.Recv(w, []int{0}, mpi.AnySource, 0); err != nil {
						return err
					}
				}
				mpitest.Die()
			}
			for err = mpi.Send(w, []int{0}, 1, 0); err == nil; {
				err = mpi.Barrier(c)
			}
			return errors.Join(is(err, mpi.ErrProcFailed, ""), c.Free())
		})
	}
}

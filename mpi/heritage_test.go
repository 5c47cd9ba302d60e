package mpi_test

import (
	"errors"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 7.7.2: Dup fails if an attribute cannot be copied on one rank, and then on all ranks.
func TestDupFailsEverywhereIfAnAttributeCannotBeCopied(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		deleted := 0
		good := mpi.NewKeyval(mpi.Keep[int, *mpi.Comm], func(*mpi.Comm, int) error { deleted++; return nil })
		bad := mpi.NewKeyval(func(*mpi.Comm, int) (int, bool, error) {
			if w.Rank() == 1 {
				return 0, false, errors.New("unlucky")
			}
			return 0, false, nil
		}, nil)
		if err := errors.Join(good.Set(c, 1), bad.Set(c, 2)); err != nil {
			return err
		}
		text := " on " + c.Name() + ": the function that copies an attribute failed on rank 1 of the world; it must succeed on all ranks"
		if w.Rank() == 1 {
			text = " on " + c.Name() + ": the function that copies an attribute failed: unlucky"
		}
		_, r := c.Idup()
		if err := errors.Join(
			is(waited(r), mpi.ErrOther, "mpi: Idup"+text),
			is(second(c.Dup()), mpi.ErrOther, "mpi: Dup"+text),
			equal("copies deleted", deleted, 2),
			bad.Delete(c)); err != nil {
			return err
		}
		d, err := c.Dup()
		if err != nil {
			return err
		}
		v, found, err := good.Value(d)
		return errors.Join(err, equal("copy", v, 1), equal("found", found, true), mpi.Barrier(d), d.Free(), c.Free(),
			equal("deleted", deleted, 4))
	})
}

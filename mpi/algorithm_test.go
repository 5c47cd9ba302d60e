package mpi_test

import (
	"slices"
	"testing"

	"rhinet/mpi"
)

// A hint names the algorithms of one communicator; results do not change, and other
// communicators are not affected.
func TestHintsNameAlgorithms(t *testing.T) {
	everywhere(t, 4, func(w *mpi.Comm) error {
		before, err := w.Algorithm("bcast", 100_000)
		if err != nil {
			return err
		}
		for _, name := range []string{"linear", "chain", "scatter-allgather", "binomial"} {
			c, err := w.DupWithInfo(map[string]string{mpi.HintAlgorithms: "bcast=" + name + ",barrier=tree", "no_such_hint": "x"})
			if err != nil {
				return err
			}
			for op, want := range map[string]string{"bcast": name, "barrier": "tree"} {
				got, err := c.Algorithm(op, 100_000)
				if err != nil {
					return err
				}
				if err := equal(op, got, want); err != nil {
					return err
				}
			}
			buf := sequence(12_500, 5*w.Rank())
			if err := mpi.Bcast(c, buf, 3); err != nil {
				return err
			}
			if err := equalAll("buf", buf, sequence(12_500, 15)); err != nil {
				return err
			}
			if err := mpi.Barrier(c); err != nil {
				return err
			}
			d, err := c.Dup()
			if err != nil {
				return err
			}
			after, err := d.Algorithm("bcast", 100_000)
			if err != nil {
				return err
			}
			if err := equal("choice without hints", after, before); err != nil {
				return err
			}
		}
		return nil
	})
}

// Forcing one operation leaves the flag array to the others, and naming the algorithm
// of the flag array is no error where there is none.
func TestHintsOfTheFlagArray(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		for _, list := range []string{"", "barrier=exchange", "allreduce=exchange", "barrier=linear", "allreduce=ring"} {
			c, err := w.DupWithInfo(map[string]string{mpi.HintAlgorithms: list})
			if err != nil {
				return err
			}
			got := []int{0}
			if err := mpi.Allreduce(c, []int{c.Rank()}, got, mpi.Sum); err != nil {
				return err
			}
			if err := equal(list, got[0], 3); err != nil {
				return err
			}
			if err := mpi.Barrier(c); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestWrongAlgorithmsAreErrors(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		_, err := w.DupWithInfo(map[string]string{mpi.HintAlgorithms: "scatterv=ring"})
		if err := is(err, mpi.ErrArg, `mpi: DupWithInfo on world: rhinet_coll: no algorithm "ring" for scatterv; there are exchange, linear`); err != nil {
			return err
		}
		_, err = (*mpi.Comm)(nil).DupWithInfo(nil)
		if err := is(err, mpi.ErrComm, ""); err != nil {
			return err
		}
		_, err = w.Algorithm("barrier", -1)
		if err := is(err, mpi.ErrArg, "mpi: Algorithm on world: a length of -1 bytes"); err != nil {
			return err
		}
		_, err = w.Algorithm("brodcast", 1)
		if err := is(err, mpi.ErrArg, ""); err != nil {
			return err
		}
		_, err = (*mpi.Comm)(nil).Algorithm("bcast", 1)
		if err := is(err, mpi.ErrComm, ""); err != nil {
			return err
		}
		_, err = mpi.Algorithms("bcasts")
		if err := is(err, mpi.ErrArg, ""); err != nil {
			return err
		}
		names, err := mpi.Algorithms("allgatherv")
		if err != nil || !slices.Contains(names, "ring") {
			t.Errorf("%v, %v", names, err)
		}
		return nil
	})
}

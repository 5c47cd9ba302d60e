package mpi_test

import (
	"fmt"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 3.2.7: messages around a ring replace each other in one buffer:
// short, long and empty ones.
func TestSendrecvReplaceRound(t *testing.T) {
	for n := 1; n <= 5; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			rank, size := w.Rank(), w.Size()
			right, left := (rank+1)%size, (rank+size-1)%size
			for _, length := range []int{0, 1, 9, 3000, 200_000} {
				buf := sequence(length, rank)
				for step := 1; step <= size; step++ {
					st, err := mpi.SendrecvReplace(w, buf, right, step, left, mpi.AnyTag)
					if err != nil {
						return err
					}
					if st.Source != left || st.Tag != step || st.Count != length {
						t.Errorf("step %d of %d elements: %+v", step, length, st)
					}
					if err := equalAll("buf", buf, sequence(length, (rank+size-step%size)%size)); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}

// A shorter message replaces the first elements; a longer one is an error; without a
// peer nothing moves.
func TestSendrecvReplaceOfUnequalLengths(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		buf := sequence(4+2*other, 10*w.Rank()) // 6 on rank 0, 4 on rank 1
		st, err := mpi.SendrecvReplace(w, buf, other, 7, other, 7)
		if w.Rank() == 1 {
			return is(err, mpi.ErrTruncate, "mpi: SendrecvReplace on world from 0 tag 7: 48 bytes do not fit 32; use a larger buffer or Probe")
		}
		if err != nil {
			return err
		}
		if err := equal("count", st.Count, 4); err != nil {
			return err
		}
		if err := equalAll("buf", buf, []int{10, 11, 12, 13, 4, 5}); err != nil {
			return err
		}
		if st, err = mpi.SendrecvReplace(w, buf, mpi.ProcNull, 0, mpi.ProcNull, 0); err != nil {
			return err
		}
		if err := equal("source", st.Source, mpi.ProcNull); err != nil {
			return err
		}
		return equalAll("buf", buf, []int{10, 11, 12, 13, 4, 5})
	})
}

// If one half of a call is wrong, the other half is not carried out.
func TestSendrecvWithAWrongHalfMovesNothing(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		_, err := mpi.Sendrecv(w, []int{1}, other, 3, []int{0}, 9, 3)
		if err := is(err, mpi.ErrRank, "mpi: Sendrecv on world from 9 tag 3: there is no rank 9; ranks are 0 to 1"); err != nil {
			return err
		}
		if err := mpi.Barrier(w); err != nil {
			return err
		}
		_, found, err := mpi.Iprobe(w, other, 3)
		if err != nil {
			return err
		}
		return equal("a message is there", found, false)
	})
}

// A layout that cannot be received into is a wrong half, too: a long message would else
// wait for a rank that knows of no receive.
func TestSendrecvIntoAWrongLayoutMovesNothing(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		twice := mpi.View(make([]int, 4), mpi.Vector(2, 1, 0)) // both blocks are the same element
		for _, length := range []int{2, 200_000} {
			send := mpi.View(sequence(length, 0), mpi.Contiguous(length))
			_, err1 := mpi.Sendrecv(w, sequence(length, 0), other, 3, twice, other, 3)
			_, err2 := mpi.Sendrecv(w, send, other, 3, mpi.View([]int{}, mpi.Contiguous(1)), other, 3)
			_, err3 := mpi.Isendrecv(w, send, other, 3, twice, other, 3).Wait()
			_, err4 := mpi.SendrecvReplace(w, twice, other, 3, other, 3)
			_, err5 := mpi.IsendrecvReplace(w, twice, other, 3, other, 3).Wait()
			for i, err := range []error{err1, err2, err3, err4, err5} {
				if err := is(err, mpi.ErrLayout, ""); err != nil {
					return fmt.Errorf("call %d: %w", i, err)
				}
			}
			if err := mpi.Barrier(w); err != nil {
				return err
			}
			_, found, err := mpi.Iprobe(w, other, 3)
			if err != nil {
				return err
			}
			if err := equal("a message is there", found, false); err != nil {
				return err
			}
		}
		return nil
	})
}

package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, sections 4.2 and 4.2.2: partitions are sent as they become ready, in any
// order, by any goroutine; the receiver may have others, and each has arrived when all
// of its parts have.
func TestPartitionsArriveAsTheyAreReady(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for _, n := range []int{0, 12, 60000} {
			for _, theirs := range []int{1, 3, 4, 12} {
				if err := partitions(w, n, 4, theirs); err != nil {
					return fmt.Errorf("%d elements, 4 partitions to %d: %w", n, theirs, err)
				}
			}
		}
		return nil
	})
}

func partitions(w *mpi.Comm, n, mine, theirs int) error {
	buf := make([]int64, n)
	if w.Rank() == 0 {
		r, err := mpi.PsendInit(w, buf, mine, 1, 5)
		if err != nil {
			return err
		}
		for round := range 3 {
			copy(buf, ints(n, round*100000))
			if err := r.Start(); err != nil {
				return err
			}
			switch round {
			case 0: // one after the other: the second only when the first has arrived
				if err := r.Pready(2); err != nil {
					return err
				}
				if _, err := mpi.Recv(w, []int{0}, 1, 6); err != nil {
					return err
				}
				if _, done, _ := r.Test(); done {
					return errors.New("complete before all partitions were ready")
				}
				err = errors.Join(r.PreadyRange(0, 1), r.PreadyList(3))
			case 1:
				var all sync.WaitGroup
				errs := make([]error, mine)
				for i := range mine {
					all.Go(func() { errs[i] = r.Pready(i) })
				}
				all.Wait()
				err = errors.Join(errs...)
			default:
				err = r.PreadyList(3, 2, 1, 0)
			}
			if err := errors.Join(err, mpi.WaitAll(r)); err != nil {
				return err
			}
		}
		return nil
	}
	r, err := mpi.PrecvInit(w, buf, theirs, 0, 5)
	if err != nil {
		return err
	}
	for round := range 3 {
		if err := r.Start(); err != nil {
			return err
		}
		if round == 0 { // partition 2 of 4 has arrived
			for there := false; !there && theirs == 4 && n > 0; {
				if there, err = r.Parrived(2); err != nil {
					return err
				}
			}
			if theirs == 4 && n > 0 {
				if err := equalAll("partition 2", buf[n/2:n/4*3], ints(n/4, n/2)); err != nil {
					return err
				}
				if there, _ := r.Parrived(0); there {
					return errors.New("partition 0 is there, and was not ready")
				}
			}
			if err := mpi.Send(w, []int{0}, 0, 6); err != nil {
				return err
			}
		}
		st, err := r.Wait()
		if err := errors.Join(err, equal("count", st.Count, n), equalAll("received", buf, ints(n, round*100000))); err != nil {
			return err
		}
		if there, err := r.Parrived(theirs - 1); !there || err != nil {
			return fmt.Errorf("not there after the end: %v", err)
		}
	}
	return nil
}

// MPI 4.1, section 5.1: partitions of layouts.
func TestPartitionsOfLayouts(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		const rows, n = 1000, 6
		m := make([]float64, rows*n)
		cols := mpi.Views(m, n, mpi.Vector(rows, 1, n).Resized(0, 8))
		if w.Rank() == 0 {
			copy(m, numbered(rows*n, 0))
			r, err := mpi.PsendInit(w, cols, n, 1, 0)
			if err != nil {
				return err
			}
			return errors.Join(r.Start(), r.PreadyRange(0, n-1), mpi.WaitAll(r))
		}
		r, err := mpi.PrecvInit(w, cols, 2, 0, 0)
		if err != nil {
			return err
		}
		return errors.Join(r.Start(), mpi.WaitAll(r), equalAll("matrix", m, numbered(rows*n, 0)))
	})
}

// Partitions of long blocks at uneven distances are moved without packing, wherever in
// the layout they begin.
func TestPartitionsOfUnevenBlocks(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for seed := range uint64(4) {
			const n, size = 6, 20000
			v, data := drawView(rand.New(rand.NewPCG(seed, seed%2*uint64(w.Rank()))), n, size), ints(n*size, 1)
			if w.Rank() == 0 {
				v.set(0, data)
				r, err := mpi.PsendInit(w, v.items, 3, 1, 0)
				if err != nil {
					return err
				}
				if err := errors.Join(r.Start(), r.PreadyRange(0, 2), mpi.WaitAll(r), r.Free()); err != nil {
					return err
				}
				continue
			}
			r, err := mpi.PrecvInit(w, v.items, 2, 0, 0)
			if err != nil {
				return err
			}
			if err := errors.Join(r.Start(), mpi.WaitAll(r), r.Free(), v.holds("items", data)); err != nil {
				return err
			}
		}
		return nil
	})
}

// MPI 4.1, section 4.2: wrong uses are errors.
func TestWrongPartitions(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		buf := make([]int, 6)
		if _, err := mpi.PsendInit(w, buf, 4, 1, 0); !errors.Is(err, mpi.ErrCount) {
			return fmt.Errorf("4 partitions of 6: %v", err)
		}
		if _, err := mpi.PrecvInit(w, buf, 2, mpi.AnySource, 0); !errors.Is(err, mpi.ErrArg) {
			return fmt.Errorf("any source: %v", err)
		}
		if _, err := mpi.PsendInit(w, make([]*int, 2), 2, 1, 0); !errors.Is(err, mpi.ErrType) {
			return fmt.Errorf("pointers: %v", err)
		}
		if _, err := mpi.PsendInit(w, mpi.View(buf, mpi.Contiguous(9)), 1, 1, 0); !errors.Is(err, mpi.ErrLayout) {
			return fmt.Errorf("layout: %v", err)
		}
		none, err := mpi.PsendInit(w, buf, 2, mpi.ProcNull, 0)
		if err != nil {
			return err
		}
		if err := none.Pready(0); !errors.Is(err, mpi.ErrRequest) {
			return fmt.Errorf("not started: %v", err)
		}
		if err := errors.Join(none.Start(), none.Pready(1)); err != nil {
			return err
		}
		if err := none.Pready(1); !errors.Is(err, mpi.ErrRequest) {
			return fmt.Errorf("twice: %v", err)
		}
		if err := none.PreadyRange(2, 2); !errors.Is(err, mpi.ErrArg) {
			return fmt.Errorf("partition 2 of 2: %v", err)
		}
		if _, err := none.Parrived(0); !errors.Is(err, mpi.ErrRequest) {
			return fmt.Errorf("arrived at the sender: %v", err)
		}
		if err := errors.Join(none.PreadyList(0), mpi.WaitAll(none)); err != nil {
			return err
		}
		if none, err = mpi.PrecvInit(w, buf, 2, mpi.ProcNull, 0); err != nil {
			return err
		}
		if err := errors.Join(none.Start(), mpi.WaitAll(none)); err != nil {
			return err
		}
		if _, err := none.Parrived(2); !errors.Is(err, mpi.ErrArg) {
			return fmt.Errorf("partition 2 of 2: %v", err)
		}
		// Both sides must have the same length and type.
		for k, other := range []any{make([]int, 4), make([]float64, 6)} {
			var r *mpi.Request
			if w.Rank() == 0 {
				r, err = mpi.PsendInit(w, buf, 2, 1, k)
			} else if k == 0 {
				r, err = mpi.PrecvInit(w, other.([]int), 2, 0, k)
			} else {
				r, err = mpi.PrecvInit(w, other.([]float64), 2, 0, k)
			}
			if err != nil {
				return err
			}
			if err := r.Start(); err != nil {
				return err
			}
			if w.Rank() == 0 {
				if err := r.PreadyRange(0, 1); err != nil {
					return err
				}
			}
			if _, err := r.Wait(); !errors.Is(err, []mpi.Class{mpi.ErrTruncate, mpi.ErrType}[k]) {
				return fmt.Errorf("case %d: %v", k, err)
			}
		}
		return nil
	})
}

// MPI 4.1, section 4.2.1: each PsendInit matches a PrecvInit. In a checked job Finalize names those that none has matched, and no
// others.
func TestPartitionedRequestsThatNeverMeet(t *testing.T) {
	t.Parallel() // it mostly waits
	const never = "1 partitioned request never met its partner; call PrecvInit for each PsendInit, with the same tag:\n\t"
	for want, init := range map[string]func(w *mpi.Comm) (*mpi.Request, error){
		"PsendInit on world to 1 tag 5 (":   func(w *mpi.Comm) (*mpi.Request, error) { return mpi.PsendInit(w, make([]int, 4), 2, 1, 5) },
		"PrecvInit on world from 1 tag 6 (": func(w *mpi.Comm) (*mpi.Request, error) { return mpi.PrecvInit(w, make([]int, 4), 2, 1, 6) },
	} {
		everywhere(t, 2, func(w *mpi.Comm) error {
			if w.Rank() == 1 {
				_, err := mpi.PrecvInit(w, make([]int, 4), 4, 0, 7)
				return errors.Join(err, mpi.Finalize(w))
			}
			_, err := mpi.PsendInit(w, make([]int, 4), 2, 1, 7) // which meets its partner, and is never started
			if err != nil {
				return err
			}
			if _, err := mpi.PsendInit(w, make([]int, 4), 2, mpi.ProcNull, 7); err != nil {
				return err
			}
			if _, err = init(w); err != nil {
				return err
			}
			err = mpi.Finalize(w)
			return errors.Join(tells(err, mpi.ErrPending, never+want), tells(err, mpi.ErrPending, "partition_test.go:"))
		})
	}
}

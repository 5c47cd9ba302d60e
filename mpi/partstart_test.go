package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 4.2.2: a receive is complete when all its partitions have arrived, so
// that a test which follows the last Parrived completes it. A loop of Parrived needs no
// other call to make progress (sections 3.7.4 and 4.2).
func TestAReceiveIsCompleteWhenAllPartitionsHaveArrived(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for _, parts := range [][2]int{{1, 1}, {1, 8}, {8, 1}, {4, 8}} {
			buf := make([]int, 4096)
			if w.Rank() == 0 {
				r, err := mpi.PsendInit(w, buf, parts[0], 1, 3)
				for i := 0; i < 20 && err == nil; i++ {
					for k := range buf {
						buf[k] = k + i
					}
					err = errors.Join(r.Start(), r.PreadyRange(0, parts[0]-1))
					for done := false; !done && err == nil; {
						_, done, err = r.Test()
					}
				}
				if err = errors.Join(err, r.Free()); err != nil {
					return err
				}
				continue
			}
			r, err := mpi.PrecvInit(w, buf, parts[1], 0, 3)
			if err != nil {
				return err
			}
			for i := range 20 {
				if err := r.Start(); err != nil {
					return err
				}
				for p := range parts[1] {
					for there := false; !there; {
						if there, err = r.Parrived(p); err != nil {
							return err
						}
					}
				}
				st, done, err := r.Test()
				if err != nil || !done || st.Count != len(buf) {
					return fmt.Errorf("%d to %d partitions: all have arrived, and Test says %v %v %v", parts[0], parts[1], st, done, err)
				}
				if err := equalAll("data", buf, sequence(len(buf), i)); err != nil {
					return err
				}
			}
			if err := r.Free(); err != nil {
				return err
			}
		}
		return nil
	})
}

// MPI 4.1, section 4.2.1: the number of partitions is not negative. A message may have none, or
// partitions without elements.
func TestPartitionsOfNothing(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for tag, parts := range [][2]int{{0, 0}, {0, 2}, {3, 0}, {3, 2}} {
			if w.Rank() == 0 {
				r, err := mpi.PsendInit(w, []int{}, parts[0], 1, tag)
				if err != nil {
					return err
				}
				for range 2 {
					err = errors.Join(err, r.Start(), r.PreadyRange(0, parts[0]-1), mpi.WaitAll(r))
				}
				if none := r.Pready(0); parts[0] == 0 {
					err = errors.Join(err, is(none, mpi.ErrArg, "mpi: Pready on world: there is no partition 0; the message has none"))
				}
				if err != nil {
					return err
				}
				continue
			}
			r, err := mpi.PrecvInit(w, []float64{}, parts[1], 0, tag) // nothing is of any type
			if err != nil {
				return err
			}
			for range 2 {
				err = errors.Join(err, r.Start(), mpi.WaitAll(r))
			}
			if err != nil {
				return err
			}
		}
		_, err := mpi.PsendInit(w, []int{1}, 0, 1, 0)
		return is(err, mpi.ErrCount, "mpi: PsendInit on world to 1 tag 0: 1 elements cannot be cut into 0 equal partitions; their number must divide that of the elements")
	})
}

// MPI 4.1, section 4.2.2: the partitions of a request that is null or inactive have arrived.
// Those of a message that cannot be received never do, which is an error of Parrived and
// of Wait, and one call of the error handler.
func TestParrivedOfOtherRequests(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		var null *mpi.Request
		inactive, err := mpi.PrecvInit(w, []int{1}, 1, mpi.ProcNull, 0)
		if err != nil {
			return err
		}
		for _, r := range []*mpi.Request{null, {}, inactive} {
			if there, err := r.Parrived(0); !there || err != nil {
				return fmt.Errorf("a request that is not active: %v %v", there, err)
			}
		}
		receive := mpi.Irecv(w, []int{0}, w.Rank(), 8)
		_, err = receive.Parrived(0)
		if err = errors.Join(is(err, mpi.ErrRequest, ""), mpi.Send(w, []int{0}, w.Rank(), 8), mpi.WaitAll(receive)); err != nil {
			return err
		}
		if w.Rank() == 0 {
			r, err := mpi.PsendInit(w, make([]int, 4), 2, 1, 1)
			if err != nil {
				return err
			}
			err = errors.Join(r.Start(), r.PreadyRange(0, 1))
			_, long := r.Wait()
			return errors.Join(err, is(long, mpi.ErrTruncate, ""))
		}
		r, err := mpi.PrecvInit(w, make([]int, 6), 2, 0, 1)
		calls := 0
		if err = errors.Join(err, r.Start(), w.SetErrhandler(func(*mpi.Comm, *mpi.Error) { calls++ })); err != nil {
			return err
		}
		for there := false; !there && err == nil; {
			there, err = r.Parrived(0)
		}
		_, again := r.Wait()
		return errors.Join(is(err, mpi.ErrTruncate, ""), is(again, mpi.ErrTruncate, err.Error()), equal("calls of the handler", calls, 1), w.SetErrhandler(nil))
	})
}

// MPI 4.1, section 3.7.3: a loop of tests ends soon after the operation, also where the
// goroutine that completes it has no processor of its own.
func TestALoopOfTestsLetsOthersComplete(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		r, complete, err := mpi.NewRequest(w)
		if err != nil {
			return err
		}
		go complete(mpi.Status{}, nil)
		const most = 10_000 // without a yield, some 100 000 take the 10 ms after which Go takes the processor away
		for i := range most {
			if _, done, err := r.Test(); done {
				t.Logf("%d tests", i)
				return err
			}
		}
		return fmt.Errorf("not complete after %d tests", most)
	})
}

// ends checks that a start of r ends with class, by Wait or Test, and that later ones do.
func ends(r *mpi.Request, wait bool, class mpi.Class) (err error) {
	for range 2 {
		if wait {
			err = waited(r)
		}
		for done := wait; !done; {
			_, done, err = r.Test()
		}
		if err := is(err, class, ""); err != nil {
			return err
		}
		if err = r.Start(); err != nil { // which may find it, too
			return is(err, class, "")
		}
	}
	return is(waited(r), class, "")
}

// unfinished starts partitioned requests that cannot end: one partition of each has arrived and
// the others do not become ready, and one receive, which is the first, has no partner.
func unfinished(c *mpi.Comm) (all []*mpi.Request, err error) {
	for i, tag := range []int{3, 1, 2} {
		var r *mpi.Request
		switch {
		case c.Rank() == 1:
			r, err = mpi.PrecvInit(c, make([]int, 40), 8, 0, tag)
		case i == 0:
			continue
		default:
			r, err = mpi.PsendInit(c, make([]int, 40), 4, 1, tag)
		}
		if err = errors.Join(err, r.Start()); err != nil {
			return nil, err
		}
		all = append(all, r)
		if c.Rank() == 0 {
			err = r.Pready(2)
		}
		for there := i == 0 || c.Rank() == 0; !there && err == nil; {
			there, err = r.Parrived(5)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// MPI 4.1, section 4.2.1: partitioned requests are persistent ones; as with those, the context of
// the communicator ends all waits for them, whatever they wait for.
func TestPartitionsEndWithTheirContext(t *testing.T) {
	for _, wait := range []bool{true, false} {
		everywhere(t, 2, func(w *mpi.Comm) error {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			all, err := unfinished(w.WithContext(ctx))
			if err := errors.Join(err, mpi.Barrier(w)); err != nil {
				return err
			}
			cancel()
			for w.Rank() == 1 && err == nil {
				_, err = all[0].Parrived(0)
			}
			if err != nil {
				err = is(err, mpi.ErrCancelled, "")
			}
			for _, r := range all {
				err = errors.Join(err, ends(r, wait, mpi.ErrCancelled))
			}
			return errors.Join(err, mpi.Barrier(w))
		})
	}
}

// User-Level Failure Mitigation: so does Revoke.
func TestPartitionsOfARevokedCommunicator(t *testing.T) {
	for _, wait := range []bool{true, false} {
		runKeepGoing(t, 2, func(w *mpi.Comm) error {
			c, err := w.Dup()
			if err != nil {
				return err
			}
			all, err := unfinished(c)
			if err := errors.Join(err, mpi.Barrier(w)); err != nil {
				return err
			}
			if w.Rank() == 1 {
				err = c.Revoke()
			}
			for _, r := range all {
				err = errors.Join(err, ends(r, wait, mpi.ErrRevoked))
			}
			return errors.Join(err, mpi.Barrier(w), c.Free())
		})
	}
}

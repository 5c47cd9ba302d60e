package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// runKeepGoing runs fn on n ranks in jobs that go on when others die, over each transport.
func runKeepGoing(t *testing.T, n int, fn func(world *mpi.Comm) error, options ...mpitest.Option) {
	t.Helper()
	for _, tr := range transports {
		t.Run(fmt.Sprintf("%s/%d", tr.name, n), func(t *testing.T) {
			mpitest.Run(t, n, fn, append([]mpitest.Option{tr.option, mpitest.KeepGoing()}, options...)...)
		})
	}
}

// untilFailed waits until n ranks of c are known to have died.
func untilFailed(c *mpi.Comm, n int) error {
	for {
		g, err := c.GetFailed()
		if err != nil || g.Size() == n {
			return err
		}
		mpi.Iprobe(c, mpi.ProcNull, 0)
		if _, _, err := mpi.Iprobe(c, c.Rank(), 99); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// User-Level Failure Mitigation: a call that names a dead rank fails with
// MPI_ERR_PROC_FAILED, whether it began before the death or after; others do not.
func TestCallsWithTheDeadFail(t *testing.T) {
	runKeepGoing(t, 3, func(w *mpi.Comm) error {
		buf, big := []int{0}, make([]byte, 1<<20)
		if w.Rank() == 2 {
			if _, err := mpi.Recv(w, buf, 0, 0); err != nil {
				return err
			}
			mpitest.Die()
		}
		waits := mpi.Irecv(w, buf, 2, 0)
		var sends *mpi.Request
		if w.Rank() == 1 {
			sends = mpi.Issend(w, big, 2, 1)
		} else if err := mpi.Send(w, []int{0}, 2, 0); err != nil {
			return err
		}
		if err := is(waited(waits), mpi.ErrProcFailed, ""); err != nil {
			return err
		}
		if w.Rank() == 1 {
			if err := is(waited(sends), mpi.ErrProcFailed, ""); err != nil {
				return err
			}
		}
		_, recv := mpi.Recv(w, buf, 2, 0)
		_, probe := mpi.Probe(w, 2, 0)
		_, _, iprobe := mpi.Iprobe(w, 2, 0)
		for call, err := range map[string]error{"Recv": recv, "Ssend": mpi.Ssend(w, buf, 2, 0), "Isend": waited(mpi.Isend(w, big, 2, 0)), "Probe": probe, "Iprobe": iprobe} {
			const died = ": rank 2 has died; Shrink makes a communicator of those that live"
			if err := tells(err, mpi.ErrProcFailed, died); err != nil {
				return fmt.Errorf("%s: %w", call, err)
			}
		}
		_, err := mpi.Sendrecv(w, []int{w.Rank()}, 1-w.Rank(), 0, buf, 1-w.Rank(), 0)
		return errors.Join(err, equal("got", buf[0], 1-w.Rank()))
	})
}

// User-Level Failure Mitigation: a receive from any rank fails with
// MPI_ERR_PROC_FAILED_PENDING while there is a death that has not been acknowledged; a
// nonblocking one stays active, and completes after the acknowledgment.
func TestReceivesFromAnyRankAfterADeath(t *testing.T) {
	runKeepGoing(t, 3, func(w *mpi.Comm) error {
		switch w.Rank() {
		case 2:
			mpitest.Die()
		case 1:
			if err := untilFailed(w, 1); err != nil {
				return err
			}
			if _, err := mpi.Recv(w, []int{0}, 0, 1); err != nil { // when rank 0 is ready
				return err
			}
			return errors.Join(mpi.Send(w, []int{7}, 0, 0), mpi.Send(w, []int{8}, 0, 0))
		}
		buf, other := []int{0}, []int{0}
		r := mpi.Irecv(w, buf, mpi.AnySource, 0)
		if err := is(waited(r), mpi.ErrProcFailedPending, ""); err != nil {
			return err
		}
		_, done, err := r.Test()
		if done {
			return errors.New("the request has ended")
		}
		_, _, anyErr := mpi.WaitAny(r)
		_, allErr := mpi.WaitAllStatus(r)
		if label := mpi.LabelOf(r); label != "" {
			return fmt.Errorf("later waits for the request are named %q", label)
		}
		_, recv := mpi.Recv(w, other, mpi.AnySource, 0)
		_, probe := mpi.Probe(w, mpi.AnySource, 5)
		for call, err := range map[string]error{"Test": err, "WaitAny": anyErr, "WaitAllStatus": allErr, "Recv": recv, "Probe": probe} {
			if err := is(err, mpi.ErrProcFailedPending, ""); err != nil {
				return fmt.Errorf("%s: %w", call, err)
			}
		}
		g, err := w.GetFailed()
		if err != nil || g.Size() != 1 {
			return fmt.Errorf("%d have failed, %w", g.Size(), err)
		}
		if n, err := w.AckFailed(g.Size()); err != nil || n != 1 {
			return fmt.Errorf("%d acknowledged, %w", n, err)
		}
		if err := mpi.Send(w, []int{0}, 1, 1); err != nil {
			return err
		}
		st, err := r.Wait()
		if err := errors.Join(err, equal("source", st.Source, 1), equal("first", buf[0], 7)); err != nil {
			return err
		}
		_, err = mpi.Recv(w, other, mpi.AnySource, 0)
		return errors.Join(err, equal("second", other[0], 8))
	})
}

// User-Level Failure Mitigation: a receive from any rank that a death has suspended ends
// when its communicator is revoked, or its context ends, and is then not active any more.
func TestSuspendedReceivesEnd(t *testing.T) {
	runKeepGoing(t, 3, func(w *mpi.Comm) error {
		if w.Rank() == 2 {
			mpitest.Die()
		}
		if err := untilFailed(w, 1); err != nil {
			return err
		}
		d, err := w.Shrink()
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		limited, revoked := mpi.Irecv(w.WithContext(ctx), []int{0}, mpi.AnySource, 0), mpi.Irecv(w, []int{0}, mpi.AnySource, 0)
		for _, r := range []*mpi.Request{limited, revoked} {
			if err := is(waited(r), mpi.ErrProcFailedPending, ""); err != nil {
				return err
			}
		}
		cancel()
		if err := errors.Join(is(waited(limited), mpi.ErrCancelled, ""), waited(limited), mpi.Barrier(d)); err != nil {
			return err
		}
		if err := w.Revoke(); err != nil {
			return err
		}
		_, probe := mpi.Probe(w, mpi.AnySource, 0)
		return errors.Join(is(probe, mpi.ErrRevoked, ""), is(waited(revoked), mpi.ErrRevoked, ""), waited(revoked))
	})
}

// User-Level Failure Mitigation: a collective call on a communicator with a dead rank
// fails and keeps no rank waiting, also if the dead rank is not the one that a rank
// waits for; with flags and with messages.
func TestCollectiveCallsWithTheDeadFail(t *testing.T) {
	for name, call := range map[string]func(w *mpi.Comm) error{
		"Barrier":   func(w *mpi.Comm) error { return mpi.Barrier(w) },
		"Bcast":     func(w *mpi.Comm) error { return mpi.Bcast(w, make([]int, 2), 2) },
		"long":      func(w *mpi.Comm) error { return mpi.Bcast(w, make([]int, 200_000), 2) },
		"Allreduce": func(w *mpi.Comm) error { return mpi.Allreduce(w, []int{1}, []int{0}, mpi.Sum) },
		"Alltoall":  func(w *mpi.Comm) error { return mpi.Alltoall(w, make([]int, 500*w.Size()), make([]int, 500*w.Size())) },
		"Ibarrier":  func(w *mpi.Comm) error { return waited(mpi.Ibarrier(w)) },
		"Dup":       func(w *mpi.Comm) error { _, err := w.Dup(); return err },
		"Split":     func(w *mpi.Comm) error { _, err := w.Split(w.Rank()%2, 0); return err },
		"Scan":      func(w *mpi.Comm) error { return mpi.Scan(w, []int{1}, []int{0}, mpi.Sum) },
	} {
		t.Run(name, func(t *testing.T) {
			runKeepGoing(t, 5, func(w *mpi.Comm) error {
				err := mpi.Barrier(w)
				if w.Rank() == 2 {
					mpitest.Die()
				}
				for err == nil { // some calls succeed: at a root that is ahead, at a rank that needs only some ranks
					err = call(w)
				}
				return is(err, mpi.ErrProcFailed, "")
			})
		})
	}
}

// User-Level Failure Mitigation: Revoke ends all calls on all ranks, also those that
// wait; Agree and Shrink still work.
func TestRevoke(t *testing.T) {
	runKeepGoing(t, 4, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		if d.Rank() == 0 && d.IsRevoked() {
			return errors.New("revoked from the beginning")
		}
		r := mpi.Irecv(d, []int{0}, (d.Rank()+1)%4, 5)
		switch d.Rank() {
		case 0:
			if err := d.Revoke(); err != nil {
				return err
			}
		case 1:
			err = mpi.Barrier(d)
		case 2:
			_, err = mpi.Recv(d, []int{0}, mpi.AnySource, 0)
		case 3:
			_, err = mpi.Recv(d, []int{0}, 0, 0)
		}
		if d.Rank() > 0 {
			if err := is(err, mpi.ErrRevoked, ""); err != nil {
				return err
			}
		}
		if err := is(waited(r), mpi.ErrRevoked, ""); err != nil {
			return err
		}
		for !d.IsRevoked() {
			time.Sleep(time.Millisecond)
		}
		for call, err := range map[string]error{"Send": mpi.Send(d, []int{1}, 0, 0), "Bcast": mpi.Bcast(d, []int{1}, 0), "Isend": waited(mpi.Isend(d, []int{1}, 0, 0))} {
			if err := is(err, mpi.ErrRevoked, ""); err != nil {
				return fmt.Errorf("%s: %w", call, err)
			}
		}
		flags, err := d.Agree(0b110 | uint64(d.Rank()&1))
		if err := errors.Join(err, equal("flags", flags, 0b110)); err != nil {
			return err
		}
		s, err := d.Shrink()
		if err != nil {
			return err
		}
		return errors.Join(equal("size", s.Size(), 4), mpi.Barrier(s), s.Free(), d.Free(), mpi.Barrier(w))
	})
}

// User-Level Failure Mitigation: Agree fails in the same way on all ranks while not all
// of them have acknowledged a death.
func TestAgreeAfterADeath(t *testing.T) {
	runKeepGoing(t, 4, func(w *mpi.Comm) error {
		if w.Rank() == 1 {
			mpitest.Die()
		}
		if err := untilFailed(w, 1); err != nil {
			return err
		}
		if w.Rank() != 3 {
			if _, err := w.AckFailed(1); err != nil {
				return err
			}
		}
		flags, err := w.Agree(uint64(1 + w.Rank()))
		if err := errors.Join(is(err, mpi.ErrProcFailed, ""), equal("flags", flags, 1&3&4)); err != nil {
			return err
		}
		if _, err := w.AckFailed(9); err != nil {
			return err
		}
		flags, err = w.Agree(uint64(8 + w.Rank()))
		return errors.Join(err, equal("flags", flags, 8))
	})
}

// sumOfLiving has all live ranks add up their world ranks, again until they get a
// result that all of them have.
func sumOfLiving(w *mpi.Comm, c *mpi.Comm) (sum int, left *mpi.Comm, err error) {
	for {
		out := []int{0}
		err := mpi.Allreduce(c, []int{w.Rank()}, out, mpi.Sum)
		ok := uint64(0)
		if err == nil {
			ok = 1
		} else if !errors.Is(err, mpi.ErrProcFailed) && !errors.Is(err, mpi.ErrRevoked) {
			return 0, c, err
		} else if err := c.Revoke(); err != nil {
			return 0, c, err
		}
		ok, err = c.Agree(ok)
		if err != nil && !errors.Is(err, mpi.ErrProcFailed) {
			return 0, c, err
		}
		if ok == 1 && err == nil {
			return out[0], c, nil
		}
		if c, err = c.Shrink(); err != nil {
			return 0, c, err
		}
	}
}

// Ranks die at each of their first calls of the transport, whatever the program is
// doing then: all others get the same result.
func TestRecoveryWhenRanksDieAtEachStep(t *testing.T) {
	steps := 40
	if testing.Short() {
		steps = 10
	}
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel() // survivors mostly sleep
			for n := 1; n <= steps; n++ {
				var sums [4]atomic.Int64
				err := mpitest.World(4, func(w *mpi.Comm) error {
					sum, c, err := sumOfLiving(w, w)
					if err != nil {
						return err
					}
					sums[w.Rank()].Store(int64(sum) + 1)
					if got := []int{0}; c.Size() > 1 {
						_, err := mpi.Sendrecv(c, []int{sum}, (c.Rank()+1)%c.Size(), 0, got, (c.Rank()+c.Size()-1)%c.Size(), 0)
						_ = err // the peer may be dead by now
					}
					return nil
				}, tr.option, mpitest.KeepGoing(), mpitest.Kill(n%4, n), mpitest.Kill((n+1+n/4%3)%4, 2*n))
				if err != nil {
					t.Fatalf("death at call %d: %v", n, err)
				}
				living := int64(0)
				for r := range sums {
					if s := sums[r].Load(); s != 0 && r != n%4 && r != (n+1+n/4%3)%4 {
						if living != 0 && living != s {
							t.Fatalf("death at call %d: sums differ", n)
						}
						living = s
					}
				}
				if living == 0 {
					t.Fatalf("death at call %d: nobody has an answer", n)
				}
			}
		})
	}
}

// Inter-communicators fail with their ranks.
func TestInterCommunicatorsWithTheDead(t *testing.T) {
	runKeepGoing(t, 4, func(w *mpi.Comm) error {
		inter, _, err := sides(w, 2)
		if err != nil {
			return err
		}
		if w.Rank() == 3 {
			mpitest.Die()
		}
		for err == nil {
			err = mpi.Allreduce(inter, []int{1}, []int{0}, mpi.Sum)
		}
		if !errors.Is(err, mpi.ErrRevoked) && !errors.Is(err, mpi.ErrProcFailed) { // another rank may be faster
			return err
		}
		if err := inter.Revoke(); err != nil {
			return err
		}
		if err := is(mpi.Send(inter, []int{1}, 0, 0), mpi.ErrRevoked, ""); err != nil {
			return err
		}
		left, err := inter.Shrink()
		if err != nil {
			return err
		}
		out, own := []int{0}, 1+(w.Rank()/2+1)%2
		err = mpi.Allreduce(left, []int{1}, out, mpi.Sum)
		return errors.Join(err, inter.Free(), left.Free(),
			equal("groups", fmt.Sprint(left.IsInter(), left.Size(), left.RemoteSize(), out[0]), fmt.Sprint(true, own, 3-own, 3-own)))
	})
}

// The context of a program ends waits as in other jobs.
func TestContextsInJobsThatGoOn(t *testing.T) {
	runKeepGoing(t, 2, func(w *mpi.Comm) error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		v := w.WithContext(ctx)
		if err := mpi.Barrier(v); err != nil {
			return err
		}
		cancel()
		_, err := mpi.Recv(v, []int{0}, 1-w.Rank(), 0)
		return errors.Join(is(err, mpi.ErrCancelled, ""), mpi.Barrier(w))
	})
}

// Offers of partitioned messages do not match the receives for notices of deaths, which
// every rank of such a job has posted for any rank after an agreement. Both are bytes.
func TestPartitionsInJobsThatGoOn(t *testing.T) {
	runKeepGoing(t, 2, func(w *mpi.Comm) error {
		if _, err := w.Agree(1); err != nil {
			return err
		}
		buf := []byte("....")
		var r *mpi.Request
		var err error
		if w.Rank() == 0 {
			copy(buf, "news")
			r, err = mpi.PsendInit(w, buf, 2, 1, 5)
		} else {
			r, err = mpi.PrecvInit(w, buf, 2, 0, 5)
		}
		if err := errors.Join(err, r.Start()); err != nil {
			return err
		}
		if w.Rank() == 0 {
			err = r.PreadyRange(0, 1)
		}
		if _, werr := r.Wait(); err != nil || werr != nil || string(buf) != "news" {
			return fmt.Errorf("%q: %w", buf, errors.Join(err, werr))
		}
		return nil
	})
}

// In a job that ends with the first death these calls are errors.
func TestFaultToleranceMustBeAskedFor(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		_, agree := w.Agree(1)
		_, shrink := w.Shrink()
		_, failed := w.GetFailed()
		_, ack := w.AckFailed(1)
		for call, err := range map[string]error{"Revoke": w.Revoke(), "Agree": agree, "Shrink": shrink, "GetFailed": failed, "AckFailed": ack} {
			if err := is(err, mpi.ErrUnsupported, ""); err != nil {
				return fmt.Errorf("%s: %w", call, err)
			}
		}
		return equal("revoked", w.IsRevoked(), false)
	})
}

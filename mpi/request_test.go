package mpi_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 3.7.5: WaitAll completes all, WaitAny one, and inactive
// requests are ignored; WaitAny without an active one returns MPI_UNDEFINED.
func TestWaitAnyCompletesEachRequestOnce(t *testing.T) {
	const n = 4
	everywhere(t, n, func(w *mpi.Comm) error {
		if w.Rank() != 0 {
			return mpi.Send(w, []int{w.Rank()}, 0, w.Rank())
		}
		bufs := make([][]int, n)
		reqs := make([]*mpi.Request, n)
		for r := 1; r < n; r++ {
			bufs[r] = []int{0}
			reqs[r] = mpi.Irecv(w, bufs[r], r, mpi.AnyTag)
		}
		seen := [n]bool{}
		for range n - 1 {
			i, st, err := mpi.WaitAny(reqs...)
			if err != nil {
				return err
			}
			if seen[i] || st.Source != i || st.Tag != i || bufs[i][0] != i {
				return fmt.Errorf("request %d: %+v with %v", i, st, bufs[i])
			}
			seen[i] = true
		}
		i, st, err := mpi.WaitAny(reqs...)
		if i != mpi.Undefined || err != nil || st.Source != mpi.AnySource || st.Tag != mpi.AnyTag || st.Count != 0 {
			return fmt.Errorf("of no request: %d %+v %v", i, st, err)
		}
		return mpi.WaitAll(reqs...)
	})
}

// MPI 4.1, section 3.7.3: a completed request becomes MPI_REQUEST_NULL, which completes
// at once with an empty status, also while its memory is used by other requests.
func TestACompletedRequestNeverReachesAnotherTransfer(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		var old []*mpi.Request
		for i := range 50 {
			in := []int{0}
			r, s := mpi.Irecv(w, in, other, i), mpi.Isend(w, []int{i}, other, i)
			for _, o := range old {
				st, done, err := o.Test()
				if !done || err != nil || st.Source != mpi.AnySource {
					return fmt.Errorf("round %d: a completed request is active again: %+v %v %v", i, st, done, err)
				}
			}
			copied := *r
			if err := mpi.WaitAll(r, s); err != nil {
				return err
			}
			if err := equal("message", in[0], i); err != nil {
				return err
			}
			old = append(old, r, s, &copied)
		}
		return nil
	})
}

// MPI 4.1, section 3.7.3: Test completes a request when it reports true.
func TestTestCompletesARequest(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			return mpi.Send(w, sequence(1000, 3), 1, 0)
		}
		in := make([]int, 1000)
		r := mpi.Irecv(w, in, 0, 0)
		for {
			st, done, err := r.Test()
			if err != nil {
				return err
			}
			if !done {
				continue
			}
			if st.Count != 1000 {
				return fmt.Errorf("status is %+v", st)
			}
			return equalAll("message", in, sequence(1000, 3))
		}
	})
}

// MPI 4.1, section 3.7.5: if some fail, WaitAll still completes the others.
func TestWaitAllCompletesTheRestAfterAFailure(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		in := make([]int, 4)
		reqs := []*mpi.Request{
			mpi.Irecv(w, in[:1], other, 1),
			mpi.Irecv(w, in[2:], other, 2),
			mpi.Isend(w, []int{1, 2}, other, 1),
			mpi.Isend(w, []int{3, 4}, other, 2),
			mpi.Isend(w, []int{5}, 9, 2),
		}
		err := mpi.WaitAll(reqs...)
		if !errors.Is(err, mpi.ErrTruncate) || !errors.Is(err, mpi.ErrRank) {
			return fmt.Errorf("got %v", err)
		}
		return equalAll("messages", in[2:], []int{3, 4})
	})
}

// Finalize names a request that was never completed, with the line that made it.
func TestFinalizeReportsForgottenRequests(t *testing.T) {
	for _, tr := range transports {
		err := mpitest.World(2, func(w *mpi.Comm) error {
			if w.Rank() == 0 {
				mpi.Isend(w, []int{1, 2, 3}, 1, 5)
				return nil
			}
			_, err := mpi.Recv(w, make([]int, 3), 0, 5)
			return err
		}, tr.option)
		if !errors.Is(err, mpi.ErrPending) {
			t.Fatalf("%s: got %v", tr.name, err)
		}
		for _, part := range []string{"rank 0: mpi: Finalize on world: 1 request was never completed", "Isend on world to 1 tag 5: 24 bytes", "request_test.go:"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", tr.name, err, part)
			}
		}
	}
}

// MPI 4.1, section 3.7.5: a list of requests may contain complete ones, so it may
// contain one twice.
func TestARequestThatIsNamedTwiceIsCompletedOnce(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		for i := range 20 { // the first ones before there is a ring
			in := []int{0, 0}
			r, q := mpi.Irecv(w, in[:1], other, 1), mpi.Irecv(w, in[1:], other, 2)
			s, u := mpi.Isend(w, []int{i}, other, 1), mpi.Isend(w, []int{-i}, other, 2)
			if err := errors.Join(mpi.WaitAll(q, s, q, r, s, r), mpi.WaitAll(u, u)); err != nil {
				return err
			}
			if err := equalAll("messages", in, []int{i, -i}); err != nil {
				return err
			}
		}
		return nil
	})
}

// A message that does not fit is an error of WaitAll, too, where transfers are reused.
func TestWaitAllOfWhatDoesNotFit(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		for range 20 { // the first ones before there is a ring
			in := []int{0, 9}
			r, q := mpi.Irecv(w, in[:1], other, 1), mpi.Irecv(w, []int{0}, other, 2)
			s, u := mpi.Isend(w, []int{1, 2}, other, 1), mpi.Isend(w, []int{3}, other, 2)
			if err := is(mpi.WaitAll(q, r, s, u), mpi.ErrTruncate, ""); err != nil {
				return err
			}
			if in[1] != 9 {
				return errors.New("something was stored beyond the buffer")
			}
		}
		return nil
	})
}

// A send that was complete when it began is a request like any other until it is
// completed.
func TestASendThatHasGoneIsStillARequest(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		for range 20 { // the first ones before there is a ring
			if err := mpi.Barrier(w); err != nil {
				return err
			}
			var all []*mpi.Request
			for tag := range 4 {
				all = append(all, mpi.Isend(w, []int{tag}, other, tag))
			}
			copied := *all[0]
			i, _, err := mpi.WaitAny(all[0])
			if err != nil || i != 0 {
				return fmt.Errorf("WaitAny: %d, %v", i, err)
			}
			if i, _, err := mpi.WaitAny(&copied); err != nil || i != mpi.Undefined {
				return fmt.Errorf("WaitAny of a copy: %d, %v", i, err)
			}
			<-all[1].Done()
			if st, err := all[1].Wait(); err != nil || st.Source != mpi.AnySource {
				return fmt.Errorf("after Done: %+v, %v", st, err)
			}
			for done := false; !done; {
				_, done, _ = all[2].Status()
			}
			if err := all[2].Cancel(); err != nil { // it has no effect: MPI 4.1, section 3.8.4
				return err
			}
			if st, err := all[2].Wait(); err != nil || st.Cancelled() {
				return fmt.Errorf("after Cancel: %+v, %v", st, err)
			}
			if err := errors.Join(all[3].Free(), mpi.WaitAll(all...)); err != nil {
				return err
			}
			for tag := range 4 {
				if _, err := mpi.Recv(w, []int{0}, other, tag); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Finalize also names requests that were never completed although their transfers are
// complete.
func TestFinalizeReportsWhatHasGone(t *testing.T) {
	err := mpitest.World(2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		for range 20 { // then there is a ring
			if _, err := mpi.Sendrecv(w, []int{1}, other, 1, []int{0}, other, 1); err != nil {
				return err
			}
		}
		mpi.Isend(w, []int{1, 2}, other, 6)
		mpi.Irecv(w, []int{0, 0}, other, 6)
		return nil
	})
	one := regexp.MustCompile(`2 requests were never completed.*\n.*Irecv on world from ([01]) tag 6: 16 bytes \(.*request_test.go:.*\n.*Isend on world to ([01]) tag 6: 16 bytes \(`)
	if err == nil || !one.MatchString(err.Error()) { // at least of one rank, which ends the job
		t.Error(err)
	}
}

// Of two goroutines that wait for one request, which they must not, one gets the message,
// and the other an error, or what an inactive request gives.
func TestTwoGoroutinesWaitForOneRequest(t *testing.T) {
	if raceEnabled {
		t.Skip("the goroutines race, on purpose")
	}
	everywhere(t, 2, func(w *mpi.Comm) error {
		for i := range 20 {
			if w.Rank() == 0 {
				if _, err := mpi.Recv(w, []byte{}, 1, i); err != nil {
					return err
				}
				time.Sleep(time.Millisecond) // the goroutines wait meanwhile
				if err := mpi.Send(w, []int{i}, 1, i); err != nil {
					return err
				}
				continue
			}
			r := mpi.Irecv(w, []int{0}, 0, i)
			var sts [2]mpi.Status
			var errs [2]error
			var both sync.WaitGroup
			for g := range sts {
				both.Go(func() { sts[g], errs[g] = r.Wait() })
			}
			if err := mpi.Send(w, []byte{}, 0, i); err != nil {
				return err
			}
			both.Wait()
			got := 0
			for g, err := range errs {
				if err != nil {
					if err := is(err, mpi.ErrRequest, "mpi: Wait: another goroutine completed the request meanwhile; let one goroutine wait for it, and the others for that one"); err != nil {
						return err
					}
				} else if sts[g].Count == 1 {
					got++
				}
			}
			if got != 1 {
				return fmt.Errorf("round %d: %d goroutines got the message: %+v %v", i, got, sts, errs)
			}
		}
		return nil
	})
}

// A receive that waits when its rank calls Finalize ends with an error that says so.
func TestAReceiveThatWaitsInFinalize(t *testing.T) {
	for _, nic := range []string{"martini", "ib"} {
		mpitest.Run(t, 2, func(w *mpi.Comm) error {
			r := mpi.Irecv(w, []int{0}, 1-w.Rank(), 3)
			var ended error
			var waits sync.WaitGroup
			waits.Go(func() { _, ended = r.Wait() })
			err := mpi.Finalize(w)
			waits.Wait()
			if err := is(ended, mpi.ErrFinalized, fmt.Sprintf("mpi: Irecv on world from %d tag 3: this rank called Finalize while the call waited; let such calls end before", 1-w.Rank())); err != nil {
				return err
			}
			if err != nil { // of the request, unless Wait was in time
				return is(err, mpi.ErrPending, "")
			}
			return nil
		}, mpitest.NIC(nic))
	}
}

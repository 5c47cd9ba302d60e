package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// ringOf begins to send a message with each of n tags to the right, and to receive each
// from the left.
func ringOf(w *mpi.Comm, n int) (recvs, sends []*mpi.Request, bufs [][]int) {
	right, left := (w.Rank()+1)%w.Size(), (w.Rank()+w.Size()-1)%w.Size()
	for i := range n {
		buf := []int{-1}
		bufs = append(bufs, buf)
		recvs = append(recvs, mpi.Irecv(w, buf, left, i))
	}
	for i := range n {
		sends = append(sends, mpi.Isend(w, []int{100*w.Rank() + i}, right, n-1-i))
	}
	return recvs, sends, bufs
}

func checkRing(w *mpi.Comm, bufs [][]int) error {
	left := (w.Rank() + w.Size() - 1) % w.Size()
	for i, b := range bufs {
		if err := equal(fmt.Sprint("message ", i), b[0], 100*left+len(bufs)-1-i); err != nil {
			return err
		}
	}
	return nil
}

// MPI 4.1, section 3.7.5: Waitall gives the status of each request, in order.
func TestWaitAllStatusGivesEveryStatus(t *testing.T) {
	for n := 1; n <= 4; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			recvs, sends, bufs := ringOf(w, 9)
			sts, err := mpi.WaitAllStatus(append(recvs, sends...)...)
			if err != nil {
				return err
			}
			for i := range recvs {
				if err := equal("tag", sts[i].Tag, i); err != nil {
					return err
				}
			}
			return checkRing(w, bufs)
		})
	}
}

// MPI 4.1, section 3.7.5: Testall completes all requests or changes none.
func TestTestAllCompletesAllOrNone(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		buf := []int{0}
		if w.Rank() == 1 {
			if err := mpi.Barrier(w); err != nil {
				return err
			}
			return errors.Join(mpi.Send(w, []int{7}, 0, 1), mpi.Send(w, []int{8}, 0, 2))
		}
		first, second := mpi.Irecv(w, []int{0}, 1, 1), mpi.Irecv(w, buf, 1, 2)
		if sts, done, err := mpi.TestAll(first, nil, second); sts != nil || done || err != nil {
			return fmt.Errorf("before anything was sent: %v, %v, %v", sts, done, err)
		}
		if err := mpi.Barrier(w); err != nil {
			return err
		}
		for {
			sts, done, err := mpi.TestAll(first, nil, second)
			if err != nil {
				return err
			}
			if done {
				return equal("status", fmt.Sprint(sts[0].Tag, sts[2].Tag, buf[0]), "1 2 8")
			}
		}
	})
}

// MPI 4.1, section 3.7.5: Testany and Testsome report one, and all, of the complete
// requests; Waitsome waits for at least one; without active requests all report that.
func TestSomeAndAnyCompleteEachRequestOnce(t *testing.T) {
	for n := 1; n <= 3; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			for round := range 4 {
				const count = 12
				recvs, sends, bufs := ringOf(w, count)
				all := append(recvs, sends...)
				seen := map[int]bool{}
				note := func(index []int, sts []mpi.Status, err error) error {
					if err != nil || len(index) != len(sts) {
						return fmt.Errorf("%d indices, %d statuses: %w", len(index), len(sts), err)
					}
					for k, i := range index {
						if seen[i] || i < count && sts[k].Tag != i {
							return fmt.Errorf("request %d again, or with tag %d", i, sts[k].Tag)
						}
						seen[i] = true
					}
					return nil
				}
				for len(seen) < len(all) {
					var err error
					switch round {
					case 0:
						err = note(mpi.WaitSome(all...))
					case 1:
						err = note(mpi.TestSome(all...))
					default:
						var i int
						var st mpi.Status
						var done bool
						if i, st, done, err = mpi.TestAny(all...); done {
							err = note([]int{i}, []mpi.Status{st}, err)
						}
					}
					if err != nil {
						return err
					}
				}
				if index, _, err := mpi.WaitSome(all...); index != nil || err != nil {
					return fmt.Errorf("WaitSome of inactive requests: %v, %v", index, err)
				}
				if index, _, err := mpi.TestSome(all...); index != nil || err != nil {
					return fmt.Errorf("TestSome of inactive requests: %v, %v", index, err)
				}
				if i, _, done, err := mpi.TestAny(all...); i != mpi.Undefined || !done || err != nil {
					return fmt.Errorf("TestAny of inactive requests: %v, %v, %v", i, done, err)
				}
				if err := checkRing(w, bufs); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// MPI 4.1, section 3.7.6: Request_get_status leaves the request as it is.
func TestStatusDoesNotCompleteARequest(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 1 {
			return mpi.Send(w, []int{5, 6}, 0, 3)
		}
		r := mpi.Irecv(w, make([]int, 4), 1, mpi.AnyTag)
		for {
			st, done, err := r.Status()
			if err != nil {
				return err
			}
			if done {
				if err := equal("count", st.Count, 2); err != nil {
					return err
				}
				break
			}
		}
		if i, st, done, err := mpi.StatusAny(nil, r); i != 1 || st.Tag != 3 || !done || err != nil {
			return fmt.Errorf("StatusAny: %v %v %v %v", i, st, done, err)
		}
		if index, sts, err := mpi.StatusSome(nil, r); len(index) != 1 || index[0] != 1 || sts[0].Tag != 3 || err != nil {
			return fmt.Errorf("StatusSome: %v %v %v", index, sts, err)
		}
		if sts, done, err := mpi.StatusAll(nil, r); !done || sts[1].Count != 2 || err != nil {
			return fmt.Errorf("StatusAll: %v %v %v", sts, done, err)
		}
		st, err := r.Wait()
		if err != nil || st.Count != 2 {
			return fmt.Errorf("Wait: %v, %v", st, err)
		}
		if index, _, err := mpi.StatusSome(r); index != nil || err != nil {
			return fmt.Errorf("StatusSome of an inactive request: %v, %v", index, err)
		}
		if i, _, done, err := mpi.StatusAny(r); i != mpi.Undefined || !done || err != nil {
			return fmt.Errorf("StatusAny of an inactive request: %v, %v, %v", i, done, err)
		}
		st, done, err := r.Status()
		return errors.Join(err, equal("inactive", fmt.Sprint(done, st.Source, st.Count), fmt.Sprint(true, mpi.AnySource, 0)))
	})
}

// Done returns a channel that is closed when Wait would return at once.
func TestDoneServesSelect(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for i := range 20 {
			if w.Rank() == 1 {
				if err := mpi.Send(w, []int{i}, 0, i); err != nil {
					return err
				}
				continue
			}
			buf := []int{-1}
			r, never := mpi.Irecv(w, buf, 1, i), mpi.Irecv(w, []int{0}, 1, 1000)
			select {
			case <-r.Done():
			case <-never.Done():
				return errors.New("a receive that nothing was sent to is done")
			case <-time.After(time.Minute):
				return errors.New("no message in a minute")
			}
			if k, st, err := mpi.WaitAny(never, r); k != 1 || st.Tag != i || err != nil {
				return fmt.Errorf("WaitAny: %v %v %v", k, st, err)
			}
			if err := equal("buffer", buf[0], i); err != nil {
				return err
			}
			if err := never.Cancel(); err != nil {
				return err
			}
			st, err := never.Wait()
			if err != nil || !st.Cancelled() {
				return fmt.Errorf("cancelled receive: %v, %v", st, err)
			}
			<-never.Done() // inactive: at once
		}
		return nil
	})
}

// MPI 4.1, section 3.8.4: cancelling a receive ends a wait for it in another goroutine,
// also if no message will ever come.
func TestCancelWakesAnotherGoroutine(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		r := mpi.Irecv(w, []int{0}, 0, 5)
		done := r.Done()
		time.Sleep(20 * time.Millisecond) // for the wait to begin; if it has not, the test passes
		if err := r.Cancel(); err != nil {
			return err
		}
		<-done
		st, err := r.Wait()
		return errors.Join(err, equal("cancelled", st.Cancelled(), true))
	})
}

// MPI 4.1, section 3.8.4: a receive is either cancelled or completed as usual,
// and is completed by Wait in both cases.
func TestACancelledReceiveTakesNoMessage(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 1 {
			if err := mpi.Barrier(w); err != nil {
				return err
			}
			return mpi.Send(w, []int{9}, 0, 1)
		}
		r := mpi.Irecv(w, []int{0}, mpi.AnySource, 1)
		if err := r.Cancel(); err != nil {
			return err
		}
		st, err := r.Wait()
		if err != nil || !st.Cancelled() || mpi.Count[int](st) != mpi.Undefined || mpi.Count[byte](st) != mpi.Undefined {
			return fmt.Errorf("got %v, %v", st, err)
		}
		if err := mpi.Barrier(w); err != nil {
			return err
		}
		buf := []int{0}
		r = mpi.Irecv(w, buf, 1, 1)
		for done := false; !done; _, done, err = r.Status() {
			if err != nil {
				return err
			}
		}
		if err := r.Cancel(); err != nil { // too late
			return err
		}
		if st, err = r.Wait(); err != nil || st.Cancelled() || buf[0] != 9 {
			return fmt.Errorf("got %v, %v, %v", st, err, buf)
		}
		null := mpi.Irecv(w, buf, mpi.ProcNull, 1)
		if err := null.Cancel(); err != nil {
			return err
		}
		st, err = null.Wait()
		return errors.Join(err, equal("source", st.Source, mpi.ProcNull))
	})
}

// MPI 4.1, section 3.7.3: a freed request continues, and Finalize does not report it.
func TestAFreedRequestGoesOn(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 1 {
			r := mpi.Issend(w, []int{4}, 0, 1)
			if err := r.Free(); err != nil {
				return err
			}
			if st, done, err := r.Test(); !done || err != nil || st.Source != mpi.AnySource {
				return fmt.Errorf("a freed request is inactive, got %v %v %v", st, done, err)
			}
			if err := errors.Join(r.Free(), (*mpi.Request)(nil).Free()); err != nil {
				return err
			}
			return mpi.Barrier(w)
		}
		if err := mpi.Barrier(w); err != nil {
			return err
		}
		buf := []int{0}
		_, err := mpi.Recv(w, buf, 1, 1)
		return errors.Join(err, equal("buffer", buf[0], 4))
	})
}

// MPI 4.1, section 3.7.2: Isendrecv exchanges around a ring, also beside other calls,
// and with one buffer.
func TestIsendrecvExchanges(t *testing.T) {
	for n := 1; n <= 5; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			right, left := (w.Rank()+1)%n, (w.Rank()+n-1)%n
			for _, size := range []int{1, 1000, 60_000} {
				in, both := make([]int, size), sequence(size, 5*w.Rank())
				a := mpi.Isendrecv(w, sequence(size, w.Rank()), right, 1, in, left, 1)
				b := mpi.IsendrecvReplace(w, both, left, 2, right, 2)
				sts, err := mpi.WaitAllStatus(b, a)
				if err != nil {
					return err
				}
				if sts[0].Source != right || sts[1].Source != left || sts[1].Count != size {
					return fmt.Errorf("statuses %v", sts)
				}
				if err := errors.Join(equalAll("in", in, sequence(size, left)), equalAll("both", both, sequence(size, 5*right))); err != nil {
					return err
				}
			}
			buf := []int{1, 2, 3}
			_, err := mpi.Isendrecv(w, buf, left, 0, buf[1:], right, 0).Wait()
			return is(err, mpi.ErrBuffer, "")
		})
	}
}

// MPI 4.1, section 13.2: a program completes a request of its own, which is waited for
// like others.
func TestNewRequestIsCompletedByTheProgram(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		r, complete, err := mpi.NewRequest(w)
		if err != nil {
			return err
		}
		if _, done, _ := r.Test(); done {
			return errors.New("complete before it was completed")
		}
		go func() {
			var st mpi.Status
			st.SetCancelled(true)
			st.SetCancelled(false)
			st.Tag = 12
			complete(st, nil)
		}()
		in := mpi.Irecv(w, []int{0}, mpi.AnySource, 3)
		i, st, err := mpi.WaitAny(nil, in, r)
		if i != 2 || st.Tag != 12 || st.Cancelled() || err != nil {
			return fmt.Errorf("got %v %v %v", i, st, err)
		}
		if err := mpi.Send(w, []int{1}, 0, 3); err != nil {
			return err
		}
		_, err = in.Wait()
		return err
	})
}

// Requests that do not allow a call are errors that name the call and what to do.
func TestMisusedRequestsAreErrors(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		inactive := mpi.Irecv(w, []int{0}, mpi.ProcNull, 0)
		if _, err := inactive.Wait(); err != nil {
			return err
		}
		send := mpi.Issend(w, []int{1}, 0, 0)
		var none *mpi.Comm
		second := func(_ any, err error) error { return err }
		for _, row := range []struct {
			err   error
			class mpi.Class
			text  string
		}{
			{inactive.Cancel(), mpi.ErrRequest, "mpi: Cancel: the request is not active; cancel it before it is completed"},
			{send.Cancel(), mpi.ErrRequest, "mpi: Cancel on world: Issend cannot be cancelled, only receives; use a communicator WithContext to end its wait"},
			{send.Start(), mpi.ErrRequest, "mpi: Start: the request is not persistent, or was freed; make it with SendInit, RecvInit or another Init call"},
			{mpi.StartAll(nil), mpi.ErrRequest, ""},
			{second(mpi.SendInit(w, []int{1}, 1, 0)), mpi.ErrRank, "mpi: SendInit on world to 1 tag 0: there is no rank 1; ranks are 0 to 0"},
			{second(mpi.RecvInit(w, []int{1}, 0, -7)), mpi.ErrTag, ""},
			{second(mpi.BsendInit(w, []*int{nil}, 0, 0)), mpi.ErrType, ""},
			{second(mpi.RecvInit(none, []int{1}, 0, 0)), mpi.ErrComm, ""},
			{second(mpi.Isendrecv(w, []int{1}, 3, 0, []int{1}, 0, 0).Wait()), mpi.ErrRank, ""},
			{second(mpi.IsendrecvReplace(w, []int{1}, 0, 0, 3, 0).Wait()), mpi.ErrRank, ""},
			{second(mpi.Ibsend(w, []int{1}, 5, 0).Wait()), mpi.ErrRank, ""},
			{second(mpi.Ibsend(none, []int{1}, 5, 0).Wait()), mpi.ErrComm, ""},
			{mpi.Rsend(w, []int{1}, 0, -1), mpi.ErrTag, ""},
			{none.AttachBuffer(nil), mpi.ErrComm, ""},
			{second(none.DetachBuffer()), mpi.ErrComm, ""},
			{none.FlushBuffer(), mpi.ErrComm, ""},
			{second(none.IflushBuffer().Wait()), mpi.ErrComm, ""},
			{mpi.BufferAttach(none, nil), mpi.ErrComm, ""},
			{second(mpi.BufferDetach(none)), mpi.ErrComm, ""},
			{mpi.BufferFlush(none), mpi.ErrComm, ""},
		} {
			if err := is(row.err, row.class, row.text); err != nil {
				return err
			}
		}
		if _, _, err := mpi.NewRequest(none); is(err, mpi.ErrComm, "") != nil {
			return fmt.Errorf("NewRequest on nil: %v", err)
		}
		_, err := mpi.Recv(w, []int{0}, 0, 0)
		return errors.Join(err, second(send.Wait()))
	})
}

// Random messages between random ranks, completed by all calls that complete requests.
func TestRandomCompletions(t *testing.T) {
	for n := 1; n <= 9; n += 2 {
		mpitest.Run(t, n, func(w *mpi.Comm) error {
			rnd := rand.New(rand.NewPCG(11, uint64(n))) // the same on all ranks
			own := rand.New(rand.NewPCG(uint64(w.Rank()), uint64(n)))
			for round := range 15 {
				var active []*mpi.Request
				var check []func() error
				for i := range 20 {
					from, to, size := rnd.IntN(n), rnd.IntN(n), rnd.IntN(3)*rnd.IntN(9000)
					if w.Rank() == from {
						if i%2 == 0 {
							active = append(active, mpi.Isend(w, sequence(size, i+round), to, i))
						} else {
							active = append(active, mpi.Issend(w, sequence(size, i+round), to, i))
						}
					}
					if w.Rank() == to {
						buf := make([]int, size)
						active = append(active, mpi.Irecv(w, buf, from, i))
						check = append(check, func() error { return equalAll("message", buf, sequence(size, i+round)) })
					}
				}
				if err := complete(own, active); err != nil {
					return err
				}
				for _, c := range check {
					if err := c(); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}

// complete completes requests by calls that it chooses at random.
func complete(rnd *rand.Rand, reqs []*mpi.Request) (err error) {
	for err == nil {
		switch rnd.IntN(7) {
		case 0:
			_, _, err = mpi.WaitAny(reqs...)
		case 1:
			_, _, err = mpi.WaitSome(reqs...)
		case 2:
			_, _, err = mpi.TestSome(reqs...)
		case 3:
			_, _, _, err = mpi.TestAny(reqs...)
		case 4:
			if len(reqs) > 0 {
				reqs[rnd.IntN(len(reqs))].Done()
			}
		case 5:
			if rnd.IntN(4) == 0 {
				_, err = mpi.WaitAllStatus(reqs...)
			}
		case 6:
			var done bool
			if _, done, err = mpi.TestAll(reqs...); done {
				return err
			}
		}
	}
	return err
}

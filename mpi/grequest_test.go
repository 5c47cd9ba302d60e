package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 13.2: Cancel of a generalized request calls the function of the
// program, with whether the request is complete, and returns its error. Without one it
// does nothing.
func TestCancelOfARequestOfTheProgram(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		var calls []bool
		var complete func(mpi.Status, error) error
		r, complete, err := mpi.NewRequest(w, func(over bool) error {
			calls = append(calls, over)
			if over {
				return errors.New("too late")
			}
			var st mpi.Status
			st.SetCancelled(true)
			return complete(st, nil)
		})
		if err != nil {
			return err
		}
		if err := r.Cancel(); err != nil {
			return err
		}
		if err := is(r.Cancel(), mpi.ErrOther, "mpi: Cancel on world: too late"); err != nil {
			return err
		}
		st, done, err := r.Test()
		if err != nil || !done || !st.Cancelled() {
			return fmt.Errorf("after Cancel: %v %v %v", st, done, err)
		}
		if err := equalAll("calls of the function", calls, []bool{false, true}); err != nil {
			return err
		}
		r, complete, err = mpi.NewRequest(w)
		if err = errors.Join(err, r.Cancel()); err != nil {
			return err
		}
		if _, done, _ := r.Test(); done {
			return errors.New("Cancel completes the request")
		}
		err = errors.Join(complete(mpi.Status{}, nil), r.Cancel())
		return errors.Join(err, mpi.WaitAll(r))
	})
}

// MPI 4.1, section 13.2: the cancel function of a generalized request may cancel its own
// request: that has no effect while it runs, also if it has panicked before.
func TestCancelWithinCancel(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		calls := 0
		var r *mpi.Request
		r, complete, err := mpi.NewRequest(w, func(bool) error {
			if calls++; calls == 1 {
				panic("no")
			}
			return r.Cancel()
		}, func(bool) error { return r.Cancel() })
		if err != nil {
			return err
		}
		func() {
			defer func() { _ = recover() }()
			_ = r.Cancel()
		}()
		err = errors.Join(r.Cancel(), r.Cancel(), equal("calls", calls, 3), complete(mpi.Status{}, nil))
		return errors.Join(err, waited(r))
	})
}

// MPI 4.1, section 13.2: the error of a generalized request is that of the call that
// completes it, with its class (section 9.4), and calls the error handler (section 9.3).
// It is completed once.
func TestErrorsOfARequestOfTheProgram(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		calls, mine := 0, errors.New("mine")
		if err := w.SetErrhandler(func(*mpi.Comm, *mpi.Error) { calls++ }); err != nil {
			return err
		}
		code := mpi.NewErrorCode(mpi.ErrBuffer, "no room")
		for i, row := range []struct {
			err   error
			class mpi.Class
			text  string
		}{
			{mine, mpi.ErrOther, "mpi: NewRequest on world: mine"},
			{code, mpi.ErrBuffer, "mpi: NewRequest on world: no room"},
		} {
			r, complete, err := mpi.NewRequest(w)
			if err = errors.Join(err, complete(mpi.Status{}, row.err)); err != nil {
				return err
			}
			again := complete(mpi.Status{}, nil)
			if err := is(again, mpi.ErrRequest, "mpi: NewRequest on world: the request is complete already; complete it once"); err != nil {
				return err
			}
			_, err = r.Wait()
			if !errors.Is(err, row.err) {
				return fmt.Errorf("%v is not the error of the program", err)
			}
			if err := errors.Join(is(err, row.class, row.text), equal("calls of the handler", calls, 2*i+2)); err != nil {
				return err
			}
		}
		return w.SetErrhandler(nil)
	})
}

// MPI 4.1, section 3.8.4: either a cancellation succeeds or the communication does. A
// send that is complete has succeeded.
func TestCancelOfACompleteSend(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		if err := w.AttachBuffer(nil); err != nil {
			return err
		}
		in := []int{0}
		for what, start := range map[string]func() *mpi.Request{
			"Isend":  func() *mpi.Request { return mpi.Isend(w, []int{1}, 0, 0) },
			"Issend": func() *mpi.Request { return mpi.Issend(w, []int{1}, 0, 0) },
			"Irsend": func() *mpi.Request { return mpi.Irsend(w, []int{1}, 0, 0) },
			"Ibsend": func() *mpi.Request { return mpi.Ibsend(w, []int{1}, 0, 0) },
		} {
			r := start()
			if _, err := mpi.Recv(w, in, 0, 0); err != nil {
				return err
			}
			for done := false; !done; {
				_, done, _ = r.Status()
			}
			err := r.Cancel()
			st, e := r.Wait()
			if err = errors.Join(err, e); err != nil || st.Cancelled() {
				return fmt.Errorf("%s: %v, cancelled: %v", what, err, st.Cancelled())
			}
		}
		_, err := w.DetachBuffer()
		return err
	})
}

// MPI 4.1, section 3.7.5: a call that completes several requests returns an error for each
// that failed, with its status, and which one it is (MPI_ERR_IN_STATUS).
func TestErrorsInStatus(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		for name, complete := range map[string]func(reqs []*mpi.Request) ([]int, []mpi.Status, error){
			"WaitAll": func(reqs []*mpi.Request) ([]int, []mpi.Status, error) {
				return []int{0, 1, 2}, nil, mpi.WaitAll(reqs...)
			},
			"WaitAllStatus": func(reqs []*mpi.Request) ([]int, []mpi.Status, error) {
				sts, err := mpi.WaitAllStatus(reqs...)
				return []int{0, 1, 2}, sts, err
			},
			"TestAll": func(reqs []*mpi.Request) ([]int, []mpi.Status, error) {
				for {
					if sts, done, err := mpi.TestAll(reqs...); done {
						return []int{0, 1, 2}, sts, err
					}
				}
			},
			"StatusAll": func(reqs []*mpi.Request) ([]int, []mpi.Status, error) {
				for {
					if sts, done, err := mpi.StatusAll(reqs...); done {
						return []int{0, 1, 2}, sts, errors.Join(err, mpi.WaitAll(reqs...))
					}
				}
			},
			"WaitSome": func(reqs []*mpi.Request) ([]int, []mpi.Status, error) {
				for _, r := range reqs {
					<-r.Done()
				}
				return mpi.WaitSome(reqs...)
			},
			"TestSome": func(reqs []*mpi.Request) ([]int, []mpi.Status, error) {
				for _, r := range reqs {
					<-r.Done()
				}
				return mpi.TestSome(reqs...)
			},
			"StatusSome": func(reqs []*mpi.Request) ([]int, []mpi.Status, error) {
				for _, r := range reqs {
					<-r.Done()
				}
				index, sts, err := mpi.StatusSome(reqs...)
				_ = mpi.WaitAll(reqs...)
				return index, sts, err
			},
		} {
			fine, short := mpi.Irecv(w, make([]int, 2), 0, 0), mpi.Irecv(w, make([]int, 2), 0, 10)
			if err := errors.Join(mpi.Send(w, make([]int, 2), 0, 0), mpi.Send(w, make([]int, 3), 0, 10)); err != nil {
				return err
			}
			index, sts, err := complete([]*mpi.Request{fine, short, mpi.Isend(w, []int{1}, 7, 0)})
			if err := equalAll(name+": requests", index, []int{0, 1, 2}); err != nil {
				return err
			}
			var failed *mpi.RequestErrors
			if !errors.As(err, &failed) || len(failed.Of) != 3 || failed.Of[0] != nil {
				return fmt.Errorf("%s: %v", name, err)
			}
			if err := errors.Join(is(failed.Of[1], mpi.ErrTruncate, ""), is(failed.Of[2], mpi.ErrRank, ""), is(err, mpi.ErrRank, ""), is(err, mpi.ErrTruncate, "")); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if sts != nil && (sts[0].Tag != 0 || sts[1].Tag != 10) {
				return fmt.Errorf("%s: statuses %v", name, sts)
			}
		}
		return nil
	})
}

// Done of a request whose call failed is closed, and Wait returns the error.
func TestDoneOfARequestThatFailedAtOnce(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		var none *mpi.Comm
		for _, r := range []*mpi.Request{mpi.Irecv(none, []int{0}, 0, 0), mpi.Isend(none, []int{0}, 0, 0)} {
			<-r.Done()
			i, _, err := mpi.WaitAny(nil, r)
			if err := errors.Join(equal("index", i, 1), is(err, mpi.ErrComm, "")); err != nil {
				return err
			}
			if _, err := r.Wait(); err != nil {
				return fmt.Errorf("completed twice: %w", err)
			}
		}
		r := mpi.Irecv(w, []int{0}, 9, 0)
		<-r.Done()
		_, err := r.Wait()
		return is(err, mpi.ErrRank, "")
	})
}

// MPI 4.1, sections 3.8.3 and 7.4.3: a message that a probe has matched is received also after
// its communicator has been freed, since that operation is pending.
func TestAMatchedMessageOutlivesItsCommunicator(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for _, n := range []int{1, 100_000} {
			d, err := w.Dup()
			if err != nil {
				return err
			}
			if w.Rank() == 0 {
				r := mpi.Isend(d, sequence(n, 3), 1, 3)
				if err := errors.Join(d.Free(), mpi.WaitAll(r)); err != nil {
					return err
				}
				continue
			}
			m, _, err := mpi.Mprobe(d, 0, 3)
			if err = errors.Join(err, d.Free()); err != nil {
				return err
			}
			in := make([]int, n)
			if _, err := mpi.Mrecv(m, in); err != nil {
				return err
			}
			if err := equalAll("message", in, sequence(n, 3)); err != nil {
				return err
			}
		}
		return nil
	})
}

package mpi_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 9.3: a handler may make calls. An error of one on the handler's own
// object is returned and does not call it again, whether the call is that which has failed
// before, another one, one on a view of the object, or CallErrhandler.
func TestAHandlersOwnErrorsDoNotCallIt(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		c, err1 := w.Dup()
		v, err2 := mpi.WinAllocate[int](w, 1)
		s, err3 := w.Session()
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		calls := map[string]int{}
		var inside error
		err := errors.Join(
			c.SetErrhandler(func(on *mpi.Comm, err *mpi.Error) {
				calls["comm"]++
				inside = errors.Join(inside, is(mpi.Send(on, one, 9, 0), mpi.ErrRank, ""), is(mpi.Bcast(c, one, 9), mpi.ErrRoot, ""),
					is(mpi.Send(c.WithContext(t.Context()), one, 9, 0), mpi.ErrRank, ""),
					is(waited(mpi.Isend(c, one, 9, 0)), mpi.ErrRank, ""), is(c.CallErrhandler(errors.New("again")), mpi.ErrOther, ""))
			}),
			v.SetErrhandler(func(mpi.AnyWin, *mpi.Error) {
				calls["win"]++
				inside = errors.Join(inside, is(v.Complete(), mpi.ErrRMASync, ""), is(v.CallErrhandler(errors.New("again")), mpi.ErrOther, ""))
			}),
			s.SetErrhandler(func(s *mpi.Session, _ *mpi.Error) {
				calls["session"]++
				inside = errors.Join(inside, is(second(s.PsetInfo("x")), mpi.ErrArg, ""), is(s.CallErrhandler(errors.New("again")), mpi.ErrOther, ""))
			}))
		if err != nil {
			return err
		}
		for range 2 { // the handlers are called again with later errors
			err = errors.Join(err, is(mpi.Send(c, one, 9, 0), mpi.ErrRank, ""), is(v.Complete(), mpi.ErrRMASync, ""), is(second(s.PsetInfo("x")), mpi.ErrArg, ""))
		}
		return errors.Join(err, inside, equal("calls", fmt.Sprint(calls), "map[comm:2 session:2 win:2]"), s.Finalize(), v.Free(), c.Free())
	})
}

// Errors on another object call the handler of that object, and two handlers that make
// mistakes on each other's objects end.
func TestHandlersOfTwoObjectsCallEachOther(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		c, err1 := w.Dup()
		d, err2 := w.Dup()
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		var names []string
		err := errors.Join(
			c.SetErrhandler(func(*mpi.Comm, *mpi.Error) { names = append(names, "c"); _ = mpi.Send(d, one, 9, 0) }),
			d.SetErrhandler(func(*mpi.Comm, *mpi.Error) { names = append(names, "d"); _ = mpi.Send(c, one, 9, 0) }))
		_, _ = mpi.Send(c, one, 9, 0), mpi.Send(d, one, 9, 0)
		return errors.Join(err, equal("handlers", strings.Join(names, " "), "c d d c"), c.Free(), d.Free())
	})
}

// A handler that makes a communicator, which inherits it, and a mistake on it, runs in
// itself 64 times, and not until the stack is full.
func TestHandlersRunInEachOtherABoundedNumberOfTimes(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		n := 0
		var inside error
		err = c.SetErrhandler(func(c *mpi.Comm, _ *mpi.Error) {
			n++
			d, err := c.Dup()
			if err == nil {
				inside = errors.Join(inside, is(mpi.Send(d, one, 9, 0), mpi.ErrRank, ""))
				err = d.Free()
			}
			inside = errors.Join(inside, err)
		})
		return errors.Join(err, is(mpi.Send(c, one, 9, 0), mpi.ErrRank, ""), inside, equal("calls", n, 64), c.Free())
	})
}

// While a handler runs, errors of other goroutines on the object call it, and so do later
// errors of its own goroutine, if it has panicked. A failed call deep in a recursion of
// the program finds its handler as well.
func TestAHandlerRunsOnSeveralGoroutines(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		const goroutines = 4
		var inside, over sync.WaitGroup // all handlers run at once
		inside.Add(goroutines)
		if err := c.SetErrhandler(func(c *mpi.Comm, _ *mpi.Error) { inside.Done(); inside.Wait(); _ = mpi.Send(c, one, 9, 0) }); err != nil {
			return err
		}
		for range goroutines {
			over.Go(func() { _ = mpi.Send(c, one, 9, 0) })
		}
		over.Wait()

		n := 0
		err = c.SetErrhandler(func(c *mpi.Comm, _ *mpi.Error) {
			n++
			deeply(500, func() { _ = mpi.Send(c, one, 9, 0) })
			panic("no more")
		})
		for range 2 {
			func() {
				defer func() { _ = recover() }()
				_ = mpi.Send(c, one, 9, 0)
			}()
		}
		return errors.Join(err, equal("calls", n, 2), c.Free())
	})
}

// deeply calls f in calls of itself.
func deeply(depth int, f func()) {
	if depth == 0 {
		f()
		return
	}
	deeply(depth-1, f)
}

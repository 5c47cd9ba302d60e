package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// panics returns an operation that panics.
func panics() mpi.Op { return mpi.OpFunc(func(in, inout []int) { panic("no sum") }) }

// recovered returns what the panic of a call says.
func recovered(call func() error) (err error) {
	defer func() { err = fmt.Errorf("%v", recover()) }()
	return call()
}

// A blocking call in which the user's operation panics has ended half-way: the lock is free, and the
// communicator takes no further call.
func TestAPanicOfAnOperationEndsTheUseOfTheCommunicator(t *testing.T) {
	for _, n := range []int{1, 20000} {
		everywhere(t, 2, func(w *mpi.Comm) error {
			in, out := make([]int, n), make([]int, n)
			bothCombine := mpi.Info{mpi.HintAlgorithms: "allreduce=recursive-doubling"}
			for _, row := range []struct {
				name string
				call func(c *mpi.Comm) error
			}{
				{"Allreduce", func(c *mpi.Comm) error { return mpi.Allreduce(c, in, out, panics()) }},
				{"of items", func(c *mpi.Comm) error { return mpi.Allreduce(c, column(in, 0, 1), column(out, 0, 1), panics()) }},
			} {
				c, err := w.DupWithInfo(bothCombine)
				if err != nil {
					return err
				}
				if err := equal(row.name, fmt.Sprint(recovered(func() error { return row.call(c) })), "no sum"); err != nil {
					return err
				}
				if err := is(mpi.Barrier(c), mpi.ErrComm, "mpi: Barrier on "+c.Name()+": an earlier collective call ended half-way, so the ranks no longer agree; use a duplicate made before"); err != nil {
					return fmt.Errorf("%s: %w", row.name, err)
				}
			}
			return mpi.Barrier(w)
		})
	}
}

// Any goroutine may carry on a call that does not block: the panic of its operation is the error of the call.
func TestAPanicOfAnOperationIsTheErrorOfARequest(t *testing.T) {
	for _, n := range []int{1, 20000} {
		everywhere(t, 2, func(w *mpi.Comm) error {
			in, out := make([]int, n), make([]int, n)
			bothCombine := mpi.Info{mpi.HintAlgorithms: "allreduce=recursive-doubling"}
			const text = ": the function of the operation panicked: no sum; the call has ended half-way"
			c, err1 := w.DupWithInfo(bothCombine)
			d, err2 := w.DupWithInfo(bothCombine)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			again, err := mpi.AllreduceInit(d, in, out, panics())
			if err != nil {
				return err
			}
			return errors.Join(
				is(waited(mpi.Iallreduce(c, in, out, panics())), mpi.ErrOther, "mpi: Iallreduce on "+c.Name()+text),
				is(errors.Join(again.Start(), mpi.WaitAll(again)), mpi.ErrOther, ""),
				is(mpi.Barrier(c), mpi.ErrComm, ""),
				is(mpi.Barrier(d), mpi.ErrComm, ""),
				mpi.Barrier(w))
		})
	}
}

// An operation without a function is as wrong as none.
func TestAnOperationNeedsAFunction(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		in, out, none := make([]int, 4), make([]int, 4), mpi.OpFunc[int](nil)
		const text = ": the function of the operation is nil; pass one to OpFunc"
		return errors.Join(
			is(mpi.Allreduce(w, in, out, none), mpi.ErrOp, "mpi: Allreduce on world"+text),
			is(mpi.Reduce(w, in, out, none, 0), mpi.ErrOp, "mpi: Reduce on world root 0"+text),
			is(mpi.ReduceLocal(w, in, out, none), mpi.ErrOp, "mpi: ReduceLocal on world"+text),
			is(waited(mpi.Iallreduce(w, in, out, none)), mpi.ErrOp, "mpi: Iallreduce on world"+text),
			is(mpi.Allreduce(w, column(in, 0, 2), column(out, 0, 2), none), mpi.ErrOp, "mpi: Allreduce on world"+text),
			mpi.Barrier(w))
	})
}

// In an exchange of flags all ranks combine.
func TestAPanicOfAnOperationInAnExchange(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		c, err1 := w.Dup()
		d, err2 := w.Dup()
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		in, out := []int{1}, []int{0}
		return errors.Join(
			equal("panic", fmt.Sprint(recovered(func() error { return mpi.Allreduce(c, in, out, panics()) })), "no sum"),
			is(mpi.Barrier(c), mpi.ErrComm, ""),
			is(waited(mpi.Iallreduce(d, in, out, panics())), mpi.ErrOther, ""),
			is(mpi.Barrier(d), mpi.ErrComm, ""))
	}, mpitest.NIC("sync"))
}

// The end of a job carries on what is under way, whose operation may panic.
func TestAPanicOfAnOperationAtTheEndOfAJob(t *testing.T) {
	ended := errors.New("rank 0 ends")
	err := mpitest.World(2, func(w *mpi.Comm) error {
		in, out := make([]int, 20000), make([]int, 20000)
		r := mpi.Iallreduce(w, in, out, panics())
		if w.Rank() == 0 {
			return ended
		}
		return waited(r)
	})
	if !errors.Is(err, ended) && !errors.Is(err, mpi.ErrOther) {
		t.Errorf("got %v, want the error of rank 0 or that of its operation", err)
	}
}

// MPI 4.1, section 6.9.5: no call may be made in a user's function. One that would wait for the call that the function is
// part of is an error, which leaves that call as it is, however deep in the function it is; a call of another goroutine
// waits for its end.
func TestACollectiveCallOfAnOperationIsAnError(t *testing.T) {
	const text = ": the function of an operation makes the call, within a collective call on the same communicator; such a function may only combine its arguments"
	everywhere(t, 2, func(w *mpi.Comm) error {
		c, err := w.DupWithInfo(mpi.Info{mpi.HintAlgorithms: "allreduce=recursive-doubling"})
		if err != nil {
			return err
		}
		var inner error
		beside := make(chan error, 1)
		started := false
		var deep func(n int, f func() error) error
		deep = func(n int, f func() error) error {
			if n == 0 {
				return f()
			}
			return deep(n-1, f)
		}
		op := mpi.OpFunc(func(in, inout []int) {
			inner = errors.Join(inner,
				is(deep(300, func() error { return mpi.Barrier(c) }), mpi.ErrOther, "mpi: Barrier on world.dup1"+text),
				is(second(c.Dup()), mpi.ErrOther, "mpi: Dup on world.dup1"+text),
				is(c.Free(), mpi.ErrOther, "mpi: Free on world.dup1"+text))
			if !started {
				started = true
				go func() { beside <- mpi.Barrier(c) }()
			}
			for i := range in {
				inout[i] += in[i]
			}
		})
		sum := []int{0}
		err = mpi.Allreduce(c, []int{w.Rank() + 1}, sum, op)
		return errors.Join(err, inner, equal("sum", sum[0], 3), <-beside, c.Free())
	})
}

package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/collectives"
	"rhinet/collectives/colltest"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// onControllers runs fn on 2, 3 and 5 ranks whose network has barrier controllers, with a
// communicator that uses them for every barrier.
func onControllers(t *testing.T, fn func(w, c *mpi.Comm) error, options ...mpitest.Option) {
	t.Helper()
	for _, n := range []int{2, 3, 5} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			mpitest.Run(t, n, func(w *mpi.Comm) error {
				c, err := w.DupWithInfo(map[string]string{mpi.HintAlgorithms: "barrier=controller"})
				if err != nil {
					return err
				}
				return errors.Join(fn(w, c), c.Free())
			}, append(options, mpitest.NIC("sync"))...)
		})
	}
}

// Every algorithm works on a network with barrier controllers, where they serve barriers.
func TestEveryAlgorithmOnControllers(t *testing.T) {
	sizes := []int{2, 3, 5}
	if testing.Short() {
		sizes = []int{3}
	}
	colltest.Run(t, func(t testing.TB, n int) []collectives.Transport {
		return collectiveTransports(t, n, mpitest.NIC("sync"))
	}, sizes...)
}

// What the controllers serve: barriers if they are named, and nonblocking ones.
// Persistent barriers, which ranks may start in another order than other calls, use
// messages.
func TestWhatControllersServe(t *testing.T) {
	onControllers(t, func(w, c *mpi.Comm) error {
		for _, k := range []struct {
			comm *mpi.Comm
			name string
		}{{w, "exchange"}, {c, "controller"}} {
			if name, err := k.comm.Algorithm("barrier", 0); name != k.name || err != nil {
				return fmt.Errorf("%s: %s, %w", k.comm.Name(), name, err)
			}
		}
		count := func(c *mpi.Comm, call func() error) (int, error) {
			before := mpi.Codes(c)
			err := call()
			return mpi.Codes(c) - before, err
		}
		persistent := func() error {
			r, err := mpi.BarrierInit(c)
			if err == nil {
				err = errors.Join(r.Start(), wait(r), r.Free())
			}
			return err
		}
		for _, k := range []struct {
			name string
			comm *mpi.Comm
			call func() error
			want int
		}{
			{"Barrier", w, func() error { return mpi.Barrier(w) }, 0},
			{"Ibarrier", w, func() error { return wait(mpi.Ibarrier(w)) }, 2},
			{"Barrier by name", c, func() error { return mpi.Barrier(c) }, 2},
			{"Ibarrier by name", c, func() error { return wait(mpi.Ibarrier(c)) }, 2},
			{"BarrierInit", c, persistent, 0},
		} {
			if got, err := count(k.comm, k.call); got != k.want || err != nil {
				return fmt.Errorf("%s: %d codes, want %d; %w", k.name, got, k.want, err)
			}
		}
		return nil
	})
}

func wait(r *mpi.Request) error { _, err := r.Wait(); return err }

// No rank leaves a barrier before all have come, whether it blocks or not, whatever
// other calls are in progress, and in whatever order requests are completed.
func TestNobodyLeavesEarly(t *testing.T) {
	const barriers = 200
	var came [4][6][barriers]atomic.Int32 // by run, size
	for run := range 4 {
		onControllers(t, func(w, c *mpi.Comm) error {
			came := &came[run][c.Size()]
			calls := rand.New(rand.NewPCG(1, uint64(run))) // the same on all ranks
			mine := rand.New(rand.NewPCG(uint64(c.Rank()), uint64(run)))
			open := map[int]*mpi.Request{}
			end := func(n int, err error) error {
				if got := int(came[n].Load()); err == nil && got != c.Size() {
					err = fmt.Errorf("rank %d left barrier %d when %d had come", c.Rank(), n, got)
				}
				return err
			}
			for n := range barriers {
				for range mine.IntN(20) * mine.IntN(2) {
					runtime.Gosched()
				}
				came[n].Add(1)
				switch calls.IntN(4) {
				case 0:
					if err := end(n, mpi.Barrier(c)); err != nil {
						return err
					}
				case 1:
					one, sum := []int{1}, []int{0}
					open[n] = mpi.Ibarrier(c)
					if err := mpi.Allreduce(c, one, sum, mpi.Sum); err != nil || sum[0] != c.Size() {
						return fmt.Errorf("sum %d, %w", sum[0], err)
					}
				default:
					open[n] = mpi.Ibarrier(c)
				}
				for n, r := range open { // in a random order
					if mine.IntN(3) > 0 && len(open) < 8 {
						continue
					}
					delete(open, n)
					if err := end(n, wait(r)); err != nil {
						return err
					}
				}
			}
			for n, r := range open {
				if err := end(n, wait(r)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// Communicators come and go, each time of other ranks, and use the same controllers one
// after the other.
func TestControllersAreUsedAgain(t *testing.T) {
	onControllers(t, func(w, c *mpi.Comm) error {
		for round := range 40 {
			part, err := c.Split((w.Rank()+round)%(1+round%3), -w.Rank())
			if err != nil {
				return err
			}
			for range round % 4 {
				if err := wait(mpi.Ibarrier(part)); err != nil {
					return fmt.Errorf("round %d: %w", round, err)
				}
			}
			if err := errors.Join(mpi.Barrier(part), part.Free()); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
		return nil
	})
}

// A rank that has made a different call before is noticed.
func TestControllersSeeOtherCalls(t *testing.T) {
	onControllers(t, func(w, c *mpi.Comm) error {
		other, err := c.Dup()
		if err != nil {
			return err
		}
		if w.Rank() == 0 {
			if err := mpi.Bcast(other, []int{1}, 0); err != nil {
				return err
			}
		}
		if err := wait(mpi.Ibarrier(other)); !errors.Is(err, mpi.ErrMismatch) {
			return fmt.Errorf("Ibarrier: %w", err)
		}
		return nil
	}, mpitest.Unguarded())
}

// A context ends the wait for a rank that does not come, also in a blocking call.
func TestContextEndsABarrierOfControllers(t *testing.T) {
	for name, call := range map[string]func(c *mpi.Comm) error{"Barrier": mpi.Barrier, "Ibarrier": func(c *mpi.Comm) error { return wait(mpi.Ibarrier(c)) }} {
		onControllers(t, func(w, c *mpi.Comm) error {
			other, err := c.DupWithInfo(map[string]string{mpi.HintAlgorithms: "barrier=controller"})
			if err != nil {
				return err
			}
			if w.Rank() > 0 {
				return nil
			}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			defer cancel()
			if err := call(other.WithContext(ctx)); !errors.Is(err, mpi.ErrCancelled) {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
}

// What each side is told when one rank is in the first call and the others are in the
// second.
var crossings = []struct {
	name     string
	at       func(c *mpi.Comm) error // of the last rank
	others   func(c *mpi.Comm) error
	told     string // the last rank, of rank 0
	theyTold string // of the last rank
}{
	{"Barrier and Allreduce", mpi.Barrier, allreduce[int](1, mpi.Sum), "rank 0 is in Allreduce;", "is in Barrier;"},
	{"Ibarrier and Allreduce", ibarrier, allreduce[int](1, mpi.Sum), "rank 0 is in Allreduce;", "is in Barrier;"},
	{"Barrier and Allgather", mpi.Barrier, allgather[int](1), "rank 0 is in Allgather;", "is in Barrier;"},
	{"Ibarrier and its Bcast", ibarrier, func(c *mpi.Comm) error { return mpi.Bcast(c, []int{1}, c.Size()-1) }, "rank 0 is in Bcast;", "is in Barrier;"},
	{"Allreduce and Barrier", allreduce[int](1, mpi.Sum), mpi.Barrier, "rank 0 is in Barrier;", "is in Allreduce;"},
	{"Allreduce and Ibarrier", allreduce[int](1, mpi.Sum), ibarrier, "rank 0 is in Barrier;", "is in Allreduce;"},
	{"Barrier and Free", mpi.Barrier, (*mpi.Comm).Free, "rank 0 is in Free;", ""},
	{"Ibarrier and Free", ibarrier, (*mpi.Comm).Free, "rank 0 is in Free;", ""},
	{"two before", func(c *mpi.Comm) error { return errors.Join(both(c), ibarrier(c)) },
		func(c *mpi.Comm) error { return errors.Join(both(c), allreduce[int](1, mpi.Sum)(c)) }, "rank 0 is in Allreduce;", "is in Barrier;"},
}

// both makes two nonblocking barriers, and completes the second first.
func both(c *mpi.Comm) error {
	first, second := mpi.Ibarrier(c), mpi.Ibarrier(c)
	return errors.Join(wait(second), wait(first))
}

// A rank in a barrier of the controllers, and ranks that wait for its flag instead,
// notice each other. They can free the communicator, also if one is in Free already.
func TestControllersAndFlagsFindEachOtherOut(t *testing.T) {
	for _, k := range crossings {
		t.Run(k.name, func(t *testing.T) {
			onControllers(t, func(w, c *mpi.Comm) error {
				other, err := c.DupWithInfo(map[string]string{mpi.HintAlgorithms: "barrier=controller"})
				if err != nil {
					return err
				}
				last := w.Size() - 1
				want, call := k.theyTold, k.others
				if w.Rank() == last {
					want, call = k.told, k.at
				}
				err = call(other)
				if want != "" {
					if err = tells(err, mpi.ErrMismatch, want); err == nil {
						err = other.Free()
					}
				}
				return errors.Join(err, mpi.Barrier(c), wait(mpi.Ibarrier(c)), mpi.Barrier(w))
			}, mpitest.Unguarded())
		})
	}
}

// A blocking barrier by flags does not match a nonblocking one by controllers.
func TestABarrierOfFlagsAndOneOfControllers(t *testing.T) {
	onControllers(t, func(w, c *mpi.Comm) error {
		other, err := w.Dup()
		if err != nil {
			return err
		}
		call := mpi.Barrier
		if w.Rank() == 0 {
			call = ibarrier
		}
		if err := tells(call(other), mpi.ErrMismatch, "makes the call in another way; a call that does not block matches only its like"); err != nil {
			return err
		}
		return errors.Join(other.Free(), mpi.Barrier(c), mpi.Barrier(w))
	}, mpitest.Unguarded())
}

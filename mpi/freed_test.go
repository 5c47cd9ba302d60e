package mpi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"rhinet/llc/ir"
)

// A collective call that waits for another goroutine's Free finds the communicator
// freed: its flag array may belong to another one by then.
func TestACallThatWaitsForFreeFindsItGone(t *testing.T) {
	xs, _ := flagArraysOf(t, 2)
	c := &Comm{core: xs[0].c}
	c.coll.mu.Lock() // as Free does
	result := make(chan error)
	go func() { result <- Barrier(c) }()
	time.Sleep(10 * time.Millisecond) // for it to wait; the outcome is the same if it does not
	c.state.Store(commFreed)
	c.coll.mu.Unlock()
	select {
	case err := <-result:
		if !errors.Is(err, ErrComm) {
			t.Errorf("Barrier: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("Barrier goes on with a communicator that has been freed")
	}
}

// Two of four ranks notice that they are in different calls, free the communicator and
// go on with another one. The others come to their call only then, and must still find
// the flags that tell them, so the other communicator may not have the flag array.
func TestAFlagArrayThatOthersStillReadIsNotUsedAgain(t *testing.T) {
	ts, release, err := Local(4, "martini")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	defer closeAll(ts)
	worlds, dups := make([]*Comm, 4), make([]*Comm, 4)
	phase := func(what string, ranks []int, fn func(rank int) error) {
		t.Helper()
		var all sync.WaitGroup
		for _, r := range ranks {
			all.Go(func() {
				if err := fn(r); err != nil {
					t.Errorf("%s on rank %d: %v", what, r, err)
				}
			})
		}
		if all.Wait(); t.Failed() {
			t.FailNow()
		}
	}
	early, late := []int{0, 2}, []int{1, 3}
	phase("Dup", []int{0, 1, 2, 3}, func(r int) (err error) {
		// As if two ranks shared each processor: these ranks read each other first.
		if worlds[r], err = Join(Job{Rank: r, Size: 4, Transport: ts[r], Processors: 2}); err != nil {
			return err
		}
		dups[r], err = worlds[r].Dup()
		return err
	})
	mismatch := func(err error) error {
		if !errors.Is(err, ErrMismatch) {
			return fmt.Errorf("got %v, not the error of ranks in different calls", err)
		}
		return nil
	}
	phase("the first call", early, func(r int) error {
		if r == 0 {
			return mismatch(Barrier(dups[r]))
		}
		return mismatch(Allreduce(dups[r], []int{1}, []int{0}, Sum))
	})
	phase("another communicator", early, func(r int) error {
		if err := dups[r].Free(); err != nil {
			return err
		}
		world, err := worlds[r].Group()
		if err != nil {
			return err
		}
		two, err := world.Incl(early...)
		if err != nil {
			return err
		}
		c, err := worlds[r].CreateGroup(two, 0)
		if err != nil {
			return err
		}
		for range 3 * ir.FlagTurns { // reuses all flags
			err = errors.Join(err, Barrier(c))
		}
		return errors.Join(err, c.Free())
	})
	phase("the late call", late, func(r int) error {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		return mismatch(Barrier(dups[r].WithContext(ctx)))
	})
}

package main

import (
	"context"
	"errors"
	"testing"

	"rhinet/mpi"
)

// completions completes a known number of requests by each call that completes several.
func completions(world *mpi.Comm, right, left int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	limited := world.WithContext(ctx)
	two := func(c *mpi.Comm) []*mpi.Request {
		return []*mpi.Request{mpi.Irecv(c, make([]byte, 10), left, 1), mpi.Isend(c, make([]byte, 10), right, 1), nil}
	}
	for range 10 {
		if err := errors.Join(mpi.WaitAll(two(limited)...), mpi.WaitAll(append(two(world), mpi.Ibarrier(world))...),
			mpi.WaitAll(append(two(world), two(limited)...)...), mpi.WaitAll(mpi.Ibarrier(world), mpi.Ibarrier(world))); err != nil {
			return err
		}
		_, plain := mpi.WaitAllStatus(two(world)...)
		_, short := mpi.WaitAllStatus(append(two(limited), mpi.Ibarrier(world))...)
		if err := errors.Join(plain, short, mpi.WaitAll(), second(mpi.WaitAllStatus(nil))); err != nil {
			return err
		}
		any, some, tested := two(world), two(world), two(world)
		for range 2 {
			if _, _, err := mpi.WaitAny(any...); err != nil {
				return err
			}
		}
		for index := []int{}; index != nil; {
			var err error
			if index, _, err = mpi.WaitSome(some...); err != nil {
				return err
			}
		}
		for done := false; !done; {
			var err error
			if _, done, err = mpi.TestAll(tested...); err != nil {
				return err
			}
		}
	}
	return nil
}

// A call that completes several requests counts once, with the bytes of all messages that it has received, and not as
// a Wait for each of them.
func TestStatsOfCallsThatCompleteSeveralRequests(t *testing.T) {
	base, s := observed(t, 0, ""), observed(t, 0, "completions")
	for rank := range 3 {
		for name, want := range map[string][2]uint64{"WaitAll": {40, 400}, "WaitAllStatus": {20, 200}, "WaitAny": {20, 100}, "Wait": {0, 0}, "Irecv": {90, 0}, "Isend": {90, 900}} {
			was, got := callOf(base, rank, name), callOf(s, rank, name)
			if n, bytes := got.Count-was.Count, got.Bytes-was.Bytes; n != want[0] || bytes != want[1] {
				t.Errorf("rank %d: %d calls of %s with %d bytes, want %v", rank, n, name, bytes, want)
			}
		}
		for _, name := range []string{"WaitSome", "Test"} { // as often as needed
			if callOf(s, rank, name).Count == 0 {
				t.Errorf("rank %d: no %s", rank, name)
			}
		}
		for _, name := range []string{"TestAll", "TestAny", "TestSome"} { // of which each test counts
			if c := callOf(s, rank, name); c.Count != 0 {
				t.Errorf("rank %d: %+v", rank, c)
			}
		}
	}
}

package mpi

import (
	"errors"
	"testing"

	"rhinet/collectives"
)

// What a request of a collective call takes from the world serves the next one, however the request is
// completed, and is given back with the communicator or the persistent request.
func TestTransfersOfCollectiveRequestsAreUsedAgain(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	long := [2][]int{make([]int, 10_000), make([]int, 10_000)}
	plain := func(r *Request) error { _, err := r.Wait(); return err }
	waits := []func(r *Request) error{
		plain,
		func(r *Request) error {
			for {
				if _, done, err := r.Test(); done {
					return err
				}
			}
		},
		func(r *Request) error { <-r.Done(); return plain(r) },
	}
	calls := []func(c *Comm) *Request{
		func(c *Comm) *Request { return Ibarrier(c) },
		func(c *Comm) *Request { return Ibcast(c, long[c.Rank()][:1], 0) },
		func(c *Comm) *Request { return Ibcast(c, long[c.Rank()], 0) },
		func(c *Comm) *Request { return IneighborAlltoall(c, []int{1, 2}, make([]int, 2)) },
	}
	inits := []func(c *Comm) (*Request, error){
		func(c *Comm) (*Request, error) { return BarrierInit(c) },
		func(c *Comm) (*Request, error) { return BcastInit(c, long[c.Rank()][:1], 0) },
		func(c *Comm) (*Request, error) { return BcastInit(c, long[c.Rank()], 0) },
	}
	use := func(_ int, w *Comm) error {
		c, err := w.CartCreate([]int{2}, []bool{true})
		if err != nil {
			return err
		}
		for _, wait := range waits {
			for range 3 {
				for _, call := range calls {
					if err := wait(call(c)); err != nil {
						return err
					}
				}
				if err := wait(Ibcast(c, long[0], 7)); !errors.Is(err, ErrRoot) {
					t.Errorf("no such root: %v", err)
				}
			}
			for _, init := range inits {
				r, err := init(c)
				if err != nil {
					return err
				}
				for range 3 {
					if err := r.Start(); err != nil {
						return err
					}
					if err := wait(r); err != nil {
						return err
					}
				}
				if err := r.Free(); err != nil {
					return err
				}
			}
		}
		return c.Free()
	}
	var have [2]int
	for round := range 6 {
		together(t, ws, use)
		for i, w := range ws {
			got := len(w.w.requests.all)
			if round == 2 {
				have[i] = got
			} else if round > 2 && got > have[i] {
				t.Errorf("rank %d has %d transfers after communicator %d, and %d after 3", i, got, round+1, have[i])
			}
		}
	}
}

// A copy of a request that has been completed is inactive, also while a later call has its transfer.
func TestCopiesOfCollectiveRequestsEndWithThem(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	together(t, ws, func(rank int, c *Comm) error {
		r := *Ibarrier(c)
		again := r
		if _, err := r.Wait(); err != nil {
			return err
		}
		next := *Ibarrier(c)
		if next.p != again.p {
			t.Errorf("rank %d: the next call has another transfer", rank)
		}
		if again.active() != nil || next.active() == nil {
			t.Errorf("rank %d: the copy is active: %t, the next request: %t", rank, again.active() != nil, next.active() != nil)
		}
		_, err := next.Wait()
		return err
	})
}

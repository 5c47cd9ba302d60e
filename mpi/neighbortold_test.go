package mpi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// onRing calls f on a ring of the ranks.
func onRing(f func(c *mpi.Comm) error) func(w *mpi.Comm) error {
	return func(w *mpi.Comm) error {
		c, err := w.CartCreate([]int{w.Size()}, []bool{true})
		if err != nil {
			return err
		}
		return f(c)
	}
}

func neighborAllgather(n int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return mpi.NeighborAllgather(c, make([]int, n), make([]int, 2*n)) }
}

func neighborAlltoall(c *mpi.Comm) error {
	return mpi.NeighborAlltoall(c, make([]int, 2), make([]int, 2))
}

// ofNeighbors returns the error of a nonblocking call.
func ofNeighbors(begin func(c *mpi.Comm) *mpi.Request) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { _, err := begin(c).Wait(); return err }
}

func ineighborAllgather(c *mpi.Comm) *mpi.Request {
	return mpi.IneighborAllgather(c, make([]int, 1), make([]int, 2))
}

// MPI 4.1, sections 8.6 to 8.8: in a checked job all ranks are told of calls to neighbors that do not match others.
func TestAllRanksAreToldOfCallsToNeighbors(t *testing.T) {
	const order, way = "; all ranks must make the same collective calls in the same order", "; all ranks must make the call in the same way: "
	for _, p := range []struct {
		name         string
		zero, others func(c *mpi.Comm) error
		told         string
	}{
		{"another call", neighborAllgather(1), neighborAlltoall, "NeighborAllgather (LINE) and rank 1 in NeighborAlltoall (LINE)" + order},
		{"another long call", neighborAllgather(50000), neighborAlltoall, "NeighborAllgather (LINE) and rank 1 in NeighborAlltoall (LINE)" + order},
		{"a call to all", neighborAllgather(1), mpi.Barrier, "NeighborAllgather (LINE) and rank 1 in Barrier (LINE)" + order},
		{"another order", func(c *mpi.Comm) error { return errors.Join(neighborAlltoall(c), mpi.Barrier(c)) },
			func(c *mpi.Comm) error { return errors.Join(mpi.Barrier(c), neighborAlltoall(c)) }, "NeighborAlltoall (LINE) and rank 1 in Barrier (LINE)" + order},
		{"in another way", neighborAllgather(1), ofNeighbors(ineighborAllgather), "NeighborAllgather (LINE) and rank 1 in IneighborAllgather (LINE)" + way},
		{"a later call to all", func(c *mpi.Comm) error { return errors.Join(neighborAllgather(1)(c), scan[int](1, mpi.Sum)(c)) },
			func(c *mpi.Comm) error { return scan[int](1, mpi.Sum)(c) }, "NeighborAllgather (LINE) and rank 1 in Scan (LINE)" + order},
		{"nonblocking", ofNeighbors(ineighborAllgather), ofNeighbors(func(c *mpi.Comm) *mpi.Request {
			return mpi.IneighborAlltoall(c, make([]int, 2), make([]int, 2))
		}), "IneighborAllgather (LINE) and rank 1 in IneighborAlltoall (LINE)" + order},
		{"nonblocking, of layouts", ofNeighbors(ineighborAllgather), ofNeighbors(func(c *mpi.Comm) *mpi.Request {
			return mpi.IneighborAlltoall(c, mpi.Views(make([]int, 4), 2, mpi.Vector(1, 1, 1).Resized(0, 16)), mpi.Views(make([]int, 4), 2, mpi.Vector(1, 1, 1).Resized(0, 16)))
		}), "IneighborAllgather (LINE) and rank 1 in IneighborAlltoall (LINE)" + order},
		{"nonblocking, of layouts at all", ofNeighbors(func(c *mpi.Comm) *mpi.Request {
			return mpi.IneighborAllgather(c, mpi.View(make([]int, 2), mpi.Vector(1, 1, 1).Resized(0, 16)), mpi.Views(make([]int, 4), 2, mpi.Vector(1, 1, 1).Resized(0, 16)))
		}), mpi.Barrier, "IneighborAllgather (LINE) and rank 1 in Barrier (LINE)" + order},
		{"persistent", func(c *mpi.Comm) error {
			r, err := mpi.NeighborAlltoallInit(c, make([]int, 2), make([]int, 2))
			if err == nil {
				err = r.Start()
			}
			return errors.Join(err, mpi.WaitAll(r))
		}, neighborAlltoall, "NeighborAlltoallInit (LINE) and rank 1 in NeighborAlltoall (LINE)" + way},
	} {
		for k, net := range transports {
			if k > 1 && len(p.name)%len(transports) != k { // a share
				continue
			}
			t.Run(p.name+"/"+net.name, func(t *testing.T) {
				t.Parallel()
				for rank, err := range toldBy(t, 3, onRing(by(p.zero, p.others)), net.option, mpitest.Patience(20*time.Millisecond)) {
					if err == nil || !strings.Contains(sourceLines.ReplaceAllString(err.Error(), "(LINE)"), "rank 0 is in "+p.told) || !errors.Is(err, mpi.ErrMismatch) {
						t.Errorf("rank %d was told %v", rank, err)
					}
				}
			})
		}
	}
}

// A call to neighbors after ranks have been told fails at once, and does not wait.
func TestNoCallToNeighborsAfterAMismatch(t *testing.T) {
	const text = "rank 0 is in NeighborAllgather (LINE) and rank 1 in Barrier (LINE)"
	later := func(first func(c *mpi.Comm) error) func(c *mpi.Comm) error {
		return func(c *mpi.Comm) error {
			_, persistent := mpi.NeighborAllgatherInit(c, []int{1}, make([]int, 2))
			for _, err := range []error{first(c), neighborAllgather(1)(c), ofNeighbors(ineighborAllgather)(c)} {
				if err == nil || !strings.Contains(sourceLines.ReplaceAllString(err.Error(), "(LINE)"), text) {
					return err
				}
			}
			if _, err := mpi.NeighborAllgatherInit(c, []int{1}, make([]int, 2)); err == nil || persistent != nil {
				return errors.Join(err, persistent)
			}
			return errors.New("all were told")
		}
	}
	for rank, err := range toldBy(t, 3, onRing(by(later(neighborAllgather(1)), later(mpi.Barrier))), mpitest.Patience(20*time.Millisecond)) {
		if err == nil || err.Error() != "all were told" {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// Nobody is told of calls that match, however late a rank is, and whatever the lengths of its edges.
func TestCallsToNeighborsOfALateRank(t *testing.T) {
	mpitest.Run(t, 3, onRing(func(c *mpi.Comm) error {
		send, recv, counts := make([]int, 3), make([]int, 3), []int{1, 2}
		for i := range 4 {
			if c.Rank() == i%3 {
				time.Sleep(100 * time.Millisecond) // longer than ranks are patient
			}
			r := mpi.IneighborAlltoallv(c, send, counts, nil, recv, []int{2, 1}, nil)
			if err := errors.Join(neighborAllgather(1)(c), mpi.WaitAll(r), mpi.Barrier(c)); err != nil {
				return err
			}
		}
		return c.Free()
	}), mpitest.Patience(10*time.Millisecond))
}

// In a checked job, too, calls to neighbors do without the order of other collective calls after a context has
// ended one.
func TestCallsToNeighborsAfterACancelledCall(t *testing.T) {
	mpitest.Run(t, 3, onRing(func(c *mpi.Comm) error {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		err := is(mpi.Barrier(c.WithContext(ctx)), mpi.ErrCancelled, "")
		recv := make([]int, 2)
		if err := errors.Join(err, mpi.NeighborAllgather(c, []int{c.Rank()}, recv), equalAll("received", recv, []int{(c.Rank() + 2) % 3, (c.Rank() + 1) % 3})); err != nil {
			return err
		}
		return mpi.WaitAll(mpi.IneighborAllgather(c, []int{c.Rank()}, recv))
	}))
}

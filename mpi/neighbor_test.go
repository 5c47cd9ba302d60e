package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// onTorus makes a grid of two periodic dimensions, with part elements to send and to receive for
// each edge.
func onTorus(w *mpi.Comm, part int) (grid *mpi.Comm, send, recv []int, err error) {
	dims := []int{0, 0}
	if err = mpi.DimsCreate(w.Size(), dims); err == nil {
		grid, err = w.CartCreate(dims, []bool{true, true})
	}
	return grid, make([]int, 4*part), make([]int, 4*part), err
}

// MPI 4.1, section 8.6: there is a count for each neighbor, and not for each rank.
func TestCountsAreOfNeighbors(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		c, err := w.CartCreate([]int{3}, []bool{true})
		if err != nil {
			return err
		}
		one, two, into, few, counts := []int{1}, []int{1, 2}, make([]int, 2), []int{1}, []int{1, 1}
		return errors.Join(
			tells(mpi.NeighborAlltoallv(c, two, few, nil, into, counts, nil), mpi.ErrCount, ": send: 1 counts for 2 neighbors"),
			tells(mpi.NeighborAlltoallv(c, two, counts, nil, into, few, nil), mpi.ErrCount, ": recv: 1 counts for 2 neighbors"),
			tells(mpi.NeighborAllgatherv(c, one, into, few, nil), mpi.ErrCount, ": recv: 1 counts for 2 neighbors"))
	})
}

// Blocking neighborhood calls allocate nothing, after the first ones: neither those whose messages go at
// once, nor those whose messages wait for the receiver.
func TestCallsToNeighborsAllocateNothing(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("counting statements keeps calls from being inlined, and so buffers from the stack")
	}
	const runs = 100
	for _, part := range []int{1, 1 << 15} {
		counts := slices.Repeat([]int{part}, 4)
		for _, n := range []int{1, 2, 4} {
			for name, call := range map[string]func(c *mpi.Comm, send, recv []int) error{
				"NeighborAllgather": func(c *mpi.Comm, send, recv []int) error {
					return mpi.NeighborAllgather(c, send[:part], recv)
				},
				"NeighborAllgatherv": func(c *mpi.Comm, send, recv []int) error {
					return mpi.NeighborAllgatherv(c, send[:part], recv, counts, nil)
				},
				"NeighborAlltoall": func(c *mpi.Comm, send, recv []int) error { return mpi.NeighborAlltoall(c, send, recv) },
				"NeighborAlltoallv": func(c *mpi.Comm, send, recv []int) error {
					return mpi.NeighborAlltoallv(c, send, counts, nil, recv, counts, nil)
				},
			} {
				t.Run(fmt.Sprintf("%s/%d/%d", name, part, n), func(t *testing.T) {
					mpitest.Run(t, n, func(w *mpi.Comm) error {
						c, send, recv, err := onTorus(w, part)
						if err != nil {
							return err
						}
						got, err := allocations(c, runs, func() error { return call(c, send, recv) })
						return errors.Join(err, equal("allocations a run", got, 0))
					})
				})
			}
		}
	}
}

// MPI 4.1, section 8.6: the k-th edge from one rank to another carries the k-th
// message, whichever messages are sent at once, whatever the rank sends to itself, and
// whatever earlier calls have in progress.
func TestEdgesOfOneRankKeepTheirOrder(t *testing.T) {
	const long = 60000
	counts := []int{1, 4, long, 2, 4, 3}
	everywhere(t, 2, func(w *mpi.Comm) error {
		me, other := w.Rank(), w.Rank()^1
		var in, out []mpi.Edge
		var send, want []int
		for k, p := range []int{other, me, other, other, me, other} {
			in, out = append(in, mpi.Edge{Source: p, Dest: me}), append(out, mpi.Edge{Source: me, Dest: p})
			send = append(send, slices.Repeat([]int{10*me + k}, counts[k])...)
			want = append(want, slices.Repeat([]int{10*p + k}, counts[k])...)
		}
		c, err := w.DistGraphCreateAdjacent(in, out)
		if err != nil {
			return err
		}
		first, second, third := make([]int, len(want)), make([]int, len(want)), make([]int, len(want))
		for range 5 {
			clear(first)
			clear(second)
			clear(third)
			r := mpi.IneighborAlltoallv(c, send, counts, nil, first, counts, nil)
			blocking := mpi.NeighborAlltoallv(c, send, counts, nil, second, counts, nil)
			s := mpi.IneighborAlltoallv(c, send, counts, nil, third, counts, nil)
			if err := errors.Join(blocking, mpi.WaitAll(s, r), equalAll("first", first, want), equalAll("second", second, want), equalAll("third", third, want)); err != nil {
				return err
			}
		}
		return c.Free()
	})
}

// A nonblocking neighborhood call completes by all calls that complete requests, also
// together with other requests.
func TestCallsToNeighborsCompleteInAllWays(t *testing.T) {
	const plain = 5 // a tag
	ways := map[string]func(r, message *mpi.Request) error{
		"Wait": func(r, message *mpi.Request) error { return mpi.WaitAll(r, message) },
		"Test": func(r, message *mpi.Request) error {
			for {
				if _, done, err := r.Test(); done || err != nil {
					return errors.Join(err, mpi.WaitAll(message))
				}
			}
		},
		"Status": func(r, message *mpi.Request) error {
			for {
				if _, done, err := r.Status(); done || err != nil {
					return errors.Join(err, mpi.WaitAll(message, r))
				}
			}
		},
		"WaitAny": func(r, message *mpi.Request) error {
			_, _, err := mpi.WaitAny(r, message)
			_, _, err2 := mpi.WaitAny(r, message)
			return errors.Join(err, err2)
		},
		"Done": func(r, message *mpi.Request) error {
			<-r.Done()
			return mpi.WaitAll(r, message)
		},
		"Free": func(r, message *mpi.Request) error {
			done := r.Done()
			err := r.Free()
			<-done
			return errors.Join(err, mpi.WaitAll(message))
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			everywhere(t, 4, func(w *mpi.Comm) error {
				c, send, recv, err := onTorus(w, 1)
				if err != nil {
					return err
				}
				for i := range 6 {
					for k := range send {
						send[k] = slotValue(c.Rank(), 10*i+k)
					}
					if (c.Rank()+i)%4 == 0 { // other ranks wait for it
						if err := mpi.Send(c, []int{i}, c.Rank(), plain); err != nil {
							return err
						}
					}
					r := mpi.IneighborAlltoall(c, send, recv)
					message := mpi.Irecv(c, make([]int, 1), c.Rank(), plain)
					if (c.Rank()+i)%4 != 0 {
						err = mpi.Send(c, []int{i}, c.Rank(), plain)
					}
					if err := errors.Join(err, way(r, message)); err != nil {
						return err
					}
					for k := range recv {
						below, above, err := c.CartShift(k/2, 1)
						from := []int{below, above}[k%2]
						if err := errors.Join(err, equal(fmt.Sprint("part ", k), recv[k], slotValue(from, 10*i+k^1))); err != nil {
							return err
						}
					}
				}
				return c.Free()
			})
		})
	}
}

// Messages that do not fit are errors of the call that receives them, whether it blocks
// or not, and also from the rank itself.
func TestNeighborsWhoseMessagesDoNotFit(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		ring, err := w.CartCreate([]int{2}, []bool{true})
		if err != nil {
			return err
		}
		send, recv := make([]int, 1+w.Rank()), make([]int, 2+2*w.Rank()) // one rank sends two elements, the other one
		blocking := mpi.NeighborAllgather(ring, send, recv)
		_, later := mpi.IneighborAllgather(ring, send, recv).Wait()
		var typed, typedLater error
		if w.Rank() == 0 {
			ints := make([]int32, 2)
			typed = mpi.NeighborAllgather(ring, []int32{1}, ints)
			_, typedLater = mpi.IneighborAllgather(ring, []int32{1}, ints).Wait()
		} else {
			floats := make([]float32, 2)
			typed = mpi.NeighborAllgather(ring, []float32{1}, floats)
			_, typedLater = mpi.IneighborAllgather(ring, []float32{1}, floats).Wait()
		}
		self, err := mpi.Self(w)
		if err != nil {
			return err
		}
		loop, err := self.CartCreate([]int{1}, []bool{true})
		if err != nil {
			return err
		}
		own := []mpi.Part{mpi.PartOf([]int{1, 2}), {}}
		return errors.Join(is(blocking, mpi.ErrTruncate, ""), is(later, mpi.ErrTruncate, ""), is(typed, mpi.ErrType, ""), is(typedLater, mpi.ErrType, ""),
			is(mpi.NeighborAlltoallw(loop, own, []mpi.Part{{}, mpi.PartOf([]int{1})}), mpi.ErrTruncate, ""),
			is(mpi.NeighborAlltoallw(loop, own, []mpi.Part{{}, mpi.PartOf([]uint{1, 2})}), mpi.ErrType, ""))
	})
}

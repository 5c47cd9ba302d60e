package mpi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rhinet/mpi"
)

// A blockingCall is a blocking call with buffers of equal parts for each of so many ranks, of elements or of
// items, and what it does with them at its root and at others, as a guardedCall.
type blockingCall[T any] struct {
	name         string
	call         func(c *mpi.Comm, send, recv []T, parts, root int) error
	reads, fills func(root, inter bool) bool
}

func never(bool, bool) bool { return false }

// added adds elements up, also those of items.
var added = mpi.OpFunc(func(in, inout []int) {
	for i, v := range in {
		inout[i] += v
	}
}, mpi.Commutative)

// evenCounts returns counts and displacements of n equal parts of a buffer.
func evenCounts[T any](buf []T, n int) (counts, displs []int) {
	per := len(buf) / n
	for i := range n {
		counts, displs = append(counts, per), append(displs, i*per)
	}
	return counts, displs
}

// evenParts returns n equal parts of a buffer.
func evenParts[T any](buf []T, n int) (parts []mpi.Part) {
	per := len(buf) / n
	for i := range n {
		parts = append(parts, mpi.PartOf(buf[i*per:(i+1)*per]))
	}
	return parts
}

func blockingCalls[T any]() []blockingCall[T] {
	return []blockingCall[T]{
		{"Bcast", func(c *mpi.Comm, send, recv []T, _, root int) error {
			if root == mpi.Root || c.Rank() == root && !c.IsInter() {
				recv = send
			}
			return mpi.Bcast(c, recv, root)
		}, atRoot, notAtRoot},
		{"Gather", func(c *mpi.Comm, send, recv []T, n, root int) error {
			return mpi.Gather(c, send[:len(send)/n], recv, root)
		}, notAlone, atRoot},
		{"Gatherv", func(c *mpi.Comm, send, recv []T, n, root int) error {
			counts, displs := evenCounts(recv, n)
			return mpi.Gatherv(c, send[:len(send)/n], recv, counts, displs, root)
		}, notAlone, atRoot},
		{"Scatter", func(c *mpi.Comm, send, recv []T, n, root int) error {
			return mpi.Scatter(c, send, recv[:len(recv)/n], root)
		}, atRoot, notAlone},
		{"Scatterv", func(c *mpi.Comm, send, recv []T, n, root int) error {
			counts, displs := evenCounts(send, n)
			return mpi.Scatterv(c, send, counts, displs, recv[:len(recv)/n], root)
		}, atRoot, notAlone},
		{"Allgather", func(c *mpi.Comm, send, recv []T, n, _ int) error {
			return mpi.Allgather(c, send[:len(send)/n], recv)
		}, always, always},
		{"Allgatherv", func(c *mpi.Comm, send, recv []T, n, _ int) error {
			counts, displs := evenCounts(recv, n)
			return mpi.Allgatherv(c, send[:len(send)/n], recv, counts, displs)
		}, always, always},
		{"Alltoall", func(c *mpi.Comm, send, recv []T, _, _ int) error { return mpi.Alltoall(c, send, recv) }, always, always},
		{"Alltoallv", func(c *mpi.Comm, send, recv []T, n, _ int) error {
			counts, displs := evenCounts(recv, n)
			return mpi.Alltoallv(c, send, counts, displs, recv, counts, displs)
		}, always, always},
		{"Alltoallw", func(c *mpi.Comm, send, recv []T, n, _ int) error {
			return mpi.Alltoallw(c, evenParts(send, n), evenParts(recv, n))
		}, always, always},
		{"Reduce", func(c *mpi.Comm, send, recv []T, _, root int) error {
			return mpi.Reduce(c, send, recv, added, root)
		}, notAlone, atRoot},
		{"Allreduce", func(c *mpi.Comm, send, recv []T, _, _ int) error { return mpi.Allreduce(c, send, recv, added) }, always, always},
		{"ReduceScatterBlock", func(c *mpi.Comm, send, recv []T, n, _ int) error {
			return mpi.ReduceScatterBlock(c, send, recv[:len(recv)/n], added)
		}, always, always},
		{"ReduceScatter", func(c *mpi.Comm, send, recv []T, n, _ int) error {
			counts, _ := evenCounts(recv, n)
			return mpi.ReduceScatter(c, send, recv[:len(recv)/n], counts, added)
		}, always, always},
		{"Scan", func(c *mpi.Comm, send, recv []T, _, _ int) error { return mpi.Scan(c, send, recv, added) }, always, always},
		{"Exscan", func(c *mpi.Comm, send, recv []T, _, _ int) error { return mpi.Exscan(c, send, recv, added) }, always, never}, // at rank 0
	}
}

func blockingNeighborCalls[T any]() []blockingCall[T] {
	return []blockingCall[T]{
		{"NeighborAllgather", func(c *mpi.Comm, send, recv []T, n, _ int) error {
			return mpi.NeighborAllgather(c, send[:len(send)/n], recv)
		}, always, always},
		{"NeighborAllgatherv", func(c *mpi.Comm, send, recv []T, n, _ int) error {
			counts, displs := evenCounts(recv, n)
			return mpi.NeighborAllgatherv(c, send[:len(send)/n], recv, counts, displs)
		}, always, always},
		{"NeighborAlltoall", func(c *mpi.Comm, send, recv []T, _, _ int) error {
			return mpi.NeighborAlltoall(c, send, recv)
		}, always, always},
		{"NeighborAlltoallv", func(c *mpi.Comm, send, recv []T, n, _ int) error {
			counts, displs := evenCounts(recv, n)
			return mpi.NeighborAlltoallv(c, send, counts, displs, recv, counts, displs)
		}, always, always},
		{"NeighborAlltoallw", func(c *mpi.Comm, send, recv []T, n, _ int) error {
			return mpi.NeighborAlltoallw(c, evenParts(send, n), evenParts(recv, n))
		}, always, always},
	}
}

// toSelf begins to send b to this rank itself or to receive it, and returns the end.
func toSelf(w *mpi.Comm, b []int, send bool) (end func() error) {
	me := w.Rank()
	if send {
		r := mpi.Issend(w, b, me, 3)
		return func() error { return errors.Join(second(mpi.Recv(w, []int{0}, me, 3)), waited(r)) }
	}
	r := mpi.Irecv(w, b, me, 3)
	return func() error { return errors.Join(mpi.Send(w, []int{1}, me, 3), waited(r)) }
}

// holds checks that rank 0 of w is told of buffers that are those of a request. The buffers lie in memory of two
// elements for each part, or of four of which the second and the last are in a gap.
func (g *blockingCall[T]) holds(w, c *mpi.Comm, buffers func(mem []int) []T, each, parts, root int) error {
	isRoot := root == mpi.Root || root == c.Rank() && !c.IsInter()
	reads, fills := g.reads(isRoot, c.IsInter()), g.fills(isRoot, c.IsInter())
	from, to := "Irecv on world from 0 tag 3: 8 bytes (", "Issend on world to 0 tag 3: 8 bytes ("
	send, recv := make([]int, each*parts), make([]int, each*parts)
	out, in := buffers(send), buffers(recv)
	gaps, last := each == 4, each-each/2 // the last element of a part that counts
	for _, tc := range []struct {
		name  string
		buf   []int
		sends bool
		want  string
		wrong bool
	}{
		{"receives what is sent", send[last : last+1], false, from, reads},
		{"receives what is received", recv[last : last+1], false, from, fills},
		{"sends what is received", recv[last : last+1], true, to, fills},
		{"sends what is sent", send[last : last+1], true, "", false},
		{"receives into a gap of what is received", recv[1:2], false, "", !gaps && fills},
		{"receives into a gap of what is sent", send[1:2], false, "", !gaps && reads},
		{"receives something else", make([]int, 1), false, "", false},
		{"receives nothing", recv[last:last], false, "", false},
	} {
		if w.Rank() == 1 { // it does nothing wrong
			if err := g.call(c, out, in, parts, root); err != nil {
				return fmt.Errorf("%s: %s: %w", g.name, tc.name, err)
			}
			continue
		}
		var end func() error
		if len(tc.buf) > 0 {
			end = toSelf(w, tc.buf, tc.sends)
		} else {
			r := mpi.Irecv(w, tc.buf, 0, 3)
			end = func() error { return errors.Join(mpi.Send(w, []int{}, 0, 3), waited(r)) }
		}
		err := g.call(c, out, in, parts, root)
		if e := end(); e != nil {
			return fmt.Errorf("%s: %s: the request: %w", g.name, tc.name, e)
		}
		if tc.wrong {
			err = errors.Join(tells(err, mpi.ErrBuffer, "mpi: "+g.name+" on "+c.Name()), tells(err, mpi.ErrBuffer, tc.want),
				tells(err, mpi.ErrBuffer, "the buffer overlaps that of a request that was not complete"))
		}
		if err != nil {
			return fmt.Errorf("%s, root %d: %s: %w", g.name, root, tc.name, err)
		}
	}
	return nil
}

// gapped returns a buffer of items, each the first and the third of four elements.
func gapped(mem []int) []mpi.Item {
	return mpi.Views(mem, len(mem)/4, mpi.Vector(2, 1, 2).Resized(0, 4*8))
}

func plainly(mem []int) []int { return mem }

// MPI 4.1, section 3.7.2, for calls of inter-communicators, and of calls to neighbors, with slices.
func TestCallsOfGroupsAndNeighborsOnBuffersOfRequests(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		return holdApart(w, plainly, 2)
	})
}

// MPI 4.1, sections 3.7.2 and 5.1: the elements that a layout selects are used, and not the gaps between them.
func TestCollectiveCallsWithLayoutsOnBuffersOfRequests(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for _, g := range blockingCalls[mpi.Item]() {
			for root := range 2 {
				if err := g.holds(w, w, gapped, 4, 2, root); err != nil {
					return err
				}
			}
		}
		return holdApart(w, gapped, 4)
	})
}

// holdApart checks calls between groups and to neighbors.
func holdApart[T any](w *mpi.Comm, buffers func(mem []int) []T, each int) error {
	if err := holdBetween(w, buffers, each); err != nil {
		return err
	}
	return holdAround(w, buffers, each)
}

// holdBetween checks calls between two groups of a rank each.
func holdBetween[T any](w *mpi.Comm, buffers func(mem []int) []T, each int) error {
	c, first, err := sides(w, 1)
	if err != nil {
		return err
	}
	for _, g := range blockingCalls[T]() {
		for _, at := range []bool{true, false} {
			root := 0
			if at == first {
				root = mpi.Root
			}
			if g.name == "Scan" || g.name == "Exscan" {
				continue
			}
			if err := g.holds(w, c, buffers, each, 1, root); err != nil {
				return fmt.Errorf("between groups: %w", err)
			}
		}
	}
	return c.Free()
}

// holdAround checks calls on a ring of two ranks, each the other's neighbor on both sides.
func holdAround[T any](w *mpi.Comm, buffers func(mem []int) []T, each int) error {
	c, err := w.CartCreate([]int{2}, []bool{true})
	if err != nil {
		return err
	}
	for _, g := range blockingNeighborCalls[T]() {
		if err := g.holds(w, c, buffers, each, 2, mpi.ProcNull); err != nil {
			return err
		}
	}
	return c.Free()
}

// MPI 4.1, section 8.6: beyond the end of a grid nothing is moved, so the part there is not used.
func TestPartsBeyondTheGridAreNotUsed(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		c, err := w.CartCreate([]int{2}, []bool{false})
		if err != nil {
			return err
		}
		send, recv := []int{10, 11}, []int{7, 7}
		if w.Rank() == 1 {
			return errors.Join(mpi.NeighborAlltoall(c, send, recv), mpi.NeighborAlltoall(c, send, recv), c.Free())
		}
		end := toSelf(w, recv[:1], false) // for the neighbor below, which does not exist
		err = errors.Join(mpi.NeighborAlltoall(c, send, recv), end(), equalAll("received", recv, []int{1, 10}))
		end = toSelf(w, recv[1:], false)
		err = errors.Join(err, tells(mpi.NeighborAlltoall(c, send, recv), mpi.ErrBuffer, "mpi: NeighborAlltoall on world.cart"), end())
		return errors.Join(err, c.Free())
	})
}

// A call that has used the buffer of a request has moved its data, also that of layouts, and calls the handler
// once; the next call is right.
func TestCallsOnBuffersOfRequestsAreCarriedOut(t *testing.T) {
	type call = func(w *mpi.Comm, send, recv []int) error
	calls := []struct {
		name string
		call call
	}{
		{"Allgather", func(w *mpi.Comm, send, recv []int) error { return mpi.Allgather(w, gapped(send[:4]), gapped(recv)) }},
		{"Alltoall", func(w *mpi.Comm, send, recv []int) error { return mpi.Alltoall(w, gapped(send), gapped(recv)) }},
		{"Alltoallw", func(w *mpi.Comm, send, recv []int) error {
			return mpi.Alltoallw(w, evenParts(gapped(send), 2), evenParts(gapped(recv), 2))
		}},
		{"Alltoallw of slices", func(w *mpi.Comm, send, recv []int) error {
			return mpi.Alltoallw(w, evenParts(send, 2), evenParts(recv, 2))
		}},
		{"NeighborAllgather", func(w *mpi.Comm, send, recv []int) error {
			c, err := w.CartCreate([]int{2}, []bool{true})
			if err != nil {
				return err
			}
			return errors.Join(mpi.NeighborAllgather(c, gapped(send[:4]), gapped(recv)), c.Free())
		}},
	}
	everywhere(t, 2, func(w *mpi.Comm) error {
		var k tally
		if err := w.SetErrhandler(k.comm); err != nil {
			return err
		}
		for _, tc := range calls {
			send, far := []int{10, 10, 10, 10, 10, 10, 10, 10}, make([]int, 8)
			if err := tc.call(w, send, far); err != nil {
				return fmt.Errorf("%s: %w", tc.name, err)
			}
			near, end := make([]int, 8), func() error { return nil }
			if w.Rank() == 0 {
				end = toSelf(w, near[6:7], false)
			}
			err := tc.call(w, send, near)
			if w.Rank() == 0 {
				err = tells(err, mpi.ErrBuffer, "mpi: "+strings.Fields(tc.name)[0]+" on world")
			}
			if err = errors.Join(err, equalAll("received", near, far), end()); err != nil {
				return fmt.Errorf("%s: %w", tc.name, err)
			}
		}
		if w.Rank() == 0 && len(k.seen) != len(calls) {
			return fmt.Errorf("the handler was called with %v", k.seen)
		}
		return nil
	})
}

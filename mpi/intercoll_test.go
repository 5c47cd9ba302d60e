package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// A far is a collective call on an inter-communicator: what a rank of one side
// contributes, and what it must get.
type far struct {
	name     string
	blocking func(c *mpi.Comm, a *across) error
	begin    func(c *mpi.Comm, a *across) *mpi.Request
	persist  func(c *mpi.Comm, a *across) (*mpi.Request, error)
	want     func(c *mpi.Comm, a *across) []int
}

// An across is the contribution of a rank to a call. first says that it is in the first
// group; root is what it passes as root, which is rank at of the first group, or of the
// second one.
type across struct {
	first     bool
	root, at  int
	takes     bool // it is in the group that the root is not in
	send, out []int
}

var farCalls = []far{
	{"Bcast",
		func(c *mpi.Comm, a *across) error { return mpi.Bcast(c, a.buf(perRank), a.root) },
		func(c *mpi.Comm, a *across) *mpi.Request { return mpi.Ibcast(c, a.buf(perRank), a.root) },
		func(c *mpi.Comm, a *across) (*mpi.Request, error) { return mpi.BcastInit(c, a.buf(perRank), a.root) },
		func(c *mpi.Comm, a *across) []int { return a.ifTakes(each(!a.first, a.at, 1, perRank)) }},
	{"Gather",
		func(c *mpi.Comm, a *across) error {
			return mpi.Gather(c, a.give(c, 1), a.ifRoot(perRank*c.RemoteSize()), a.root)
		},
		func(c *mpi.Comm, a *across) *mpi.Request {
			return mpi.Igather(c, a.give(c, 1), a.ifRoot(perRank*c.RemoteSize()), a.root)
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.GatherInit(c, a.give(c, 1), a.ifRoot(perRank*c.RemoteSize()), a.root)
		},
		func(c *mpi.Comm, a *across) (want []int) {
			for r := range a.roots(c) {
				want = append(want, each(!a.first, r, 1, perRank)...)
			}
			return want
		}},
	{"Gatherv",
		func(c *mpi.Comm, a *across) error {
			return mpi.Gatherv(c, a.giveV(c), a.ifRoot(20), countsOf(c.RemoteSize()), places(countsOf(c.RemoteSize())), a.root)
		},
		func(c *mpi.Comm, a *across) *mpi.Request {
			return mpi.Igatherv(c, a.giveV(c), a.ifRoot(20), countsOf(c.RemoteSize()), places(countsOf(c.RemoteSize())), a.root)
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.GathervInit(c, a.giveV(c), a.ifRoot(20), countsOf(c.RemoteSize()), places(countsOf(c.RemoteSize())), a.root)
		},
		func(c *mpi.Comm, a *across) []int {
			if a.root != mpi.Root {
				return nil
			}
			return spread(c.RemoteSize(), 20, func(r, n int) []int { return each(!a.first, r, 1, n) })
		}},
	{"Scatter",
		func(c *mpi.Comm, a *across) error {
			return mpi.Scatter(c, a.parts(c), a.take(perRank), a.root)
		},
		func(c *mpi.Comm, a *across) *mpi.Request {
			return mpi.Iscatter(c, a.parts(c), a.take(perRank), a.root)
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.ScatterInit(c, a.parts(c), a.take(perRank), a.root)
		},
		func(c *mpi.Comm, a *across) []int {
			return a.ifTakes(each(!a.first, a.at, c.Size(), perRank)[min(len(a.out), 1)*c.Rank()*perRank:][:perRank])
		}},
	{"Scatterv",
		func(c *mpi.Comm, a *across) error {
			return mpi.Scatterv(c, a.spreadParts(c), countsOf(c.RemoteSize()), places(countsOf(c.RemoteSize())), a.take(c.Rank()%3), a.root)
		},
		func(c *mpi.Comm, a *across) *mpi.Request {
			return mpi.Iscatterv(c, a.spreadParts(c), countsOf(c.RemoteSize()), places(countsOf(c.RemoteSize())), a.take(c.Rank()%3), a.root)
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.ScattervInit(c, a.spreadParts(c), countsOf(c.RemoteSize()), places(countsOf(c.RemoteSize())), a.take(c.Rank()%3), a.root)
		},
		func(c *mpi.Comm, a *across) []int {
			if !a.takes {
				return nil
			}
			return each(!a.first, c.Rank(), 1, c.Rank()%3)
		}},
	{"Reduce",
		func(c *mpi.Comm, a *across) error {
			return mpi.Reduce(c, a.give(c, 1), a.ifRoot(perRank), mpi.Sum, a.root)
		},
		func(c *mpi.Comm, a *across) *mpi.Request {
			return mpi.Ireduce(c, a.give(c, 1), a.ifRoot(perRank), mpi.Sum, a.root)
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.ReduceInit(c, a.give(c, 1), a.ifRoot(perRank), mpi.Sum, a.root)
		},
		func(c *mpi.Comm, a *across) []int {
			if a.root != mpi.Root {
				return nil
			}
			return sumOf(!a.first, c.RemoteSize(), perRank)
		}},
	{"Allgather",
		func(c *mpi.Comm, a *across) error { return mpi.Allgather(c, a.own(c, 1), a.room(2*c.RemoteSize())) },
		func(c *mpi.Comm, a *across) *mpi.Request {
			return mpi.Iallgather(c, a.own(c, 1), a.room(2*c.RemoteSize()))
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.AllgatherInit(c, a.own(c, 1), a.room(2*c.RemoteSize()))
		},
		func(c *mpi.Comm, a *across) (want []int) {
			for r := range c.RemoteSize() {
				want = append(want, each(!a.first, r, 1, 2)...)
			}
			return want
		}},
	{"Allgatherv",
		func(c *mpi.Comm, a *across) error {
			return mpi.Allgatherv(c, a.ownV(c), a.room(20), countsOf(c.RemoteSize()), places(countsOf(c.RemoteSize())))
		},
		func(c *mpi.Comm, a *across) *mpi.Request {
			return mpi.Iallgatherv(c, a.ownV(c), a.room(20), countsOf(c.RemoteSize()), places(countsOf(c.RemoteSize())))
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.AllgathervInit(c, a.ownV(c), a.room(20), countsOf(c.RemoteSize()), places(countsOf(c.RemoteSize())))
		},
		func(c *mpi.Comm, a *across) []int {
			return spread(c.RemoteSize(), 20, func(r, n int) []int { return each(!a.first, r, 1, n) })
		}},
	{"Alltoall",
		func(c *mpi.Comm, a *across) error {
			return mpi.Alltoall(c, a.own(c, c.RemoteSize()), a.room(2*c.RemoteSize()))
		},
		func(c *mpi.Comm, a *across) *mpi.Request {
			return mpi.Ialltoall(c, a.own(c, c.RemoteSize()), a.room(2*c.RemoteSize()))
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.AlltoallInit(c, a.own(c, c.RemoteSize()), a.room(2*c.RemoteSize()))
		},
		func(c *mpi.Comm, a *across) (want []int) {
			for r := range c.RemoteSize() {
				want = append(want, each(!a.first, r, c.Size(), 2)[2*c.Rank():][:2]...)
			}
			return want
		}},
	{"Alltoallv", // one element for ranks of this number or above
		func(c *mpi.Comm, a *across) error {
			out, in := a.triangle(c)
			return mpi.Alltoallv(c, a.own(c, c.RemoteSize()), out, places2(c), a.room(20), in, places(in))
		},
		func(c *mpi.Comm, a *across) *mpi.Request {
			out, in := a.triangle(c)
			return mpi.Ialltoallv(c, a.own(c, c.RemoteSize()), out, places2(c), a.room(20), in, places(in))
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			out, in := a.triangle(c)
			return mpi.AlltoallvInit(c, a.own(c, c.RemoteSize()), out, places2(c), a.room(20), in, places(in))
		},
		func(c *mpi.Comm, a *across) []int {
			_, in := a.triangle(c)
			want := make([]int, 20)
			for r, at := range places(in) {
				if in[r] > 0 {
					want[at] = element(!a.first, r, c.Rank(), 0)
				}
			}
			return want
		}},
	{"Allreduce",
		func(c *mpi.Comm, a *across) error { return mpi.Allreduce(c, a.own(c, 1), a.room(2), mpi.Sum) },
		func(c *mpi.Comm, a *across) *mpi.Request { return mpi.Iallreduce(c, a.own(c, 1), a.room(2), mpi.Sum) },
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.AllreduceInit(c, a.own(c, 1), a.room(2), mpi.Sum)
		},
		func(c *mpi.Comm, a *across) []int { return sumOf(!a.first, c.RemoteSize(), 2) }},
	{"ReduceScatterBlock", // as many elements as both groups can cut
		func(c *mpi.Comm, a *across) error {
			return mpi.ReduceScatterBlock(c, a.common(c), a.room(c.RemoteSize()), mpi.Sum)
		},
		func(c *mpi.Comm, a *across) *mpi.Request {
			return mpi.IreduceScatterBlock(c, a.common(c), a.room(c.RemoteSize()), mpi.Sum)
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.ReduceScatterBlockInit(c, a.common(c), a.room(c.RemoteSize()), mpi.Sum)
		},
		func(c *mpi.Comm, a *across) []int {
			return sumOf(!a.first, c.RemoteSize(), c.Size()*c.RemoteSize())[c.Rank()*c.RemoteSize():][:c.RemoteSize()]
		}},
	{"ReduceScatter",
		func(c *mpi.Comm, a *across) error {
			return mpi.ReduceScatter(c, a.common(c), a.room(a.uneven(c)[c.Rank()]), a.uneven(c), mpi.Sum)
		},
		func(c *mpi.Comm, a *across) *mpi.Request {
			return mpi.IreduceScatter(c, a.common(c), a.room(a.uneven(c)[c.Rank()]), a.uneven(c), mpi.Sum)
		},
		func(c *mpi.Comm, a *across) (*mpi.Request, error) {
			return mpi.ReduceScatterInit(c, a.common(c), a.room(a.uneven(c)[c.Rank()]), a.uneven(c), mpi.Sum)
		},
		func(c *mpi.Comm, a *across) []int {
			n := a.uneven(c)
			return sumOf(!a.first, c.RemoteSize(), c.Size()*c.RemoteSize())[total(n[:c.Rank()]):][:n[c.Rank()]]
		}},
}

// cases returns the roots of calls on c: first and last rank of each group.
func cases(c *mpi.Comm, first bool) (list []across) {
	for _, ofFirst := range []bool{true, false} {
		mine := first == ofFirst
		size := c.RemoteSize()
		if mine {
			size = c.Size()
		}
		for _, at := range []int{0, size - 1} {
			a := across{first: first, at: at, takes: !mine, root: mpi.ProcNull}
			if !mine {
				a.root = at
			} else if c.Rank() == at {
				a.root = mpi.Root
			}
			list = append(list, a)
		}
	}
	return list
}

// MPI 4.1, sections 6.2.2 and 6.2.3: on an inter-communicator data moves from one group
// to the other; in calls with a root only to or from the group that the root is not in.
func TestCollectiveCallsAcrossGroups(t *testing.T) {
	acrossGroups(t, func(w, inter *mpi.Comm, first bool) error {
		for _, f := range farCalls {
			for i, a := range cases(inter, first) {
				if err := f.blocking(inter, &a); err != nil {
					return err
				}
				if err := equalAll(fmt.Sprintf("%s, case %d", f.name, i), a.out, f.want(inter, &a)); err != nil {
					return err
				}
			}
			if err := mpi.Barrier(inter); err != nil {
				return err
			}
		}
		return nil
	})
}

// MPI 4.1, sections 6.12 and 6.13: the same, all begun before one is completed, and
// persistent ones started twice, in the order in which they were made.
func TestNonblockingCallsAcrossGroups(t *testing.T) {
	acrossGroups(t, func(w, inter *mpi.Comm, first bool) error {
		var reqs, again []*mpi.Request
		var checks, checkAgain []func() error
		for _, f := range farCalls {
			for i, a := range cases(inter, first) {
				reqs = append(reqs, f.begin(inter, &a))
				checks = append(checks, func() error {
					return equalAll(fmt.Sprintf("%s, case %d", f.name, i), a.out, f.want(inter, &a))
				})
				b := a
				r, err := f.persist(inter, &b)
				if err != nil {
					return err
				}
				again = append(again, r)
				checkAgain = append(checkAgain, func() error {
					err := equalAll(fmt.Sprintf("%s persistent, case %d", f.name, i), b.out, f.want(inter, &b))
					clear(b.out)
					return err
				})
			}
			reqs = append(reqs, mpi.Ibarrier(inter))
		}
		slices.Reverse(reqs)
		err := mpi.WaitAll(reqs...)
		for _, check := range checks {
			err = errors.Join(err, check())
		}
		for range 2 {
			err = errors.Join(err, mpi.StartAll(again...), mpi.WaitAll(again...))
			for _, check := range checkAgain {
				err = errors.Join(err, check())
			}
		}
		return err
	})
}

// MPI 4.1, section 6.11: scans are not defined on inter-communicators; neither are
// calls in place (section 6.2.3); and roots must be in the other group.
func TestWhatInterCommunicatorsRefuse(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		c, _, err := sides(w, 1)
		if err != nil {
			return err
		}
		b := make([]int, 2)
		refused := map[string]error{
			"Scan": mpi.Scan(c, b[:1], b[1:], mpi.Sum), "Exscan": mpi.Exscan(c, b[:1], b[1:], mpi.Sum),
			"Iscan": waited(mpi.Iscan(c, b[:1], b[1:], mpi.Sum)),
		}
		_, refused["CartCreate"] = c.CartCreate([]int{1}, []bool{false})
		_, refused["GraphCreate"] = c.GraphCreate([]int{0}, nil)
		_, refused["DistGraphCreate"] = c.DistGraphCreate()
		_, refused["DistGraphCreateAdjacent"] = c.DistGraphCreateAdjacent(nil, nil)
		_, refused["CreateGroup"] = c.CreateGroup(nil, 0)
		_, refused["IntercommCreate"] = c.IntercommCreate(0, w, 0, 0)
		_, refused["WinAllocate"] = mpi.WinAllocate[int](c, 1)
		_, refused["Merge"] = w.Merge(true)
		_, refused["RemoteGroup"] = w.RemoteGroup()
		_, refused["Algorithm"] = c.Algorithm("bcast", 1)
		for call, err := range refused {
			if err := is(err, mpi.ErrComm, ""); err != nil {
				return fmt.Errorf("%s: %w", call, err)
			}
		}
		far := c.RemoteSize()
		for call, err := range map[string]error{
			"root":  mpi.Bcast(c, b, far),
			"root2": mpi.Gather(c, b, b, -1),
		} {
			if err := is(err, mpi.ErrRoot, ""); err != nil {
				return fmt.Errorf("%s: %w", call, err)
			}
		}
		if err := is(mpi.Bcast(w, b, mpi.Root), mpi.ErrRoot, ""); err != nil {
			return err
		}
		long := make([]int, 2*far)
		for call, err := range map[string]error{
			"Allgather": mpi.Allgather(c, long[:1], long), "Allreduce": mpi.Allreduce(c, long, long, mpi.Sum),
			"Alltoall": mpi.Alltoall(c, long, long), "ReduceScatterBlock": mpi.ReduceScatterBlock(c, long[:c.Size()], long[:1], mpi.Sum),
		} {
			if err := is(err, mpi.ErrBuffer, ""); err != nil {
				return fmt.Errorf("%s: %w", call, err)
			}
		}
		odd := make([]int, far+1)
		if far > 1 {
			if err := is(mpi.Allgather(c, b[:1], odd), mpi.ErrCount, ""); err != nil {
				return err
			}
		}
		if err := is(mpi.ReduceScatter(c, b, b[:1], make([]int, c.Size()+1), mpi.Sum), mpi.ErrCount, ""); err != nil {
			return err
		}
		return c.Free()
	})
}

// MPI 4.1, section 6.2.2: layouts can be used like slices.
func TestLayoutsAcrossGroups(t *testing.T) {
	acrossGroups(t, func(w, inter *mpi.Comm, first bool) error {
		column := mpi.Vector(2, 1, 2)
		for i, a := range cases(inter, first) {
			grid := []int{7, 7, 7, 7}
			if a.root == mpi.Root {
				grid = []int{1, 2, 3, 4}
			}
			var buf []mpi.Item
			if a.root != mpi.ProcNull {
				buf = mpi.View(grid, column)
			}
			if err := mpi.Bcast(inter, buf, a.root); err != nil {
				return err
			}
			if a.takes {
				if err := equalAll(fmt.Sprintf("Bcast, case %d", i), grid, []int{1, 7, 3, 7}); err != nil {
					return err
				}
			}
			var from, to []mpi.Item
			got := make([]int, 4*inter.RemoteSize())
			if a.takes {
				from = mpi.View([]int{inter.Rank(), 0, inter.Rank() + 1, 0}, column)
			} else if a.root == mpi.Root {
				to = mpi.Views(got, inter.RemoteSize(), column.Resized(0, 32))
			}
			if err := waited(mpi.Igather(inter, from, to, a.root)); err != nil {
				return err
			}
			for r := range inter.RemoteSize() {
				if a.root == mpi.Root {
					if err := equalAll("Gather", got[4*r:][:4], []int{r, 0, r + 1, 0}); err != nil {
						return err
					}
				}
			}
		}
		grid := make([]int, 4*inter.RemoteSize())
		err := mpi.Allgather(inter, mpi.View([]int{inter.Rank(), 0, 5, 0}, column), mpi.Views(grid, inter.RemoteSize(), column.Resized(0, 32)))
		for r := range inter.RemoteSize() {
			err = errors.Join(err, equalAll("Allgather", grid[4*r:][:4], []int{r, 0, 5, 0}))
		}
		return err
	})
}

// MPI 4.1, section 6.8: a part of any type for each rank of the other group.
func TestAlltoallwAcrossGroups(t *testing.T) {
	acrossGroups(t, func(w, inter *mpi.Comm, first bool) error {
		n := inter.RemoteSize()
		send, recv, got := make([]mpi.Part, n), make([]mpi.Part, n), make([]float64, n)
		for r := range n {
			send[r], recv[r] = mpi.PartOf([]float64{float64(10*inter.Rank() + r)}), mpi.PartOf(got[r:r+1])
		}
		again, err := mpi.AlltoallwInit(inter, send, recv)
		if err != nil {
			return err
		}
		start := func() error { return errors.Join(again.Start(), waited(again)) }
		for _, call := range []func() error{
			func() error { return mpi.Alltoallw(inter, send, recv) },
			func() error { return waited(mpi.Ialltoallw(inter, send, recv)) },
			start, start,
		} {
			clear(got)
			if err := call(); err != nil {
				return err
			}
			for r := range n {
				if err := equal("part", got[r], float64(10*r+inter.Rank())); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Ranks of an inter-communicator that are in different calls are told.
func TestCallsAcrossGroupsThatDiffer(t *testing.T) {
	for name, call := range map[string]struct {
		first, second func(c *mpi.Comm) error
		class         mpi.Class
	}{
		"another call": {allgather0[int], func(c *mpi.Comm) error {
			return mpi.Alltoall(c, make([]int, c.RemoteSize()), make([]int, c.RemoteSize()))
		}, mpi.ErrMismatch},
		"another type": {allgather0[int64], allgather0[float64], mpi.ErrType},
		"another operation": {
			func(c *mpi.Comm) error { return mpi.Allreduce(c, []int{1}, []int{0}, mpi.Sum) },
			func(c *mpi.Comm) error { return mpi.Allreduce(c, []int{1}, []int{0}, mpi.Max) }, mpi.ErrOp},
	} {
		for _, tr := range transports {
			err := mpitest.World(2, func(w *mpi.Comm) error {
				c, first, err := sides(w, 1)
				if err != nil {
					return err
				}
				if first {
					return call.first(c)
				}
				return call.second(c)
			}, tr.option)
			if !errors.Is(err, call.class) {
				t.Errorf("%s on %s: %v", name, tr.name, err)
			}
		}
	}
}

func allgather0[T any](c *mpi.Comm) error {
	return mpi.Allgather(c, make([]T, 1), make([]T, c.RemoteSize()))
}

func waited(r *mpi.Request) error { _, err := r.Wait(); return err }

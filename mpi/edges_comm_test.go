package mpi_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, sections 7.3.2 and 7.4.2: empty groups and groups of one make no
// communicator and communicators of one, on which every call of several ranks works.
func TestCommunicatorsOfNobodyAndOfOne(t *testing.T) {
	onTwo(t, 3, func(w *mpi.Comm) error {
		all, err := w.Group()
		if err != nil {
			return err
		}
		var empty *mpi.Group
		none := all.Difference(all)
		if err := errors.Join(equal("size", none.Size(), 0), equal("rank", none.Rank(), mpi.Undefined), equal("empty", none.Compare(empty), mpi.Ident),
			equal("union", all.Union(empty).Compare(all), mpi.Ident), equal("nobody", all.Intersection(empty).Size(), 0)); err != nil {
			return err
		}
		for _, g := range []*mpi.Group{nil, none} {
			c, err := w.Create(g)
			if err := errors.Join(err, nobodyIs(c)); err != nil {
				return err
			}
		}
		if c, err := w.Split(mpi.Undefined, 0); err != nil || c != nil {
			return fmt.Errorf("Split without color: %v, %v", c, err)
		}
		me, err := all.Incl(w.Rank())
		if err != nil {
			return err
		}
		one, err := w.CreateGroup(me, w.Rank())
		if err != nil {
			return err
		}
		d, err := one.Dup()
		if err != nil {
			return err
		}
		grid, err := d.CartCreate(nil, nil)
		if err != nil {
			return fmt.Errorf("a grid without dimensions: %w", err)
		}
		dims, periods, coords, err := grid.CartGet()
		rank, err2 := grid.CartRank()
		sub, err3 := grid.CartSub()
		if err := errors.Join(err, err2, err3, equal("dims", len(dims)+len(periods)+len(coords), 0), equal("rank", rank, 0), mpi.NeighborAlltoall(grid, []int{}, nil), equal("size", sub.Size(), 1)); err != nil {
			return err
		}
		in, out := []int{4}, []int{0}
		if err := errors.Join(mpi.Allreduce(one, in, out, mpi.Sum), equal("sum", out[0], 4), mpi.Scan(one, in, out, mpi.Max), mpi.Alltoall(one, in, out), mpi.Gather(one, in, out, 0),
			mpi.ReduceScatter(one, in, out, []int{1}, mpi.Sum), mpi.Barrier(d), waited(mpi.Ibarrier(one)), mpi.Exscan(one, in, out, mpi.Sum)); err != nil {
			return err
		}
		return errors.Join(sub.Free(), grid.Free(), d.Free(), one.Free())
	})
}

// MPI 4.1, section 8.5: a shift by 0, by more than the dimension, and backwards;
// sub-grids of no and of all dimensions; a grid of fewer ranks; duplicates keep their
// topology.
func TestGridsAtTheEdges(t *testing.T) {
	onTwo(t, 7, func(w *mpi.Comm) error {
		c, err := w.CartCreate([]int{3, 1, 2}, []bool{true, true, false})
		if err != nil {
			return err
		}
		if w.Rank() == 6 {
			return nobodyIs(c)
		}
		at, err := c.CartCoords(c.Rank())
		if err != nil {
			return err
		}
		rankAt := func(x, y, z int) int { return ((x%3+3)%3)*2 + z }
		for _, row := range []struct{ dim, disp, src, dst int }{
			{0, 0, c.Rank(), c.Rank()}, {2, 0, c.Rank(), c.Rank()},
			{0, 1, rankAt(at[0]-1, 0, at[2]), rankAt(at[0]+1, 0, at[2])}, {0, -1, rankAt(at[0]+1, 0, at[2]), rankAt(at[0]-1, 0, at[2])},
			{0, 4, rankAt(at[0]-4, 0, at[2]), rankAt(at[0]+4, 0, at[2])}, {0, -300, c.Rank(), c.Rank()},
			{1, 1, c.Rank(), c.Rank()}, {1, 17, c.Rank(), c.Rank()},
			{2, 2, mpi.ProcNull, mpi.ProcNull}, {2, -5, mpi.ProcNull, mpi.ProcNull},
			{2, math.MaxInt, mpi.ProcNull, mpi.ProcNull}, {2, math.MinInt, mpi.ProcNull, mpi.ProcNull},
			{0, math.MaxInt, rankAt(at[0]-1, 0, at[2]), rankAt(at[0]+1, 0, at[2])}, // 3*k+1
			{0, math.MinInt, rankAt(at[0]-1, 0, at[2]), rankAt(at[0]+1, 0, at[2])}, // 3*k-2
		} {
			src, dst, err := c.CartShift(row.dim, row.disp)
			if err := errors.Join(err, equalAll(fmt.Sprint("shift ", row.dim, " ", row.disp), []int{src, dst}, []int{row.src, row.dst})); err != nil {
				return err
			}
		}
		beyond, err := c.CartRank(-1, 5, 1)
		if err := errors.Join(err, equal("periodic coordinates", beyond, rankAt(-1, 0, 1))); err != nil {
			return err
		}
		d, err1 := c.Dup()
		none, err2 := d.CartSub(false, false, false)
		all, err3 := d.CartSub(true, true, true)
		column, err4 := d.CartSub(false, true, true)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return err
		}
		kind, err := none.Topology()
		dims, periods, coords, err5 := column.CartGet()
		same, err6 := all.Compare(c)
		if err := errors.Join(err, err5, err6, equal("alone", none.Size(), 1), equal("topology", kind, mpi.Cartesian), equal("all", same, mpi.Congruent),
			equalAll("dims", dims, []int{1, 2}), equalAll("periods", periods, []bool{true, false}), equalAll("coords", coords, at[1:])); err != nil {
			return err
		}
		return errors.Join(none.Free(), all.Free(), column.Free(), d.Free(), c.Free())
	})
}

// MPI 4.1, section 8.5.1: a grid that is larger than the communicator is an error, also
// one whose size is no int.
func TestGridsOfTooManyRanks(t *testing.T) {
	onTwo(t, 3, func(w *mpi.Comm) error {
		for _, dims := range [][]int{{4}, {2, 2}, {math.MaxInt}, {2, math.MaxInt}, {1 << 32, 1 << 32}, {2, 1 << 62, 2}, {3, math.MaxInt, 5}} {
			_, err1 := w.CartCreate(dims, make([]bool, len(dims)))
			_, err2 := w.CartMap(dims, make([]bool, len(dims)))
			for _, err := range []error{err1, err2} {
				if err := is(err, mpi.ErrArg, ""); err != nil {
					return fmt.Errorf("dims %v: %w", dims, err)
				}
			}
		}
		return nil
	})
}

// MPI 4.1, section 8.5.4: weights, loops and several edges between two ranks are kept,
// also in a duplicate, and negative weights are errors.
func TestEdgesOfGraphsAreKept(t *testing.T) {
	onTwo(t, 3, func(w *mpi.Comm) error {
		me, next, before := w.Rank(), (w.Rank()+1)%3, (w.Rank()+2)%3
		out := []mpi.Edge{{Source: me, Dest: next, Weight: 5}, {Source: me, Dest: me, Weight: 0}, {Source: me, Dest: next, Weight: 2}}
		in := []mpi.Edge{{Source: me, Dest: me, Weight: 0}, {Source: before, Dest: me, Weight: 5}, {Source: before, Dest: me, Weight: 2}}
		c, err := w.DistGraphCreateAdjacent(in, out)
		if err != nil {
			return err
		}
		d, err := c.Dup()
		if err != nil {
			return err
		}
		gotIn, gotOut, err := d.DistGraphNeighbors()
		if err := errors.Join(err, equalAll("in", gotIn, in), equalAll("out", gotOut, out)); err != nil {
			return err
		}
		recv := make([]int, 3)
		if err := errors.Join(mpi.NeighborAlltoall(d, []int{10*me + 1, 10*me + 2, 10*me + 3}, recv),
			equalAll("received", recv, []int{10*me + 2, 10*before + 1, 10*before + 3})); err != nil {
			return err
		}
		if _, err := w.DistGraphCreateAdjacent(nil, []mpi.Edge{{Source: me, Dest: next, Weight: -1}}); is(err, mpi.ErrArg, "") != nil {
			return fmt.Errorf("a negative weight: %v", err)
		}
		if _, err := w.DistGraphCreate(mpi.Edge{Source: me, Dest: next, Weight: -1}); is(err, mpi.ErrArg, "") != nil {
			return fmt.Errorf("a negative weight: %v", err)
		}
		return errors.Join(mpi.Barrier(w), d.Free(), c.Free())
	})
}

// MPI 4.1, sections 7.7.2 and 7.7.3: attribute callbacks are called when a communicator
// is duplicated, also one with a topology, and not when it is split; a value that is
// replaced is deleted; a key that has been freed still deletes; an error of a callback
// keeps the communicator.
func TestAttributesInEveryCall(t *testing.T) {
	var deleted []int
	err := mpitest.World(1, func(w *mpi.Comm) error {
		fails := true
		k := mpi.NewKeyval(func(c *mpi.Comm, v int) (int, bool, error) { return v + 1, true, nil }, func(c *mpi.Comm, v int) error {
			if v == 100 && fails {
				return errors.New("not yet")
			}
			deleted = append(deleted, v)
			return nil
		})
		grid, err := w.CartCreate([]int{1}, []bool{true})
		if err != nil {
			return err
		}
		if err := errors.Join(k.Set(grid, 1), k.Set(grid, 10)); err != nil {
			return err
		}
		d, err1 := grid.Dup()
		split, err2 := grid.Split(0, 0)
		i, r := grid.Idup()
		with, err3 := grid.DupWithInfo(nil)
		group, err4 := grid.Group()
		made, err5 := grid.Create(group)
		if err := errors.Join(err1, err2, waited(r), err3, err4, err5); err != nil {
			return err
		}
		for _, row := range []struct {
			c    *mpi.Comm
			want string
		}{{grid, "10 true"}, {d, "11 true"}, {i, "11 true"}, {with, "11 true"}, {split, "0 false"}, {made, "0 false"}} {
			v, found, err := k.Value(row.c)
			if err := errors.Join(err, equal(row.c.Name(), fmt.Sprint(v, found), row.want)); err != nil {
				return err
			}
		}
		if err := k.Set(d, 100); err != nil {
			return err
		}
		if err := is(d.Free(), mpi.ErrOther, ""); err != nil {
			return err
		}
		if err := mpi.Barrier(d); err != nil {
			return fmt.Errorf("what Free has left: %w", err)
		}
		fails = false
		k.Free()
		return errors.Join(d.Free(), i.Free(), with.Free(), split.Free(), made.Free(), grid.Free())
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []int{1, 11, 100, 11, 11, 10}; !slices.Equal(deleted, want) {
		t.Errorf("deleted %v, want %v", deleted, want)
	}
}

// MPI 4.1, section 11.3: one session after the other, and several at once.
func TestSessionsInTurn(t *testing.T) {
	err := mpitest.Sessions(3, func(s *mpi.Session) error {
		for round := range 3 {
			other, err := s.Open()
			if err != nil {
				return err
			}
			g, err := other.Group(mpi.PsetWorld)
			if err != nil {
				return err
			}
			c, err := mpi.CommFromGroup(g, fmt.Sprint("round ", round))
			if err != nil {
				return err
			}
			sum := []int{0}
			if err := errors.Join(mpi.Allreduce(c, []int{c.Rank()}, sum, mpi.Sum), equal("sum", sum[0], 3)); err != nil {
				return err
			}
			if err := is(other.Finalize(), mpi.ErrSession, ""); err != nil {
				return fmt.Errorf("with a communicator: %w", err)
			}
			if err := errors.Join(c.Free(), other.Finalize(), is(other.Finalize(), mpi.ErrSession, "")); err != nil {
				return err
			}
			if _, err := other.Group(mpi.PsetWorld); is(err, mpi.ErrSession, "") != nil {
				return fmt.Errorf("a session that has ended: %v", err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 8.5.2, example 8.1 and others: factors as close to each other as
// possible, the largest first.
func TestDimsCreateBalances(t *testing.T) {
	for _, row := range []struct {
		nodes int
		dims  []int
		want  string
	}{
		{6, []int{0, 0}, "[3 2]"}, {7, []int{0, 0}, "[7 1]"}, {6, []int{0, 3, 0}, "[2 3 1]"}, {1, nil, "[]"},
		{1, []int{0, 0, 0}, "[1 1 1]"}, {64, []int{0, 0, 0}, "[4 4 4]"}, {12, []int{0, 0}, "[4 3]"}, {36, []int{0, 0, 0}, "[4 3 3]"},
		{16, []int{0, 2, 0}, "[4 2 2]"}, {1024, []int{0, 0, 0, 0}, "[8 8 4 4]"}, {30, []int{0, 0, 0}, "[5 3 2]"}, {1000003, []int{0, 0}, "[1000003 1]"},
		{5, []int{5}, "[5]"},
	} {
		if err := mpi.DimsCreate(row.nodes, row.dims); err != nil || fmt.Sprint(row.dims) != row.want && row.dims != nil {
			t.Errorf("%d nodes: %v, %v, want %s", row.nodes, row.dims, err, row.want)
		}
	}
	for _, row := range []struct {
		nodes int
		dims  []int
		text  string
	}{
		{7, []int{0, 3, 0}, "mpi: DimsCreate: 7 nodes cannot be cut by the dimensions that are given, [0 3 0]; choose divisors"},
		{6, []int{-1, 0}, "mpi: DimsCreate: dims[0] is -1; dimensions are 0 (to be chosen) or more"},
		{6, []int{3}, "mpi: DimsCreate: 6 nodes do not make a grid of [3]; leave zeros to be chosen"},
		{0, []int{0}, "mpi: DimsCreate: 0 nodes do not make a grid of [0]; leave zeros to be chosen"},
	} {
		if err := is(mpi.DimsCreate(row.nodes, row.dims), mpi.ErrArg, row.text); err != nil {
			t.Error(err)
		}
	}
}

// grids runs fn on grids of all kinds, on the ranks that have a place.
func grids(t *testing.T, fn func(w, c *mpi.Comm, dims []int, periods []bool) error) {
	for n := 1; n <= 9; n++ {
		mpitest.Run(t, n, func(w *mpi.Comm) error {
			rnd := rand.New(rand.NewPCG(2, uint64(n)))
			for range 6 {
				var dims []int
				var periods []bool
				room := n
				for range rnd.IntN(4) {
					d := 1 + rnd.IntN(room)
					room /= d
					dims, periods = append(dims, d), append(periods, rnd.IntN(2) == 0)
				}
				c, err := w.CartCreate(dims, periods)
				if err != nil {
					return err
				}
				size := 1
				for _, d := range dims {
					size *= d
				}
				if (c == nil) != (w.Rank() >= size) {
					return fmt.Errorf("rank %d has %v in a grid of %v", w.Rank(), c, dims)
				}
				if c == nil {
					continue
				}
				if err := errors.Join(fn(w, c, dims, periods), c.Free()); err != nil {
					return fmt.Errorf("%v %v: %w", dims, periods, err)
				}
			}
			return nil
		})
	}
}

// MPI 4.1, sections 8.5.5 to 8.5.7: ranks are in row-major order, shifts wrap or end at
// MPI_PROC_NULL, sub-grids keep the coordinates of the dimensions that are kept.
func TestCartesianGrids(t *testing.T) {
	grids(t, func(w, c *mpi.Comm, dims []int, periods []bool) error {
		d, p, at, err := c.CartGet()
		if err != nil {
			return err
		}
		rank := 0
		for i, x := range at {
			rank = rank*dims[i] + x
		}
		back, err := c.CartRank(at...)
		kind, err2 := c.Topology()
		mapped, err3 := w.CartMap(dims, periods)
		if err := errors.Join(err, err2, err3, equalAll("dims", d, dims), equalAll("periods", p, periods), equal("rank", rank, c.Rank()),
			equal("CartRank", back, rank), equal("topology", kind, mpi.Cartesian), equal("CartMap", mapped, rank)); err != nil {
			return err
		}
		for i := range dims {
			for disp := -3; disp <= 3; disp++ {
				src, dst, err := c.CartShift(i, disp)
				if err != nil {
					return err
				}
				want := [2]int{}
				for k, by := range []int{-disp, disp} {
					to := slices.Clone(at)
					to[i] += by
					switch r, err := c.CartRank(to...); {
					case periods[i] || to[i] >= 0 && to[i] < dims[i]:
						want[k] = r
					case err == nil:
						return fmt.Errorf("coordinates %v have rank %d", to, r)
					default:
						want[k] = mpi.ProcNull
					}
				}
				if err := equal("shift", [2]int{src, dst}, want); err != nil {
					return err
				}
			}
		}
		keep := make([]bool, len(dims))
		var rest []int
		for i := range keep {
			if keep[i] = i%2 == 0; keep[i] {
				rest = append(rest, at[i])
			}
		}
		sub, err := c.CartSub(keep...)
		if err != nil {
			return err
		}
		_, _, inner, err := sub.CartGet()
		dup, err2 := sub.Dup() // MPI 4.1, section 7.4.2: with the topology
		if err := errors.Join(err, err2, equalAll("sub", inner, rest)); err != nil {
			return err
		}
		_, _, inner, err = dup.CartGet()
		return errors.Join(err, equalAll("dup of sub", inner, rest), dup.Free(), sub.Free())
	})
}

// slotValue is what rank sends to its neighbor k.
func slotValue(rank, k int) int { return 1000*rank + k }

// MPI 4.1, section 8.6: in a grid, buffers have a part for the lower and one for the
// upper neighbor in each dimension; a message to the lower neighbor arrives there as
// from its upper one, also if both are the same rank; beyond an end nothing is moved.
func TestNeighborsInAGrid(t *testing.T) {
	grids(t, func(w, c *mpi.Comm, dims []int, _ []bool) error {
		degree := 2 * len(dims)
		send, recv, all := make([]int, degree), make([]int, degree), make([]int, degree)
		want, wantAll := make([]int, degree), make([]int, degree)
		for k := range degree {
			send[k], want[k], wantAll[k], recv[k], all[k] = slotValue(c.Rank(), k), -1, -1, -1, -1
			below, above, err := c.CartShift(k/2, 1)
			if err != nil {
				return err
			}
			from := below
			if k%2 == 1 {
				from = above
			}
			if from != mpi.ProcNull {
				want[k], wantAll[k] = slotValue(from, k^1), from
			}
		}
		if err := mpi.NeighborAlltoall(c, send, recv); err != nil {
			return err
		}
		if err := mpi.NeighborAllgather(c, []int{c.Rank()}, all); err != nil {
			return err
		}
		if err := errors.Join(equalAll("alltoall", recv, want), equalAll("allgather", all, wantAll)); err != nil {
			return err
		}
		again := slices.Repeat([]int{-1}, degree)
		r, err := mpi.NeighborAlltoallInit(c, send, again)
		if err != nil {
			return err
		}
		for range 3 {
			first := mpi.IneighborAllgather(c, []int{c.Rank()}, all)
			if err := errors.Join(r.Start(), mpi.Barrier(c), mpi.WaitAll(r, first)); err != nil {
				return err
			}
			if err := errors.Join(equalAll("persistent", again, want), equalAll("nonblocking", all, wantAll)); err != nil {
				return err
			}
		}
		return nil
	})
}

// randomEdges draws a graph with loops and several edges between two ranks.
func randomEdges(rnd *rand.Rand, n int) (edges []mpi.Edge) {
	for i := range rnd.IntN(3*n + 1) {
		edges = append(edges, mpi.Edge{Source: rnd.IntN(n), Dest: rnd.IntN(n), Weight: i})
	}
	return edges
}

// MPI 4.1, section 8.5.4 and 8.6: every rank passes some of the edges, or its own; the
// k-th edge from one rank to another carries the k-th part.
func TestNeighborsInDistributedGraphs(t *testing.T) {
	for n := 1; n <= 9; n += 2 {
		everywhere(t, n, func(w *mpi.Comm) error {
			rnd := rand.New(rand.NewPCG(6, uint64(n)))
			for round := range 6 {
				var given, in, out []mpi.Edge
				for i, e := range randomEdges(rnd, n) {
					if i%n == w.Rank() {
						given = append(given, e)
					}
					if e.Dest == w.Rank() {
						in = append(in, e)
					}
					if e.Source == w.Rank() {
						out = append(out, e)
					}
				}
				adjacent, err1 := w.DistGraphCreateAdjacent(in, out)
				general, err2 := w.DistGraphCreate(given...)
				if err := errors.Join(err1, err2); err != nil {
					return err
				}
				for _, c := range []*mpi.Comm{adjacent, general} {
					in, out, err := c.DistGraphNeighbors()
					if err != nil {
						return err
					}
					if err := checkEdges(c, in, out, 1+round*300); err != nil {
						return fmt.Errorf("round %d: %w", round, err)
					}
					kind, err := c.Topology()
					if err := errors.Join(err, equal("topology", kind, mpi.DistGraph), c.Free()); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}

// checkEdges sends its weight along every edge, n times, by all neighborhood calls.
func checkEdges(c *mpi.Comm, in, out []mpi.Edge, n int) error {
	var send, want, recv []int
	var scounts, rcounts []int
	var sparts, rparts []mpi.Part
	for _, e := range out {
		scounts = append(scounts, e.Weight%3*n)
		send = append(send, slices.Repeat([]int{e.Weight}, e.Weight%3*n)...)
		if e.Weight%2 == 0 {
			sparts = append(sparts, mpi.PartOf([]float64{float64(e.Weight)}))
		} else {
			sparts = append(sparts, mpi.Part{})
		}
	}
	floats := make([]float64, len(in))
	for i, e := range in {
		rcounts = append(rcounts, e.Weight%3*n)
		want = append(want, slices.Repeat([]int{e.Weight}, e.Weight%3*n)...)
		if e.Weight%2 == 0 {
			rparts = append(rparts, mpi.PartOf(floats[i:i+1]))
		} else {
			rparts = append(rparts, mpi.Part{})
		}
	}
	recv = make([]int, len(want))
	second := slices.Clone(recv)
	r := mpi.IneighborAlltoallv(c, send, scounts, nil, second, rcounts, nil)
	if err := mpi.NeighborAlltoallv(c, send, scounts, nil, recv, rcounts, nil); err != nil {
		return err
	}
	if _, err := r.Wait(); err != nil {
		return err
	}
	if err := errors.Join(equalAll("alltoallv", recv, want), equalAll("nonblocking", second, want)); err != nil {
		return err
	}
	if err := mpi.NeighborAlltoallw(c, sparts, rparts); err != nil {
		return err
	}
	for i, e := range in {
		if e.Weight%2 == 0 && floats[i] != float64(e.Weight) {
			return fmt.Errorf("edge %d brings %v, want %d", i, floats[i], e.Weight)
		}
	}
	var counts, from []int
	for _, e := range in {
		counts = append(counts, e.Source+1)
		from = append(from, slices.Repeat([]int{e.Source}, e.Source+1)...)
	}
	got := make([]int, len(from))
	if err := mpi.NeighborAllgatherv(c, slices.Repeat([]int{c.Rank()}, c.Rank()+1), got, counts, nil); err != nil {
		return err
	}
	return equalAll("allgatherv", got, from)
}

// MPI 4.1, section 8.5.3 and 8.5.5: index counts the edges of all nodes so far.
func TestGraphsThatAllRanksKnow(t *testing.T) {
	everywhere(t, 5, func(w *mpi.Comm) error {
		index, edges := []int{2, 3, 4, 6}, []int{1, 3, 0, 3, 0, 2} // example 8.3
		c, err := w.GraphCreate(index, edges)
		if err != nil {
			return err
		}
		mapped, err := w.GraphMap(index, edges)
		if w.Rank() == 4 {
			return errors.Join(err, nobodyIs(c), equal("map", mapped, mpi.Undefined))
		}
		i, e, err2 := c.GraphGet()
		kind, err3 := c.Topology()
		far, err4 := c.GraphNeighbors(3)
		own, err5 := c.GraphNeighbors(c.Rank())
		got := make([]int, len(own))
		if err := errors.Join(err, err2, err3, err4, err5, equal("map", mapped, w.Rank()), equalAll("index", i, index), equalAll("edges", e, edges),
			equal("topology", kind, mpi.Graph), equalAll("neighbors", far, []int{0, 2}),
			mpi.NeighborAllgather(c, []int{c.Rank()}, got)); err != nil {
			return err
		}
		return equalAll("neighbors' ranks", got, own)
	})
}

// Invalid topologies, and calls that need another one, are errors that say so.
func TestMisusedTopologiesAreErrors(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		ring, err := w.CartCreate([]int{2}, []bool{true})
		if err != nil {
			return err
		}
		line, err := w.CartCreate([]int{2}, []bool{false})
		if err != nil {
			return err
		}
		second := func(_ any, err error) error { return err }
		third := func(_, _ any, err error) error { return err }
		var none *mpi.Comm
		one, two := []int{1}, []int{1, 2}
		for _, row := range []struct {
			err   error
			class mpi.Class
			text  string
		}{
			{second(w.CartCreate([]int{3}, []bool{true})), mpi.ErrArg, "mpi: CartCreate on world: a grid of [3] is larger than the 2 ranks; DimsCreate chooses one that fits"},
			{second(w.CartCreate([]int{0}, []bool{true})), mpi.ErrArg, "mpi: CartCreate on world: dims[0] is 0; dimensions are 1 or more, and DimsCreate chooses them"},
			{second(w.CartCreate([]int{2}, nil)), mpi.ErrArg, "mpi: CartCreate on world: 1 dims and 0 periods; give one period for each dimension"},
			{second(none.CartCreate(nil, nil)), mpi.ErrComm, ""},
			{second(w.CartMap([]int{5}, []bool{true})), mpi.ErrArg, ""},
			{second(w.CartSub(true)), mpi.ErrTopology, "mpi: CartSub on world: the communicator has no such topology; make one with CartCreate"},
			{second(ring.CartSub()), mpi.ErrArg, ""},
			{second(w.CartRank(0)), mpi.ErrTopology, ""},
			{second(ring.CartRank()), mpi.ErrArg, ""},
			{second(line.CartRank(2)), mpi.ErrArg, "mpi: CartRank on " + line.Name() + ": the coordinates [2] lie outside of the grid of [2], which is not periodic there"},
			{second(w.CartCoords(0)), mpi.ErrTopology, ""},
			{second(ring.CartCoords(2)), mpi.ErrRank, ""},
			{third(ring.CartShift(1, 1)), mpi.ErrArg, "mpi: CartShift on " + ring.Name() + ": there is no dimension 1 in a grid of [2]; the first is 0"},
			{third(w.CartShift(0, 1)), mpi.ErrTopology, ""},
			{third(ring.GraphGet()), mpi.ErrTopology, "mpi: GraphGet on " + ring.Name() + ": the communicator has no such topology; make one with GraphCreate"},
			{second(ring.GraphNeighbors(0)), mpi.ErrTopology, ""},
			{third(w.DistGraphNeighbors()), mpi.ErrTopology, ""},
			{second(w.GraphCreate([]int{1, 1, 1}, one)), mpi.ErrArg, "mpi: GraphCreate on world: a graph of 3 nodes is larger than the 2 ranks"},
			{second(w.GraphCreate([]int{1, 0}, one)), mpi.ErrArg, "mpi: GraphCreate on world: index[1] is 0, after 1; it counts the edges of all nodes so far"},
			{second(w.GraphCreate([]int{1, 2}, one)), mpi.ErrArg, "mpi: GraphCreate on world: the index counts 2 edges, there are 1"},
			{second(w.GraphCreate([]int{1, 2}, two)), mpi.ErrArg, "mpi: GraphCreate on world: edges[1] is 2; nodes are 0 to 1"},
			{second(w.GraphMap([]int{1}, nil)), mpi.ErrArg, ""},
			{second(none.GraphCreate(nil, nil)), mpi.ErrComm, ""},
			{second(w.DistGraphCreate(mpi.Edge{Source: 0, Dest: 2})), mpi.ErrRank, "mpi: DistGraphCreate on world: edge 0 leads from 0 to 2; ranks are 0 to 1"},
			{second(none.DistGraphCreate()), mpi.ErrComm, ""},
			{second(w.DistGraphCreateAdjacent([]mpi.Edge{{Source: 0, Dest: 1 - w.Rank()}}, nil)), mpi.ErrArg, ""},
			{second(w.DistGraphCreateAdjacent(nil, []mpi.Edge{{Source: 1 - w.Rank(), Dest: 0}})), mpi.ErrArg, ""},
			{second(w.DistGraphCreateAdjacent(nil, []mpi.Edge{{Source: -1, Dest: 0}})), mpi.ErrRank, ""},
			{second(none.Topology()), mpi.ErrComm, ""},
			{mpi.NeighborAllgather(w, one, two), mpi.ErrTopology, "mpi: NeighborAllgather on world: the communicator has no topology; make one with CartCreate, GraphCreate or DistGraphCreate"},
			{mpi.NeighborAllgather(none, one, two), mpi.ErrComm, ""},
			{mpi.NeighborAllgather(ring, one, []int{1}), mpi.ErrCount, "mpi: NeighborAllgather on " + ring.Name() + ": recv has room for 1 elements, 2 neighbors send 1 each; make it 2"},
			{mpi.NeighborAllgather(ring, []string{""}, make([]string, 2)), mpi.ErrType, ""},
			{mpi.NeighborAllgather(ring, two[:1], two), mpi.ErrBuffer, "mpi: NeighborAllgather on " + ring.Name() + ": send and recv overlap; they must be apart"},
			{mpi.NeighborAllgatherv(ring, one, two, one, nil), mpi.ErrCount, ""},
			{mpi.NeighborAlltoall(ring, one, two), mpi.ErrCount, ""},
			{mpi.NeighborAlltoall(ring, two, one), mpi.ErrCount, ""},
			{mpi.NeighborAlltoall(ring, two, make([]int, 4)), mpi.ErrCount, "mpi: NeighborAlltoall on " + ring.Name() + ": send has parts of 1 elements and recv of 2; they must be equally long"},
			{mpi.NeighborAlltoallv(ring, two, one, nil, one, two, nil), mpi.ErrCount, ""},
			{mpi.NeighborAlltoallv(ring, two, []int{1, 1}, nil, one, []int{1, 1}, nil), mpi.ErrBuffer, ""},
			{mpi.NeighborAlltoallw(ring, nil, nil), mpi.ErrCount, "mpi: NeighborAlltoallw on " + ring.Name() + ": 0 parts to send to 2 neighbors, 0 to receive from 2; give one for each, empty ones too"},
			{mpi.NeighborAlltoallw(ring, []mpi.Part{{}, mpi.PartOf([]string{""})}, make([]mpi.Part, 2)), mpi.ErrType, ""},
			{second(mpi.IneighborAlltoall(ring, one, two).Wait()), mpi.ErrCount, ""},
			{second(mpi.NeighborAlltoallInit(ring, one, two)), mpi.ErrCount, ""},
		} {
			if err := is(row.err, row.class, row.text); err != nil {
				return err
			}
		}
		if _, _, _, err := w.CartGet(); is(err, mpi.ErrTopology, "") != nil {
			return err
		}
		// received lengths must match: one rank sends two elements, the other one
		send, recv := make([]int, 1+w.Rank()), make([]int, 2+2*w.Rank())
		return is(mpi.NeighborAllgather(ring, send, recv), mpi.ErrTruncate, "")
	})
}

// An edge that only one of its ranks passes is an error on all ranks of a checked job. The
// communicator can be used afterwards.
func TestEdgesOfOneEnd(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		ends := "; the ranks at both ends of an edge must pass it"
		one, twice := []mpi.Edge{{Source: 0, Dest: 2}}, []mpi.Edge{{Source: 0, Dest: 2}, {Source: 0, Dest: 2, Weight: 1}}
		for _, k := range []struct {
			out, in []mpi.Edge // of ranks 0 and 2
			want    string
		}{
			{one, nil, "rank 0 passes 1 edges to rank 2 in out, and that one 0 in in"},
			{nil, one, "rank 0 passes 0 edges to rank 2 in out, and that one 1 in in"},
			{one, twice, "rank 0 passes 1 edges to rank 2 in out, and that one 2 in in"},
			{twice, one, "rank 0 passes 2 edges to rank 2 in out, and that one 1 in in"},
			{twice, twice, ""},
			{nil, nil, ""},
		} {
			var in, out []mpi.Edge
			switch w.Rank() {
			case 0:
				out = k.out
			case 2:
				in = k.in
			}
			c, err := w.DistGraphCreateAdjacent(in, out)
			if k.want != "" {
				if err := is(err, mpi.ErrArg, "mpi: DistGraphCreateAdjacent on world: "+k.want+ends); err != nil {
					return err
				}
			} else if err := errors.Join(err, c.Free()); err != nil {
				return err
			}
		}
		return mpi.Barrier(w)
	})
}

package mpi

import "slices"

// A graph is a topology that every rank knows completely: the neighbors of rank i are
// edges[index[i-1]:index[i]].
type graph struct{ index, edges []int }

func (t *graph) kind() Topology { return Graph }

func (t *graph) of(rank int) []int {
	from := 0
	if rank > 0 {
		from = t.index[rank-1]
	}
	return t.edges[from:t.index[rank]]
}

func (t *graph) neighbors(rank int) (in, out []edge) {
	all := plainEdges(t.of(rank))
	return all, all
}

func plainEdges(peers []int) (edges []edge) {
	for _, p := range peers {
		edges = append(edges, edge{peer: p})
	}
	return edges
}

// newGraph checks a graph, which must not have more nodes than c has ranks.
func (c *Comm) newGraph(s site, index, edges []int) (*graph, error) {
	if err := c.intra(s); err != nil {
		return nil, err
	}
	if len(index) > c.size {
		return nil, c.errorAt(s, ErrArg, "a graph of %d nodes is larger than the %d ranks", len(index), c.size)
	}
	before := 0
	for i, n := range index {
		if n < before {
			return nil, c.errorAt(s, ErrArg, "index[%d] is %d, after %d; it counts the edges of all nodes so far", i, n, before)
		}
		before = n
	}
	if before != len(edges) {
		return nil, c.errorAt(s, ErrArg, "the index counts %d edges, there are %d", before, len(edges))
	}
	for i, p := range edges {
		if p < 0 || p >= len(index) {
			return nil, c.errorAt(s, ErrArg, "edges[%d] is %d; nodes are 0 to %d", i, p, len(index)-1)
		}
	}
	return &graph{slices.Clone(index), slices.Clone(edges)}, nil
}

// GraphCreate makes a communicator of the first len(index) ranks of c as a graph; the
// others get nil. The neighbors of node i are edges[index[i-1]:index[i]], those of node
// 0 begin at 0. All ranks of c must call it with the same graph. Neighborhood
// collectives need each edge in both directions. Ranks keep their order.
//
// MPI 4.1, section 8.5.3.
func (c *Comm) GraphCreate(index, edges []int) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("GraphCreate")
	t, err := c.newGraph(s, index, edges)
	if err != nil {
		return nil, err
	}
	return c.shaped(s, len(index), "graph", t, argsHash(index, edges))
}

// GraphMap returns the rank that the caller would have in a graph made by
// [Comm.GraphCreate], or Undefined.
//
// MPI 4.1, section 8.5.8.
func (c *Comm) GraphMap(index, edges []int) (_ int, err error) {
	defer c.raised(&err)
	t, err := c.newGraph(at("GraphMap"), index, edges)
	if err != nil || c.rank >= len(t.index) {
		return Undefined, err
	}
	return c.rank, nil
}

// GraphGet returns the index and edges that the graph was made with.
//
// MPI 4.1, section 8.5.5 (MPI_Graphdims_get, MPI_Graph_get).
func (c *Comm) GraphGet() (index, edges []int, err error) {
	defer c.raised(&err)
	t, err := topologyOf[*graph](c, at("GraphGet"), "GraphCreate")
	if err != nil {
		return nil, nil, err
	}
	return slices.Clone(t.index), slices.Clone(t.edges), nil
}

// GraphNeighbors returns the neighbors of a rank.
//
// MPI 4.1, section 8.5.5 (MPI_Graph_neighbors_count, MPI_Graph_neighbors).
func (c *Comm) GraphNeighbors(rank int) (_ []int, err error) {
	defer c.raised(&err)
	s := at("GraphNeighbors")
	t, err := topologyOf[*graph](c, s, "GraphCreate")
	if err != nil {
		return nil, err
	}
	if rank < 0 || rank >= c.size {
		return nil, c.errorAt(s, ErrRank, "there is no rank %d; ranks are 0 to %d", rank, c.size-1)
	}
	return slices.Clone(t.of(rank)), nil
}

// An Edge of a distributed graph leads from a source to a destination. The program
// chooses the meaning of its weight.
//
// MPI 4.1, section 8.5.4.
type Edge struct{ Source, Dest, Weight int }

// A distGraph holds the edges of this rank.
type distGraph struct{ in, out []Edge }

func (t *distGraph) kind() Topology { return DistGraph }

func (t *distGraph) neighbors(int) (in, out []edge) {
	for _, e := range t.in {
		in = append(in, edge{peer: e.Source})
	}
	for _, e := range t.out {
		out = append(out, edge{peer: e.Dest})
	}
	return in, out
}

// DistGraphCreate makes a communicator of the ranks of c with the edges that all of
// them pass together; each rank may pass any edges. Ranks keep their order. All ranks
// of c must call it.
//
// MPI 4.1, section 8.5.4 (MPI_Dist_graph_create).
func (c *Comm) DistGraphCreate(edges ...Edge) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("DistGraphCreate")
	if err := c.checkEdges(s, edges); err != nil {
		return nil, err
	}
	t := &distGraph{}
	return c.divideAs(s, cut{key: c.rank, how: "graph", ask: func(b *Comm, _ *cut) error { return t.collect(b, edges) }}, t)
}

// collect has all ranks of c exchange their edges, and keeps those of this rank.
func (t *distGraph) collect(c *Comm, edges []Edge) error {
	counts := make([]int, c.size)
	if err := c.coll.allgather(view([]int{len(edges)}), view(counts)); err != nil {
		return err
	}
	all := make([]Edge, offset(counts, nil, c.size))
	if err := c.coll.allgatherv(view(edges), view(all), counts, nil, sizeOf[Edge]()); err != nil {
		return err
	}
	for _, e := range all {
		if e.Source == c.rank {
			t.out = append(t.out, e)
		}
		if e.Dest == c.rank {
			t.in = append(t.in, e)
		}
	}
	return nil
}

// DistGraphCreateAdjacent is [Comm.DistGraphCreate] in which each rank passes the edges
// that lead to it and those that lead away from it; the rank at the other end of an
// edge must pass it too, which a checked job compares (see Job.Check). Neighborhood
// collectives use this order.
//
// MPI 4.1, section 8.5.4 (MPI_Dist_graph_create_adjacent).
func (c *Comm) DistGraphCreateAdjacent(in, out []Edge) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("DistGraphCreateAdjacent")
	for _, edges := range [][]Edge{in, out} {
		if err := c.checkEdges(s, edges); err != nil {
			return nil, err
		}
	}
	for i, e := range in {
		if e.Dest != c.rank {
			return nil, c.errorAt(s, ErrArg, "in[%d] leads to %d, not to the caller, %d", i, e.Dest, c.rank)
		}
	}
	for i, e := range out {
		if e.Source != c.rank {
			return nil, c.errorAt(s, ErrArg, "out[%d] leads from %d, not from the caller, %d", i, e.Source, c.rank)
		}
	}
	how := cut{key: c.rank, how: "graph"}
	if c.w.Check {
		var all adjacency
		how.ask = func(b *Comm, _ *cut) error { return all.collect(b, in, out) }
		how.check = func(s site, _ []member) error { return all.compare(c, s) }
	}
	return c.divideAs(s, how, &distGraph{slices.Clone(in), slices.Clone(out)})
}

func (c *Comm) checkEdges(s site, edges []Edge) error {
	if err := c.intra(s); err != nil {
		return err
	}
	for i, e := range edges {
		if min(e.Source, e.Dest) < 0 || max(e.Source, e.Dest) >= c.size {
			return c.errorAt(s, ErrRank, "edge %d leads from %d to %d; ranks are 0 to %d", i, e.Source, e.Dest, c.size-1)
		}
		if e.Weight < 0 {
			return c.errorAt(s, ErrArg, "edge %d has the weight %d; weights are 0 or more", i, e.Weight)
		}
	}
	return nil
}

// DistGraphNeighbors returns the edges that lead to the caller and those that lead away
// from it, in the order of neighborhood collectives.
//
// MPI 4.1, section 8.5.5 (MPI_Dist_graph_neighbors_count, MPI_Dist_graph_neighbors).
func (c *Comm) DistGraphNeighbors() (in, out []Edge, err error) {
	defer c.raised(&err)
	t, err := topologyOf[*distGraph](c, at("DistGraphNeighbors"), "DistGraphCreate")
	if err != nil {
		return nil, nil, err
	}
	return slices.Clone(t.in), slices.Clone(t.out), nil
}

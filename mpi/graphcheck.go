package mpi

// An adjacency is all edges that the ranks of a checked job have passed to
// DistGraphCreateAdjacent. Each belongs to two ranks, which must agree on it: otherwise
// calls to neighbors wait for ever, or send what no rank receives.
type adjacency struct {
	counts []int // of the edges of each rank, those that lead to it and those that lead away
	edges  []Edge
}

// collect has all ranks of c exchange their edges.
func (a *adjacency) collect(c *Comm, in, out []Edge) error {
	a.counts = make([]int, 2*c.size)
	if err := c.coll.allgather(view([]int{len(in), len(out)}), view(a.counts)); err != nil {
		return err
	}
	own := append(append(make([]Edge, 0, len(in)+len(out)), in...), out...)
	lengths := make([]int, c.size)
	for r := range lengths {
		lengths[r] = a.counts[2*r] + a.counts[2*r+1]
	}
	a.edges = make([]Edge, offset(lengths, nil, c.size))
	return c.coll.allgatherv(view(own), view(a.edges), lengths, nil, sizeOf[Edge]())
}

// compare returns the error of the first edge that its ranks have not passed equally
// often. It is the same on all ranks.
func (a *adjacency) compare(c *Comm, s site) error {
	type path struct{ from, to int }
	out, in := map[path]int{}, map[path]int{}
	rest := a.edges
	for i, n := range a.counts {
		side := in
		if i%2 != 0 {
			side = out
		}
		for _, e := range rest[:n] {
			side[path{e.Source, e.Dest}]++
		}
		rest = rest[n:]
	}
	for _, e := range a.edges {
		if p := (path{e.Source, e.Dest}); out[p] != in[p] {
			return c.errorAt(s, ErrArg, "rank %d passes %d edges to rank %d in out, and that one %d in in; the ranks at both ends of an edge must pass it",
				p.from, out[p], p.to, in[p])
		}
	}
	return nil
}

package collectives

// Barrier returns when all ranks of the group have called it.
//
// MPI 4.1, section 6.3.
func (g *Group) Barrier() error {
	if g.plainBarrier { // not of a Catcher
		g.sequence++
		return g.trade(g.exchange, AllToAll, 0, nil, nil)
	}
	return g.run(&Call{Kind: Barrier})
}

// Bcast copies buf from root to every rank. The length must be the same on all ranks.
//
// MPI 4.1, section 6.4.
func (g *Group) Bcast(buf []byte, root int) error {
	return g.run(&Call{Kind: Bcast, Recv: buf, Root: root})
}

// Gather collects the send buffers, all of one length, in rank order into recv of root,
// which must be Size times as long. On other ranks recv is ignored. In place
// (MPI_IN_PLACE): at root, send starts where recv does, and root's part is already at
// its position in recv.
//
// MPI 4.1, section 6.5.
func (g *Group) Gather(send, recv []byte, root int) error {
	return g.run(&Call{Kind: Gather, Send: send, Recv: recv, Root: root})
}

// Gatherv is Gather with a length for each rank: rank i's counts[i] elements of elem
// bytes go to element displs[i] of root's recv; with nil displs the parts follow each
// other. On other ranks counts, displs and recv are ignored.
//
// MPI 4.1, section 6.5.
func (g *Group) Gatherv(send, recv []byte, counts, displs []int, elem, root int) error {
	return g.run(&Call{Kind: Gatherv, Send: send, Recv: recv, RecvCounts: counts, RecvDispls: displs, Elem: elem, Root: root})
}

// Scatter is the inverse of Gather: root's send is cut into Size equal parts, and rank
// i receives part i in recv. In place: at root, recv starts where send does, and root's
// part stays where it is.
//
// MPI 4.1, section 6.6.
func (g *Group) Scatter(send, recv []byte, root int) error {
	return g.run(&Call{Kind: Scatter, Send: send, Recv: recv, Root: root})
}

// Scatterv is the inverse of Gatherv. counts, displs and send are ignored on ranks
// other than root.
//
// MPI 4.1, section 6.6.
func (g *Group) Scatterv(send []byte, counts, displs []int, recv []byte, elem, root int) error {
	return g.run(&Call{Kind: Scatterv, Send: send, SendCounts: counts, SendDispls: displs, Recv: recv, Elem: elem, Root: root})
}

// Allgather collects the send buffers, all of one length, in rank order into recv of
// every rank. In place: send starts where recv does, and this rank's part is already at
// its position in recv.
//
// MPI 4.1, section 6.7.
func (g *Group) Allgather(send, recv []byte) error {
	return g.run(&Call{Kind: Allgather, Send: send, Recv: recv})
}

// Allgatherv is Allgather with a length for each rank, as in Gatherv. counts must be
// the same on all ranks.
//
// MPI 4.1, section 6.7.
func (g *Group) Allgatherv(send, recv []byte, counts, displs []int, elem int) error {
	return g.run(&Call{Kind: Allgatherv, Send: send, Recv: recv, RecvCounts: counts, RecvDispls: displs, Elem: elem})
}

// Alltoall sends part i of send to rank i and receives rank i's part for this rank into
// part i of recv; all parts have one length. In place: send starts where recv does, and
// recv holds what is sent.
//
// MPI 4.1, section 6.8.
func (g *Group) Alltoall(send, recv []byte) error {
	return g.run(&Call{Kind: Alltoall, Send: send, Recv: recv})
}

// Alltoallv is Alltoall with a length and a displacement for each part, in elements of
// elem bytes; with nil displs the parts follow each other. In place, recv's counts and
// displacements hold for both directions.
//
// MPI 4.1, section 6.8.
func (g *Group) Alltoallv(send []byte, scounts, sdispls []int, recv []byte, rcounts, rdispls []int, elem int) error {
	return g.run(&Call{Kind: Alltoallv, Send: send, SendCounts: scounts, SendDispls: sdispls,
		Recv: recv, RecvCounts: rcounts, RecvDispls: rdispls, Elem: elem})
}

// Reduce combines the in buffers, all of one length, element by element with r into out
// of root. On other ranks out is ignored. In place: at root, in starts where out does,
// and out holds root's contribution.
//
// MPI 4.1, section 6.9.
func (g *Group) Reduce(in, out []byte, r Reducer, root int) error {
	return g.run(&Call{Kind: Reduce, Send: in, Recv: out, Reducer: r, Root: root})
}

// Allreduce is Reduce with the result in out of every rank, identical to the last bit
// on all of them.
//
// MPI 4.1, section 6.9.
func (g *Group) Allreduce(in, out []byte, r Reducer) error {
	return g.run(&Call{Kind: Allreduce, Send: in, Recv: out, Reducer: r})
}

// ReduceScatterBlock combines the in buffers and stores part i of the Size equal parts
// of the result in out of rank i. In place: in starts where out does, and its first
// part is overwritten; out may then be as long as in or as a part.
//
// MPI 4.1, section 6.10.
func (g *Group) ReduceScatterBlock(in, out []byte, r Reducer) error {
	return g.run(&Call{Kind: ReduceScatterBlock, Send: in, Recv: out, Reducer: r})
}

// ReduceScatter is ReduceScatterBlock with a length for each rank: rank i receives
// counts[i] elements of the result. The counts must be the same on all ranks and add up
// to the length of in. In place, out may be as long as in or as its part.
//
// MPI 4.1, section 6.10.
func (g *Group) ReduceScatter(in, out []byte, counts []int, r Reducer) error {
	return g.run(&Call{Kind: ReduceScatter, Send: in, Recv: out, SendCounts: counts, Reducer: r})
}

// Scan stores in out of every rank the combination of the contributions of the ranks up
// to and including its own.
//
// MPI 4.1, section 6.11.
func (g *Group) Scan(in, out []byte, r Reducer) error {
	return g.run(&Call{Kind: Scan, Send: in, Recv: out, Reducer: r})
}

// Exscan stores in out of every rank the combination of the contributions of lower
// ranks. Out of rank 0 does not change.
//
// MPI 4.1, section 6.11.
func (g *Group) Exscan(in, out []byte, r Reducer) error {
	return g.run(&Call{Kind: Exscan, Send: in, Recv: out, Reducer: r})
}

package mpi

// Gather collects the send buffers of all ranks, of equal length, in rank order into
// recv of root, which must be Size times as long. recv is ignored on the other ranks.
// In place: root passes recv as send too, with its own part at its position.
//
// MPI 4.1, section 6.5.
func Gather[T any](c *Comm, send, recv []T, root int) error {
	s := atRoot("Gather", root)
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		if isItems(err) {
			return c.raise(gatherItems(c, s, itemsOf(send), itemsOf(recv), root))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interGather(e, view(send), view(recv), root))
	}
	if c.rank != root {
		c.coll.signRooted(makeRootedSign(callGather, e.code, 0, root), len(send)*e.size)
		return c.leave(s, c.coll.gather(view(send), nil, len(send)*e.size, root))
	}
	out, b, class, text := blocks(c, recv, send, gathering)
	if text != "" {
		return c.fail(s, class, "%s", text)
	}
	c.coll.signRooted(makeRootedSign(callGather, e.code, 0, root), len(out)/c.size)
	return c.leave(s, c.coll.gather(b, out, len(out)/c.size, root))
}

// Gatherv is Gather with a length for each rank: the counts[i] elements of rank i go to
// recv[displs[i]:] of root; with nil displs the parts follow each other. recv, counts
// and displs are ignored on the other ranks. In place: root passes recv as send too.
//
// MPI 4.1, section 6.5.
func Gatherv[T any](c *Comm, send, recv []T, counts, displs []int, root int) error {
	s := atRoot("Gatherv", root)
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		if isItems(err) {
			return c.raise(gathervItems(c, s, itemsOf(send), itemsOf(recv), counts, displs, root))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interGatherv(e, view(send), view(recv), counts, displs, root))
	}
	if c.rank != root {
		c.coll.signRooted(makeRootedSign(callGatherv, e.code, 0, root), 0)
		return c.leave(s, c.coll.giveOwn(view(send), e.size, root))
	}
	out, b, class, text := shares(c, recv, send, counts, displs, gathering)
	if text != "" {
		return c.fail(s, class, "%s", text)
	}
	c.coll.signRooted(makeRootedSign(callGatherv, e.code, 0, root), 0)
	return c.leave(s, c.coll.takeAll(b, out, counts, displs, e.size))
}

// Allgather collects the send buffers of all ranks, of equal length, in rank order into
// recv of every rank, which must be Size times as long. In place: pass recv as send
// too, with the own part at its position.
//
// MPI 4.1, section 6.7.
func Allgather[T any](c *Comm, send, recv []T) error {
	s := at("Allgather")
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		if isItems(err) {
			return c.raise(allgatherItems(c, s, itemsOf(send), itemsOf(recv)))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interAllgather(e, view(send), view(recv)))
	}
	out, b, class, text := blocks(c, recv, send, gathering)
	if text != "" {
		return c.fail(s, class, "%s", text)
	}
	c.coll.sign(makeSign(callAllgather, e.code, 0), len(out))
	return c.leave(s, c.coll.allgather(b, out))
}

// Allgatherv is Allgather with a length and a displacement for each rank's part, as in
// [Gatherv]. The counts must be the same on all ranks, the displs may differ. send may
// lie between the parts of recv.
//
// MPI 4.1, section 6.7.
func Allgatherv[T any](c *Comm, send, recv []T, counts, displs []int) error {
	s := at("Allgatherv")
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		if isItems(err) {
			return c.raise(allgathervItems(c, s, itemsOf(send), itemsOf(recv), counts, displs))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interAllgatherv(e, view(send), view(recv), counts, displs))
	}
	out, b, class, text := shares(c, recv, send, counts, displs, gathering)
	if text != "" {
		return c.fail(s, class, "%s", text)
	}
	c.coll.sign(makeSign(callAllgatherv, e.code, 0), countsLength(counts, e.size))
	return c.leave(s, c.coll.allgatherv(b, out, counts, displs, e.size))
}

package mpi

// Scatter cuts send of root into Size equal parts and stores part i in recv of rank i.
// send is ignored on the other ranks. In place: root passes send as recv too, and its
// part stays in place.
//
// MPI 4.1, section 6.6.
func Scatter[T any](c *Comm, send, recv []T, root int) error {
	s := atRoot("Scatter", root)
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		if isItems(err) {
			return c.raise(scatterItems(c, s, itemsOf(send), itemsOf(recv), root))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interScatter(e, view(send), view(recv), root))
	}
	if c.rank != root {
		c.coll.signRooted(makeRootedSign(callScatter, e.code, 0, root), len(recv)*e.size)
		return c.leave(s, c.coll.scatter(nil, view(recv), len(recv)*e.size, root))
	}
	b, out, class, text := blocks(c, send, recv, scattering)
	if text != "" {
		return c.fail(s, class, "%s", text)
	}
	c.coll.signRooted(makeRootedSign(callScatter, e.code, 0, root), len(b)/c.size)
	return c.leave(s, c.coll.scatter(b, out, len(b)/c.size, root))
}

// Scatterv is Scatter with a length for each rank: rank i receives the counts[i]
// elements at send[displs[i]:] of root; with nil displs the parts follow each other.
// send, counts and displs are ignored on the other ranks. In place: root passes send as
// recv too, and its part stays in place.
//
// MPI 4.1, section 6.6.
func Scatterv[T any](c *Comm, send []T, counts, displs []int, recv []T, root int) error {
	s := atRoot("Scatterv", root)
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		if isItems(err) {
			return c.raise(scattervItems(c, s, itemsOf(send), counts, displs, itemsOf(recv), root))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interScatterv(e, view(send), counts, displs, view(recv), root))
	}
	if c.rank != root {
		c.coll.signRooted(makeRootedSign(callScatterv, e.code, 0, root), 0)
		return c.leave(s, c.coll.takeOwn(view(recv), e.size, root))
	}
	b, out, class, text := shares(c, send, recv, counts, displs, scattering)
	if text != "" {
		return c.fail(s, class, "%s", text)
	}
	c.coll.signRooted(makeRootedSign(callScatterv, e.code, 0, root), 0)
	return c.leave(s, c.coll.giveAll(b, counts, displs, out, e.size))
}

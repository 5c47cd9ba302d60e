package mpi

// Gather collects the send buffers of all ranks, equally long, in rank order
// into recv of root, which must be Size times as long. recv is ignored on the
// other ranks. In place: root passes recv as send too.
//
// MPI 4.1, section 6.5.
func Gather[T any](c *Comm, send, recv []T, root int) error {
	s := atRoot("Gather", root)
	if err := c.enter(s, elemFor[T](c)); err != nil {
		return err
	}
	b, out := view(send), view(recv)
	if c.rank != root {
		return c.leave(s, c.coll.group.Gather(b, nil, root))
	}
	switch {
	case sameStart(b, out) && len(recv)%c.size == 0:
		b = out
	case len(recv) != c.size*len(send):
		return c.fail(s, ErrCount, "recv has room for %d elements, %d ranks send %d each; make it %d",
			len(recv), c.size, len(send), c.size*len(send))
	}
	return c.leave(s, c.coll.group.Gather(b, out, root))
}

// Gatherv is Gather with a length for each rank: the counts[i] elements of
// rank i go to recv[displs[i]:] of root; with nil displs they lie one after
// the other. recv, counts and displs are ignored on the other ranks. In place:
// root passes recv as send too.
//
// MPI 4.1, section 6.5.
func Gatherv[T any](c *Comm, send, recv []T, counts, displs []int, root int) error {
	s := atRoot("Gatherv", root)
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		return err
	}
	b, out := view(send), view(recv)
	if c.rank != root {
		return c.leave(s, c.coll.group.Gatherv(b, nil, nil, nil, e.size, root))
	}
	if class, text := parts(c.size, len(recv), counts, displs); text != "" {
		return c.fail(s, class, "recv: %s", text)
	}
	if sameStart(b, out) {
		b = out
	} else if len(send) != counts[root] {
		return c.fail(s, ErrCount, "send has %d elements, counts[%d] is %d", len(send), root, counts[root])
	}
	return c.leave(s, c.coll.group.Gatherv(b, out, counts, displs, e.size, root))
}

// Allgather collects the send buffers of all ranks, equally long, in rank
// order into every rank's recv, which must be Size times as long. In place:
// pass recv as send too, with the own part in its place.
//
// MPI 4.1, section 6.7.
func Allgather[T any](c *Comm, send, recv []T) error {
	s := at("Allgather")
	if err := c.enter(s, elemFor[T](c)); err != nil {
		return err
	}
	b, out := view(send), view(recv)
	switch {
	case sameStart(b, out) && len(recv)%c.size == 0:
		b = out
	case len(recv) != c.size*len(send):
		return c.fail(s, ErrCount, "recv has room for %d elements, %d ranks send %d each; make it %d",
			len(recv), c.size, len(send), c.size*len(send))
	}
	return c.leave(s, c.coll.group.Allgather(b, out))
}

// Scatter cuts send of root into Size equal parts and gives part i to rank i
// in recv. send is ignored on the other ranks. In place: root passes send as
// recv too and keeps its part there.
//
// MPI 4.1, section 6.6.
func Scatter[T any](c *Comm, send, recv []T, root int) error {
	s := atRoot("Scatter", root)
	if err := c.enter(s, elemFor[T](c)); err != nil {
		return err
	}
	b, out := view(send), view(recv)
	if c.rank != root {
		return c.leave(s, c.coll.group.Scatter(nil, out, root))
	}
	switch {
	case sameStart(b, out) && len(send)%c.size == 0:
		out = b
	case len(send) != c.size*len(recv):
		return c.fail(s, ErrCount, "send has %d elements, %d ranks receive %d each; make it %d",
			len(send), c.size, len(recv), c.size*len(recv))
	}
	return c.leave(s, c.coll.group.Scatter(b, out, root))
}

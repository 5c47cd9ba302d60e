package mpi

// Alltoall sends part i of the Size equal parts of send to rank i, and receives the
// part that rank i sends to the caller into part i of recv. In place: pass recv as
// send.
//
// MPI 4.1, section 6.8.
func Alltoall[T any](c *Comm, send, recv []T) error {
	s := at("Alltoall")
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		if isItems(err) {
			return c.raise(alltoallItems(c, s, itemsOf(send), itemsOf(recv)))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interAlltoall(e, view(send), view(recv)))
	}
	b, out := view(send), view(recv)
	if sameStart(b, out) {
		send, b = recv, out
	}
	switch {
	case len(send) != len(recv):
		return c.fail(s, ErrCount, "send has %d elements and recv %d; they must be equally long", len(send), len(recv))
	case overlap(b, out) && !sameStart(b, out):
		return c.fail(s, ErrBuffer, overlapText)
	case len(recv)%c.size != 0:
		return c.fail(s, ErrCount, "%d elements cannot be cut into %d equal parts; use Alltoallv", len(recv), c.size)
	}
	c.coll.sign(makeSign(callAlltoall, e.code, 0), len(out))
	return c.leave(s, c.coll.alltoall(b, out))
}

// Alltoallv is Alltoall with a length and a displacement for each part: the caller
// sends scounts[i] elements from send[sdispls[i]:] to rank i, and receives rcounts[i]
// elements from it into recv[rdispls[i]:]. With nil displs the parts follow each other.
// send and recv may be parts of one slice, if no element is both sent and received.
// In place: pass recv as send; rcounts and rdispls then hold for both.
//
// MPI 4.1, section 6.8.
func Alltoallv[T any](c *Comm, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) error {
	return alltoallvAs(c, at("Alltoallv"), send, scounts, sdispls, recv, rcounts, rdispls)
}

// alltoallvAs is Alltoallv within the call at s.
func alltoallvAs[T any](c *Comm, s site, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) error {
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		if isItems(err) {
			return c.raise(alltoallvItems(c, s, itemsOf(send), scounts, sdispls, itemsOf(recv), rcounts, rdispls))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interAlltoallv(e, view(send), scounts, sdispls, view(recv), rcounts, rdispls))
	}
	b, out := view(send), view(recv)
	if class, text := c.coll.gathered.check(misplaced, c.size, len(recv), rcounts, rdispls, e.size); text != "" {
		return c.fail(s, class, "recv: %s", text)
	}
	if sameStart(b, out) || scounts == nil && len(send)+len(recv) == 0 {
		c.coll.sign(makeSign(callAlltoallv, e.code, 0), 0)
		c.coll.usesParts(out, &c.coll.gathered, true)
		return c.leave(s, c.coll.group.Alltoallv(out, rcounts, rdispls, out, rcounts, rdispls, e.size))
	}
	if class, text := c.coll.sent.check(misfit, c.size, len(send), scounts, sdispls, e.size); text != "" {
		return c.fail(s, class, "send: %s", text)
	}
	if text := mingledIn(e.size, b, scounts, sdispls, out, rcounts, rdispls, true); text != "" {
		return c.fail(s, ErrBuffer, "%s", text)
	}
	if scounts[c.rank] != rcounts[c.rank] {
		return c.fail(s, ErrCount, "the caller sends itself %d elements and expects %d; make scounts[%[3]d] and rcounts[%[3]d] equal", scounts[c.rank], rcounts[c.rank], c.rank)
	}
	c.coll.sign(makeSign(callAlltoallv, e.code, 0), 0)
	return c.leave(s, c.coll.alltoallv(b, scounts, sdispls, out, rcounts, rdispls, e.size))
}

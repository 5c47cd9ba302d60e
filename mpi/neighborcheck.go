package mpi

// In a checked job calls to neighbors are recorded among the other collective calls on
// their communicator, since all ranks make them in the same order (MPI 4.1, section 8.6):
// the call, and whether it blocks, is nonblocking or persistent. Types and lengths may
// differ from edge to edge, so the messages show these.

// enlist records the call at s, if the job is checked, and returns its number among the
// collective calls; else 0. In a checked job different calls do not match either: each has a number of its own in
// the tags of its messages, which count up from first, unless that is 0. Ranks in different calls then wait, and are told.
func (h *neighborCall) enlist(c *Comm, s site, first int) (turn uint32, err error) {
	k := &c.coll
	if k.history == nil {
		return 0, nil
	}
	if !k.mu.TryLock() {
		if err := k.await(c, s); err != nil {
			return 0, err
		}
	}
	defer k.mu.Unlock()
	if first > 0 {
		h.number = first + int(h.call-callNeighborAllgather)
	}
	switch {
	case k.history.told():
		return 0, c.told(s, k.history.verdict.Load())
	case c.state.Load() != commOpen: // freed, or a context has ended a call, so ranks do not agree which call comes next
		return 0, c.check(s)
	}
	k.begin(s.call, c.whole)
	k.sign(makeSign(h.call, 0, 0), 0)
	return k.history.lastCall(), nil
}

// overruled is judged of a call that does not block, which does not wait for a verdict.
func (c *Comm) overruled(s site, err error) error {
	if h := c.coll.history; err != nil && h.told() {
		return c.told(s, h.verdict.Load())
	}
	return err
}

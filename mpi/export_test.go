package mpi

import "rhinet/collectives"

// Codes returns how many codes of barrier controllers this rank has executed for c.
func Codes(c *Comm) int {
	if c.coll.barriers == nil {
		return 0
	}
	return int(c.coll.barriers.last())
}

// CollectiveTransport returns the transport of collective calls of c.
func CollectiveTransport(c *Comm) collectives.Transport {
	if c.coll.x != nil {
		return c.coll.x
	}
	return c.coll.t
}

// TakesForDead reports whether c's process has been told that a rank of the world has ended.
func TakesForDead(c *Comm, rank int) bool { return c.w.failures.isDead(rank) }

// LabelOf returns the name of waits for r in reports, if it is not that of the call.
func LabelOf(r *Request) string { return r.active().Label }

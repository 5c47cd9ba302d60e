package mpi

import "rhinet/collectives"

// CollectiveTransport is what carries the collective calls of c.
func CollectiveTransport(c *Comm) collectives.Transport {
	if c.coll.x != nil {
		return c.coll.x
	}
	return c.coll.t
}

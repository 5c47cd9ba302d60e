package mpi

// A topology describes which ranks of a communicator exchange messages.
type topology interface {
	kind() Topology
	// neighbors returns the edges at a rank, in order.
	neighbors(rank int) (in, out []edge)
}

// An edge leads to a neighbor, or to ProcNull. Edges between two ranks match by tag,
// and in order among those with one tag.
type edge struct{ peer, tag int }

// A Topology is a kind of virtual topology.
//
// MPI 4.1, section 8.5.5.
type Topology uint8

// The kinds of topologies.
const (
	NoTopology Topology = iota // MPI_UNDEFINED
	Cartesian
	Graph
	DistGraph
)

// Topology returns the kind of topology of c.
//
// MPI 4.1, section 8.5.5 (MPI_Topo_test).
func (c *Comm) Topology() (_ Topology, err error) {
	defer c.raised(&err)
	if err := c.check(at("Topology")); err != nil || c.topo == nil {
		return NoTopology, err
	}
	return c.topo.kind(), nil
}

// topologyOf returns the topology of c, which must be a T.
func topologyOf[T topology](c *Comm, s site, maker string) (T, error) {
	var none T
	if err := c.check(s); err != nil {
		return none, err
	}
	t, ok := c.topo.(T)
	if !ok {
		return none, c.errorAt(s, ErrTopology, "the communicator has no such topology; make one with %s", maker)
	}
	return t, nil
}

// shaped returns a communicator of the ranks of c below size, with a topology; the
// other ranks get nil. same is the hash of what all ranks must pass alike.
func (c *Comm) shaped(s site, size int, how string, t topology, same uint32) (*Comm, error) {
	color := 0
	if c.rank >= size {
		color = Undefined
	}
	return c.divideAs(s, cut{color: color, key: c.rank, how: how, same: same}, t)
}

// divideAs is divide for a communicator with a topology.
func (c *Comm) divideAs(s site, how cut, t topology) (*Comm, error) {
	made, err := c.divide(s, how)
	if made != nil {
		made.topo = t
	}
	return made, err
}

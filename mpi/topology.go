package mpi

// A topology is what a communicator knows of who exchanges with whom.
type topology interface {
	kind() Topology
	// neighbors are the edges at a rank, in their order.
	neighbors(rank int) (in, out []edge)
}

// An edge leads to a neighbor, or to ProcNull. Between two ranks, edges meet
// that have one tag, in their order.
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

// Topology returns which kind of topology c has.
//
// MPI 4.1, section 8.5.5 (MPI_Topo_test).
func (c *Comm) Topology() (_ Topology, err error) {
	defer c.raised(&err)
	if err := c.check(at("Topology")); err != nil || c.topo == nil {
		return NoTopology, err
	}
	return c.topo.kind(), nil
}

// topologyOf is the topology of c, which must be a T.
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

// shaped is the communicator of the ranks of c below size, with a topology; the
// others get nil.
func (c *Comm) shaped(s site, size int, how string, t topology) (*Comm, error) {
	color := 0
	if c.rank >= size {
		color = Undefined
	}
	made, err := c.split(s, color, c.rank, how)
	if made != nil {
		made.topo = t
	}
	return made, err
}

package mpi

// A topology is what a communicator knows of who exchanges with whom.
type topology interface {
	kind() Topology
}

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

package timed

import (
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/medium"
)

// A Config is the configuration that the ranks of a job get.
type Config struct {
	Costs   medium.Costs
	Window  int     // maximum number of packets from one rank to another that the other has not taken
	Compute Compute // cost of computing
	Sets    int     // number of sets of ranks for which the network replicates and collects packets
	Codes   int     // number of sequences of codes of its barrier controllers

	// Lax makes the service not wait for running ranks: posted packets are sent at once, in the
	// order of calls. It is for tests that drive several ranks from one goroutine.
	Lax bool
}

// A Compute is the cost of a rank's own computing.
type Compute struct {
	Kind   string             // None, Measured or Counted
	Factor float64            // Measured: virtual time for each second of processor time
	Rates  map[string]float64 // Counted: operations a second, by kind
}

// Kinds of Compute.
const (
	None     = "none"     // nothing
	Measured = "measured" // the processor time of the process, scaled
	Counted  = "counted"  // what the program declares
)

// DefaultWindow is the maximum number of packets from one rank to another that are in flight or not
// yet taken.
const DefaultWindow = 64

// MaxPacket is the largest payload of a packet, in bytes.
const MaxPacket = 16 << 10

// Geometry returns the geometry of a job in virtual time: that of g with a mailbox for each rank in
// place of the rings.
func Geometry(g fabric.Geometry) fabric.Geometry {
	g.Rings, g.Ring.Slots, g.Ring.Bytes, g.Ring.Spread = 1, 2, ringBytes, false
	g.Shared.Lines, g.FlagArrays = 64, 0
	return g
}

// ringBytes is the power of two that is large enough for a mailbox.
const ringBytes = 256 << 10

package timed

import (
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/medium"
)

// A Config is what the ranks of a job are told.
type Config struct {
	Costs   medium.Costs
	Window  int     // packets from one rank to another that the other has not taken
	Compute Compute // what computing costs
	Sets    int     // sets of ranks that the network multiplies packets to, and meets packets of
	Codes   int     // sequences of codes that its barrier controllers keep

	// Lax has the service not wait for ranks that run: what has been posted happens at
	// once, in the order of calls. It is for tests that drive several ranks by one
	// goroutine.
	Lax bool
}

// A Compute says what a rank's own computing costs.
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

// DefaultWindow is how many packets a rank may have under way to another one,
// those included that the other has not looked at.
const DefaultWindow = 64

// MaxPacket is the most payload of a packet, in bytes.
const MaxPacket = 16 << 10

// Geometry returns the memory of a job in virtual time: g without its rings, in whose
// place each rank has a mailbox.
func Geometry(g fabric.Geometry) fabric.Geometry {
	g.Rings, g.Ring.Slots, g.Ring.Bytes, g.Ring.Spread = 1, 2, ringBytes, false
	g.Shared.Lines, g.Boards = 64, 0
	return g
}

// ringBytes is the power of two that holds a mailbox.
const ringBytes = 256 << 10

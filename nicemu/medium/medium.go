// Package medium says what a modelled network is to programs in virtual time: it
// carries packets between ranks, and says when they arrive.
package medium

import (
	"math/bits"

	"rhinet/nicemu/vtime"
)

// A Model is a network of ranks on a kernel of events. All randomness and order
// in it come from its parameters and the kernel.
type Model interface {
	// Send starts a packet of so many bytes at the present, and has
	// to.Act(op, arg) called when its last byte is at dst. Packets from one rank to
	// another arrive in the order of their sending. src may be dst.
	Send(src, dst, bytes int, to vtime.Actor, op int, arg uint64)
	// Lookahead is the least time from Send to the arrival, more than 0. The larger it
	// is, the more ranks may run at once.
	Lookahead() vtime.Time
	// Costs are those of the processors of ranks.
	Costs() Costs
	// Links tells how much of the time until end each link was in use.
	Links(end vtime.Time) []Link
}

// Costs are what a processor pays for the network.
type Costs struct {
	Overhead vtime.Time // of a packet sent or received, or a transfer of remote memory begun
	PerByte  Rate       // beside it, for each byte of such a packet
	Poll     vtime.Time // of a look that finds nothing, in a call that does not wait
	Eager    int        // bytes of a message up to which it travels as one packet
}

// Packet returns what a packet of so many bytes costs on one side.
func (c *Costs) Packet(bytes int) vtime.Time { return c.Overhead + c.PerByte.Time(bytes) }

// A Link is a link, or another part of a network that one packet has at a time.
type Link struct {
	Name string  `json:"name"`
	Used float64 `json:"utilisation"` // 0 to 1
}

// A Rate is a time for each byte in femtoseconds: a whole number, so that
// products are the same on every machine. It is at most 1,000 ns, so that a TiB
// takes days and not more than there are.
type Rate int64

// PerByte returns the rate of ns nanoseconds a byte, to the nearest femtosecond.
func PerByte(ns float64) Rate { return Rate(ns*1e6 + 0.5) }

// Time returns the time of so many bytes, to the nearest picosecond.
func (r Rate) Time(bytes int) vtime.Time {
	high, low := bits.Mul64(uint64(bytes), uint64(r))
	low, carry := bits.Add64(low, 500, 0)
	ps, _ := bits.Div64(high+carry, low, 1000)
	return vtime.Time(ps)
}

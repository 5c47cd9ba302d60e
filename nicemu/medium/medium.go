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

// A Mover is a model whose transfers of remote memory are not made of packets:
// it has to.Act(op, arg) called at src when all is over.
type Mover interface {
	Pull(src, dst, bytes int, to vtime.Actor, op int, arg uint64) // from dst's memory to src's
	Push(src, dst, bytes int, to vtime.Actor, op int, arg uint64) // from src's memory to dst's
}

// A Keeper is a model in which packets take room at their receiver.
type Keeper interface {
	// Taken says that dst has taken the oldest packet that has arrived from src.
	Taken(src, dst int)
	// Left says that a rank takes nothing any more: what has come and will come to it
	// takes no room.
	Left(rank int)
}

// A Pacer is a model that says itself when a rank may give it the next packet. Others
// take any number of them; then ranks wait for each other's progress.
type Pacer interface {
	// Pace has free called, as an event of the kernel, for each packet from src to dst
	// of which src has nothing more to do. It returns how many a rank may give for
	// each other one before that.
	Pace(free func(src, dst int)) (window int)
}

// A Switch is a model whose network multiplies packets to a set of ranks, and meets packets of all its members. Members
// are bits, by rank. Those who use a number at the same time mean one set by it.
type Switch interface {
	// Sets returns how many sets there may be at a time, 0 if the network has none for its ranks.
	Sets() int
	// Multicast starts a packet of so many bytes to each member of a set, src too, and has to.Act(op, AtMember(member, arg)) called
	// for each when its last byte is there.
	Multicast(src, set int, members uint64, bytes int, to vtime.Actor, op int, arg uint32)
	// Meet says that src has come. When all members have, to.Act(op, AtMember(member, set)) is called for each as it learns
	// of that, and not before what they have multicast until they came is there.
	Meet(src, set int, members uint64, to vtime.Actor, op int)
}

// A Controller is a model whose network has barrier controllers: logic that keeps the order in which some ranks
// synchronize (sync-controller, section 7). A rank's next code in a sequence may be passed when all members have
// executed those before.
type Controller interface {
	// Sequences returns how many independent sequences there are, 0 if the network has none for its ranks.
	Sequences() int
	// Code has src execute its next code in a sequence of members, which are bits by rank, that begins at base, and has
	// to.Act(op, AtMember(src, arg)) called when src learns that it is passed. It waits for one at a time in a sequence.
	Code(src, sequence int, members, base uint64, to vtime.Actor, op int, arg uint32)
}

// AtMember is the argument of what happens at a member of a set, and OfMember its inverse.
func AtMember(member int, arg uint32) uint64 { return uint64(member)<<32 | uint64(arg) }

// OfMember is the inverse of AtMember.
func OfMember(arg uint64) (member int, of uint32) { return int(arg >> 32), uint32(arg) }

// A Counter is a model that knows what its links have carried.
type Counter interface {
	// Carried returns packets, and bytes of payload in them.
	Carried() (packets, bytes uint64)
}

// Costs are what a processor pays for the network.
type Costs struct {
	Send     Cost       // before a packet begins, at its sender
	Post     vtime.Time // after that: the sender's processor has begun it and is not free yet
	Receive  Cost       // at its receiver
	Transfer vtime.Time // of a transfer of remote memory begun
	Code     vtime.Time // of a code of a [Controller] executed; what it takes to learn that it is passed is the model's
	Poll     vtime.Time // of a look that finds nothing, in a call that does not wait
	Packet   int        // most payload of a packet, in bytes
	Eager    int        // bytes of a message up to which it travels before it has been asked for
	Remote   bool       // there are transfers of remote memory
}

// A Cost is what a packet costs on one side.
type Cost struct {
	Message vtime.Time // of the first packet of a message, beside what follows; a receiver that waits spends it meanwhile
	Packet  vtime.Time // of each
	PerByte Rate
	Short   int        // bytes of a packet beyond which it
	Long    vtime.Time // costs so much more
}

// Of returns the cost of a packet of so many bytes; further ones go on with a message.
func (c *Cost) Of(bytes int, further bool) vtime.Time {
	t := c.Packet + c.PerByte.Time(bytes)
	if !further {
		t += c.Message
	}
	if bytes > c.Short {
		t += c.Long
	}
	return t
}

// A Link is a link, or another part of a network that one packet has at a time.
type Link struct {
	Name string  `json:"name"`
	Used float64 `json:"utilisation"` // 0 to 1
}

// A Stage is a link, or another part of a network that one packet has at a time, in the order in which they ask. Traces
// show it by the name of Source, unless that is zero.
type Stage struct {
	Source      vtime.Source
	until, used vtime.Time
}

// Take returns when a packet has the stage that it wants from a moment on, for so long.
func (s *Stage) Take(from, long vtime.Time) (begin vtime.Time) {
	begin = max(from, s.until)
	s.until = begin + long
	s.used += long
	s.Source.Busy(begin, s.until)
	return begin
}

// Utilisation returns the part of the time up to end in which packets had it, 0 to 1.
func (s *Stage) Utilisation(end vtime.Time) float64 {
	return min(1, float64(s.used)/float64(max(end, 1)))
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

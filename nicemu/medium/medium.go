// Package medium is the interface of a modelled network to programs in virtual time: it carries
// packets between ranks, and says when they arrive.
package medium

import (
	"math/bits"

	"rhinet/nicemu/vtime"
)

// A Model is a network of ranks on a kernel of events. It is deterministic: random numbers and
// order depend only on its parameters and the kernel.
type Model interface {
	// Send starts a packet of the given number of bytes now, and has to.Act(op, arg) called when
	// its last byte is at dst. Packets from one rank to another arrive in the order in which they
	// were sent. src may be dst.
	Send(src, dst, bytes int, to vtime.Actor, op int, arg uint64)
	// Lookahead is the least time between Send and the arrival, more than 0. The larger it is, the
	// more ranks can run concurrently.
	Lookahead() vtime.Time
	// Costs returns the costs for the processors of ranks.
	Costs() Costs
	// Links returns for what part of the time until end each link was in use.
	Links(end vtime.Time) []Link
}

// A Mover is a model whose transfers of remote memory do not consist of packets: it has to.Act(op,
// arg) called at src when the transfer is complete.
type Mover interface {
	Pull(src, dst, bytes int, to vtime.Actor, op int, arg uint64) // from dst's memory to src's
	Push(src, dst, bytes int, to vtime.Actor, op int, arg uint64) // from src's memory to dst's
}

// A Keeper is a model in which packets occupy memory at their receiver.
type Keeper interface {
	// Taken says that dst has taken the oldest packet that has arrived from src.
	Taken(src, dst int)
	// Left says that a rank takes no more packets: those that have arrived and will arrive there
	// occupy no memory.
	Left(rank int)
}

// A Pacer is a model that says when a rank may hand it the next packet. Other models accept any
// number; with a Pacer, ranks wait for each other's progress.
type Pacer interface {
	// Pace has free called, as an event of the kernel, for each packet from src to dst with which
	// src is done. It returns how many packets a rank may hand over for each other rank before
	// that.
	Pace(free func(src, dst int)) (window int)
}

// A Switch is a model whose network replicates packets to a set of ranks, and synchronizes the
// members of a set. Members are bits, by rank. Ranks that use the same set number at the same time
// mean the same set.
type Switch interface {
	// Sets returns how many sets there may be at a time, 0 if the network has none for its ranks.
	Sets() int
	// Multicast starts a packet of the given number of bytes to each member of a set, including
	// src, and has to.Act(op, AtMember(member, arg)) called for each when its last byte has arrived
	// there.
	Multicast(src, set int, members uint64, bytes int, to vtime.Actor, op int, arg uint32)
	// Meet says that src has arrived. When all members have, to.Act(op, AtMember(member, set)) is
	// called for each as it learns of that, but not before the multicasts that members sent before
	// they arrived are there.
	Meet(src, set int, members uint64, to vtime.Actor, op int)
}

// A Controller is a model whose network has barrier controllers: logic that keeps the order in
// which some ranks synchronize (sync-controller, section 7). A rank may pass its next code in a
// sequence when all members have executed the earlier ones.
type Controller interface {
	// Sequences returns how many independent sequences there are, 0 if the network has none for its
	// ranks.
	Sequences() int
	// Code has src execute its next code in a sequence of members, which are bits by rank, that
	// begins at base, and has to.Act(op, AtMember(src, arg)) called when src learns that the code
	// is passed. A rank waits for one code at a time in a sequence.
	Code(src, sequence int, members, base uint64, to vtime.Actor, op int, arg uint32)
}

// AtMember packs the argument of an event at a member of a set; OfMember unpacks it.
func AtMember(member int, arg uint32) uint64 { return uint64(member)<<32 | uint64(arg) }

// OfMember is the inverse of AtMember.
func OfMember(arg uint64) (member int, of uint32) { return int(arg >> 32), uint32(arg) }

// A Counter is a model that counts what its links have carried.
type Counter interface {
	// Carried returns the number of packets, and of bytes of payload in them.
	Carried() (packets, bytes uint64)
}

// Costs are what a processor spends on the network.
type Costs struct {
	Send     Cost       // before a packet begins, at its sender
	Post     vtime.Time // after that: the sender's processor has started the packet and is not free yet
	Receive  Cost       // at its receiver
	Transfer vtime.Time // to start a transfer of remote memory
	Code     vtime.Time // to execute a code of a [Controller]; the model adds the time to learn that it is passed
	Poll     vtime.Time // of a poll that finds nothing, in a call that does not wait
	Packet   int        // largest payload of a packet, in bytes
	Eager    int        // largest message that travels before its receiver has asked for it, in bytes
	Remote   bool       // there are transfers of remote memory
}

// A Cost is what a packet costs on one side.
type Cost struct {
	Message vtime.Time // for the first packet of a message, besides the other parts; a receiver spends it while it waits
	Packet  vtime.Time // for each packet
	PerByte Rate
	Short   int        // bytes; a packet that is longer
	Long    vtime.Time // costs this much more
}

// Of returns the cost of a packet of the given number of bytes; further says that it is not the
// first of its message.
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

// A Link is a link, or another part of a network that carries one packet at a time.
type Link struct {
	Name string  `json:"name"`
	Used float64 `json:"utilisation"` // 0 to 1
}

// A Stage is a link, or another part of a network that carries one packet at a time, in the order
// of requests. Traces show it by the name of Source, unless that is zero.
type Stage struct {
	Source      vtime.Source
	until, used vtime.Time
}

// Take returns when a packet gets the stage that it requests at time from for the duration long.
func (s *Stage) Take(from, long vtime.Time) (begin vtime.Time) {
	begin = max(from, s.until)
	s.until = begin + long
	s.used += long
	s.Source.Busy(begin, s.until)
	return begin
}

// Utilisation returns the fraction of the time up to end in which the stage was in use, 0 to 1.
func (s *Stage) Utilisation(end vtime.Time) float64 {
	return min(1, float64(s.used)/float64(max(end, 1)))
}

// A Rate is a time for each byte in femtoseconds: an integer, so that products are the same on
// every machine. It is at most 1,000 ns, so that the time for a TiB does not overflow.
type Rate int64

// PerByte returns the rate of ns nanoseconds a byte, to the nearest femtosecond.
func PerByte(ns float64) Rate { return Rate(ns*1e6 + 0.5) }

// Time returns the time for the given number of bytes, to the nearest picosecond.
func (r Rate) Time(bytes int) vtime.Time {
	high, low := bits.Mul64(uint64(bytes), uint64(r))
	low, carry := bits.Add64(low, 500, 0)
	ps, _ := bits.Div64(high+carry, low, 1000)
	return vtime.Time(ps)
}

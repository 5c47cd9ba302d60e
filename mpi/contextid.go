package mpi

import (
	"math/bits"
	"sync"

	"rhinet/llc"
	"rhinet/llc/wire"
)

// A contextID names a communicator at one of its ranks: a number that no other
// communicator of that rank has, and how often the number was used before. Each rank
// chooses its own, so that making a communicator waits only for the ranks of its
// parent; the other ranks address their messages with it. The two transport contexts of
// a number are the even one for point-to-point and the odd one for collective messages.
//
//	31          12 11       0
//	| generation  | number   |
//
// A point-to-point message carries the generation in the upper bits of its type, a
// collective one in those of its tag, so that a message that a freed communicator left
// in flight never matches in the next communicator of that number.
type contextID uint32

// worldID is the context of the world, on every rank.
const worldID contextID = 0

// noID says that a rank has no free number.
const noID = ^contextID(0)

// maxContexts is how many communicators a rank can be in at once. The number of an ID is
// as wide as the class of elements in the type of a message: see stamp.
const maxContexts = wire.TypeMask + 1

func (id contextID) number() uint16       { return uint16(id % maxContexts) }
func (id contextID) pointToPoint() uint16 { return id.number() << 1 }
func (id contextID) collective() uint16   { return id.number()<<1 | 1 }

// stamp is what the types of point-to-point messages have above the class of
// their elements.
func (id contextID) stamp() uint32 { return uint32(id) &^ (maxContexts - 1) }

// key is that of point-to-point messages of bytes.
func (id contextID) key() llc.Key { return llc.MakeKey(id.pointToPoint(), id.stamp()) }

// tag is a tag of collective messages with the generation above it.
func (id contextID) tag(tag int) int {
	const generations = 1 << (31 - tagBits)
	return int(uint32(id)/maxContexts%generations)<<tagBits | tag
}

// tagBits is the width of a tag of a collective call (see collectives.MaxTag), or, with
// groupTag, of a call of only some ranks of a communicator.
const (
	tagBits  = 16
	groupTag = 1 << 15
	// neighborTag distinguishes neighborhood calls among these.
	neighborTag = 1 << 14
)

// Contexts that belong to no communicator.
const (
	matchedContext     = 2*maxContexts + iota // of messages that a probe has matched
	groupContext                              // of processes of a group that have no communicator yet
	noticeContext                             // what ranks tell each other about the deaths of others
	lastContext                               // the last message of a rank to each other one: see drainMessages
	arbiterContext                            // what ranks tell each other about collective calls: see arbiter
	partitionContext                          // answers to offers of partitioned messages, and partitions
	partitionedContext                        // offers on the world; those on other communicators follow
)

// A flagArraySlot is the flag array of a communicator and its sequence at the barrier
// controllers, as far as the network has these, or noFlagArray.
type flagArraySlot int

const noFlagArray flagArraySlot = -1

// maxFlagArrayRanks is the largest communicator that gets a flag array: in an exchange
// each rank reads the flags of all. Protocol constant.
const maxFlagArrayRanks = 64

// An idSpace records which contexts and flag arrays a rank has free.
type idSpace struct {
	mu         sync.Mutex
	used       [maxContexts / 64]uint64
	uses       [maxContexts]uint32 // of each number, so far
	last       int                 // last number handed out: the search starts after it
	flagArrays uint64              // free
	offered    uint64              // of these, offered to communicators in the making
	seq        uint64              // highest sequence number used on any flag array
}

// init readies it for so many flag arrays.
func (s *idSpace) init(flagArrays int) { s.flagArrays = 1<<min(flagArrays, 63) - 1 }

// slotsOf returns how many flag arrays a transport has, or, if none, how many sequences
// of barrier controllers.
func slotsOf(t Transport) int {
	if b := t.FlagArray(); b != nil {
		return b.FlagArrays()
	}
	return t.Sequences()
}

// first takes the context of the world, which no other communicator gets, and its flag
// array if its ranks may have one.
func (s *idSpace) first(size int, may bool) flagArraySlot {
	s.used[0] = 1
	if s.flagArrays&1 == 0 || !may || size < 2 || size > maxFlagArrayRanks {
		return noFlagArray
	}
	s.flagArrays &^= 1
	return 0
}

// take returns a context that no other communicator has, or noID.
func (s *idSpace) take() contextID {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := (s.last + 1) % maxContexts
	at, mask := from/64, ^uint64(0)<<(from%64)
	for range len(s.used) + 1 {
		if free := ^s.used[at] & mask; free != 0 {
			s.last = at*64 + bits.TrailingZeros64(free)
			s.used[at] |= free & -free
			return contextID(s.uses[s.last])*maxContexts | contextID(s.last)
		}
		at, mask = (at+1)%len(s.used), ^uint64(0)
	}
	return noID
}

// give returns a context.
func (s *idSpace) give(id contextID) {
	n := id.number()
	s.mu.Lock()
	s.uses[n]++
	s.used[n/64] &^= 1 << (n % 64)
	s.mu.Unlock()
}

// offer returns flag arrays that a new communicator may have, and the highest sequence
// number in use. It offers half of the free ones: other communicators may be in the
// making.
func (s *idSpace) offer() (flagArrays, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.flagArrays &^ s.offered
	for n := (bits.OnesCount64(left) + 1) / 2; n > 0; n-- {
		flagArrays |= left & -left
		left &= left - 1
	}
	s.offered |= flagArrays
	return flagArrays, s.seq
}

// settle ends an offer, of which one flag array was taken, or none.
func (s *idSpace) settle(offered uint64, taken flagArraySlot) {
	s.mu.Lock()
	s.offered &^= offered
	if taken != noFlagArray {
		s.flagArrays &^= 1 << taken
	}
	s.mu.Unlock()
}

// giveFlagArray returns a flag array that was used up to seq.
func (s *idSpace) giveFlagArray(b flagArraySlot, seq uint64) {
	s.mu.Lock()
	s.flagArrays |= 1 << b
	s.seq = max(s.seq, seq)
	s.mu.Unlock()
}

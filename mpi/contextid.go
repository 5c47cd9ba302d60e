package mpi

import (
	"math/bits"
	"sync"

	"rhinet/llc"
	"rhinet/llc/wire"
)

// A contextID names a communicator at one of its ranks: a number that no other
// communicator of that rank has, and how often the number was used before. Each
// rank chooses its own, so that making a communicator waits for nothing but the
// ranks of its parent; the others address their messages with it. The two
// transport contexts of a number are the even one for point-to-point and the odd
// one for collective messages.
//
//	31          12 11       0
//	| generation  | number   |
//
// A point-to-point message carries the generation in the upper bits of its type,
// a collective one in those of its tag, so that what a freed communicator has
// left under way never meets the next one of that number.
type contextID uint32

// worldID is the context of the world, on every rank.
const worldID contextID = 0

// noID says that a rank has no number left.
const noID = ^contextID(0)

// maxContexts is how many communicators a rank can be in at once. Its bits and
// the type's are the same ones: see key.
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

// tagBits holds a tag of a collective call (see collectives.MaxTag), or, with
// groupTag, that of a call of some ranks of a communicator only.
const (
	tagBits  = 16
	groupTag = 1 << 15
	// neighborTag tells those of neighborhood calls apart among these.
	neighborTag = 1 << 14
)

// Contexts that are no communicator's.
const (
	matchedContext     = 2*maxContexts + iota // where messages wait that a probe has matched
	groupContext                              // where processes of a group meet that have no communicator yet
	noticeContext                             // what ranks tell each other about the deaths of others
	lastContext                               // what a rank sends last to others: see seeOff
	courtContext                              // what ranks tell each other about collective calls: see court
	partitionContext                          // answers to offers of partitioned messages, and partitions
	partitionedContext                        // offers on the world; behind it those on other communicators
)

// A boardSlot is the flag board of a communicator and its sequence of the barrier controllers, as far as the network has these, or
// noBoard.
type boardSlot int

const noBoard boardSlot = -1

// maxBoardRanks is the largest communicator that gets a flag board: in an
// exchange each rank looks at the flags of all. Protocol constant.
const maxBoardRanks = 64

// An idSpace knows which contexts and boards a rank has free.
type idSpace struct {
	mu      sync.Mutex
	used    [maxContexts / 64]uint64
	uses    [maxContexts]uint32 // of each number, so far
	last    int                 // number handed out last: the search goes on behind it
	boards  uint64              // free
	offered uint64              // of these, offered to communicators in the making
	seq     uint64              // highest sequence number used on any board
}

// init readies it for so many boards.
func (s *idSpace) init(boards int) { s.boards = 1<<min(boards, 63) - 1 }

// slotsOf returns how many boards a transport has, or, if it has none, sequences of barrier controllers.
func slotsOf(t Transport) int {
	if b := t.Board(); b != nil {
		return b.Boards()
	}
	return t.Sequences()
}

// first takes the context of the world, which nothing else gets, and its board, if
// its ranks may have one.
func (s *idSpace) first(size int, may bool) boardSlot {
	s.used[0] = 1
	if s.boards&1 == 0 || !may || size < 2 || size > maxBoardRanks {
		return noBoard
	}
	s.boards &^= 1
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

// offer returns boards that a new communicator may have, and the highest
// sequence number in use. It offers half of those that are left: others may be
// in the making.
func (s *idSpace) offer() (boards, seq uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.boards &^ s.offered
	for n := (bits.OnesCount64(left) + 1) / 2; n > 0; n-- {
		boards |= left & -left
		left &= left - 1
	}
	s.offered |= boards
	return boards, s.seq
}

// settle ends an offer, of which one board was taken, or none.
func (s *idSpace) settle(offered uint64, taken boardSlot) {
	s.mu.Lock()
	s.offered &^= offered
	if taken != noBoard {
		s.boards &^= 1 << taken
	}
	s.mu.Unlock()
}

// giveBoard returns a board that was used up to seq.
func (s *idSpace) giveBoard(b boardSlot, seq uint64) {
	s.mu.Lock()
	s.boards |= 1 << b
	s.seq = max(s.seq, seq)
	s.mu.Unlock()
}

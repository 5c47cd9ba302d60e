package mpi

import (
	"math/bits"
	"sync"

	"rhinet/llc/ir"
)

// A contextID names the messages of one communicator: all its members agree on
// it, and each member uses it for nothing else. Its two transport contexts are
// the even one for point-to-point and the odd one for collective messages.
type contextID uint16

// worldID is the context of the world.
const worldID contextID = 0

func (id contextID) pointToPoint() uint16 { return uint16(id) << 1 }
func (id contextID) collective() uint16   { return uint16(id)<<1 | 1 }

// A boardSlot is the flag board of a communicator, or noBoard.
type boardSlot int

const noBoard boardSlot = -1

// maxBoardRanks is the largest communicator that gets a flag board: in an
// exchange each rank looks at the flags of all. Protocol constant.
const maxBoardRanks = 64

// apart is how far apart the children of communicators that were made one after
// the other look for a free context, so that they seldom want the same.
const apart = 61

// maxContexts is how many communicators a rank can be in at once, a multiple
// of 64. Protocol constant: all ranks of a job must use the same.
const maxContexts = 4096

// A proposal is what one rank puts into the agreement on a new communicator:
// the bits of all ranks are combined with BAnd.
type proposal [2 + maxContexts/64]uint64

// The words of a proposal.
const (
	honest  = iota // 1 if the other words count: see idSpace.propose
	boards         // free flag boards
	idWords        // free contexts from here on
)

// An idSpace knows which contexts and boards a rank has free.
type idSpace struct {
	mu       sync.Mutex
	free     [maxContexts / 64]uint64
	boards   uint64
	seqs     [64]uint64  // highest sequence number used on each board
	waiting  []contextID // parents that are agreeing on a new communicator
	proposed bool        // one of them has the free bits in its proposal
}

func (s *idSpace) init(b ir.Board) {
	for i := range s.free {
		s.free[i] = ^uint64(0)
	}
	if b != nil {
		s.boards = 1<<min(b.Boards(), 63) - 1
	}
}

// first takes the context of the world.
func (s *idSpace) first(size int) (contextID, boardSlot) {
	s.take(worldID)
	if s.boards&1 == 0 || size < 2 || size > maxBoardRanks {
		return worldID, noBoard
	}
	s.takeBoard(0)
	return worldID, 0
}

// join says that a communicator is being made of parent.
func (s *idSpace) join(parent contextID) {
	s.mu.Lock()
	s.waiting = append(s.waiting, parent)
	s.mu.Unlock()
}

// quit is the end of join.
func (s *idSpace) quit(parent contextID) {
	s.mu.Lock()
	for i, id := range s.waiting {
		if id == parent {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			break
		}
	}
	s.mu.Unlock()
}

// propose fills p with what is free, or with nothing if another goroutine of
// this rank is agreeing on a communicator: two agreements could pick the same
// context. The parent with the lowest context goes first on every rank, so one
// of them always proceeds; the others repeat.
func (s *idSpace) propose(parent contextID, p *proposal) bool {
	*p = proposal{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.waiting {
		if id < parent {
			return false
		}
	}
	if s.proposed {
		return false
	}
	s.proposed = true
	p[honest], p[boards] = 1, s.boards
	copy(p[idWords:], s.free[:])
	return true
}

// retract is the end of propose.
func (s *idSpace) retract() {
	s.mu.Lock()
	s.proposed = false
	s.mu.Unlock()
}

// first is the first context from from on, in a circle, that the combined
// proposals leave, if any.
func (p *proposal) first(from contextID) (contextID, bool) {
	const words = maxContexts / 64
	at := int(from) / 64 % words
	mask := ^uint64(0) << (from % 64)
	for range words + 1 {
		if w := p[idWords+at] & mask; w != 0 {
			return contextID(at*64 + bits.TrailingZeros64(w)), true
		}
		at, mask = (at+1)%words, ^uint64(0)
	}
	return 0, false
}

// board is the board that the combined proposals leave, or noBoard.
func (p *proposal) board() boardSlot {
	if p[boards] == 0 {
		return noBoard
	}
	return boardSlot(bits.TrailingZeros64(p[boards]))
}

func (s *idSpace) take(id contextID) {
	s.mu.Lock()
	s.free[id/64] &^= 1 << (id % 64)
	s.mu.Unlock()
}

func (s *idSpace) takeBoard(b boardSlot) {
	s.mu.Lock()
	s.boards &^= 1 << b
	s.mu.Unlock()
}

// lastSeq is the highest sequence number that this rank used on b.
func (s *idSpace) lastSeq(b boardSlot) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seqs[b]
}

// give returns a context, and a board that was used up to seq.
func (s *idSpace) give(id contextID, b boardSlot, seq uint64) {
	s.mu.Lock()
	s.free[id/64] |= 1 << (id % 64)
	if b != noBoard {
		s.boards |= 1 << b
		s.seqs[b] = max(s.seqs[b], seq)
	}
	s.mu.Unlock()
}

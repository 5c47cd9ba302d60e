package sync

import (
	"slices"
	"sync/atomic"

	"rhinet/nicemu/syncctl"
)

// Codes are the codes of one sequence that this node executes: its part in the barrier queue of some nodes
// (RBCQ-1; sync-controller, section 7). A synchronization has a place in the order of all of a sequence. Counter and BQ-Head of a node
// are not kept: they are the distance from the head, which is the least place that a node shows, to
// its own.
type Codes struct {
	nic     *NIC
	line    *[codeWords]uint64
	others  []*[codeWords]uint64
	base    uint64 // the first synchronization, in which all take part
	at      uint64 // of the code executed last, if one was
	next    uint64 // of the next code; ended if there is none
	met     int    // the others before this one are known to have come far enough
	waiting bool
}

// ended is the place of the next code of a node that executes none any more.
const ended = 1<<64 - 1

// mostSkip is the largest Set_d (sync-controller, section 7.4, and our choice there).
const mostSkip = 1<<16 - 1

// Codes opens a sequence in which members, in ascending order and this node among them, take part: all of them
// in the synchronization at place base, which is beyond all that the sequence was used for before.
func (n *NIC) Codes(sequence int, members []int, base uint64) (*Codes, error) {
	if n.closed {
		return nil, n.refuse("codes", n.rank, Closed)
	}
	if uint(sequence) >= Sequences {
		return nil, n.refuse("codes", n.rank, NoSequence)
	}
	c := &Codes{nic: n, line: n.own.codes(sequence), base: base, next: base}
	for i, m := range members {
		t, why := n.peer(m)
		if why == 0 && i > 0 && m <= members[i-1] {
			why = NoMember
		}
		if why != 0 {
			return nil, n.refuse("codes", min(max(m, 0), n.f.Ranks()-1), why)
		}
		if m != n.rank {
			c.others = append(c.others, t.codes(sequence))
		}
	}
	switch {
	case !slices.Contains(members, n.rank):
		return nil, n.refuse("codes", n.rank, NoMember)
	case base >= ended/2 || base <= c.line[codePlace]:
		return nil, n.refuse("codes", n.rank, PastPlace)
	}
	return c, nil
}

// Wait executes a code: it raises PE Wait with Set_d, which is one more than the synchronizations that this node
// skips before its next code, or [syncctl.Never]. mark is for the others to see (our choice: the datum that is
// written has room for it).
func (c *Codes) Wait(setD int, mark uint32) error {
	why := Reason(0)
	switch {
	case c.nic.closed:
		why = Closed
	case c.waiting:
		why = Waiting
	case c.next == ended:
		why = Ended
	case setD != syncctl.Never && (setD < 1 || setD > mostSkip):
		why = WrongSkip
	}
	if why != 0 {
		return c.nic.refuse("code", c.nic.rank, why)
	}
	c.at, c.next, c.met, c.waiting = c.next, c.next+uint64(setD), 0, true
	if setD == syncctl.Never {
		c.next = ended
	}
	atomic.StoreUint64(&c.line[codeMarks+c.at%codeKept], c.at<<32|uint64(mark))
	atomic.StoreUint64(&c.line[codePlace], c.next)
	return nil
}

// Go reports whether PE Go has come for the code executed last: no other node will execute one that comes before.
// Nobody needs to have executed one before the first.
func (c *Codes) Go() bool {
	if c.at != c.base {
		for ; c.met < len(c.others); c.met++ {
			if atomic.LoadUint64(&c.others[c.met][codePlace]) < c.at {
				return false
			}
		}
	}
	c.waiting = false
	return true
}

// Next returns the place of the own next code.
func (c *Codes) Next() uint64 { return c.next }

// Mark returns the mark of the code of another node, in the order of members without this one, at the place before that
// of the code executed last, if the node took part there and has not gone on by more than a few codes since.
func (c *Codes) Mark(other int) (mark uint32, ok bool) { return c.mark(other, c.at-1) }

// Ahead returns the mark of the code of another node, in the same order, at the place of the own next code, if the node
// has executed it already.
func (c *Codes) Ahead(other int) (mark uint32, ok bool) { return c.mark(other, c.next) }

// mark returns the mark of the code of another node at a place, if it is one of the latest that the node has executed.
func (c *Codes) mark(other int, place uint64) (mark uint32, ok bool) {
	if uint(other) >= uint(len(c.others)) {
		return 0, false
	}
	w := atomic.LoadUint64(&c.others[other][codeMarks+place%codeKept])
	return uint32(w), w>>32 == place&(1<<32-1)
}

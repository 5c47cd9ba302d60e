package sync

import (
	"slices"
	"sync/atomic"

	"rhinet/nicemu/syncctl"
)

// Codes are the codes of one sequence that this node executes: its part in the barrier queue of
// some nodes (RBCQ-1; sync-controller, section 7). Each synchronization has a place in the order of
// a sequence. Counter and BQ-Head of a node are not stored: Counter is the distance of the node's
// own place from the head, which is the lowest place that a node shows.
type Codes struct {
	nic     *NIC
	line    *[codeWords]uint64
	others  []*[codeWords]uint64
	base    uint64 // place of the first synchronization, in which all members take part
	at      uint64 // place of the last executed code, if there is one
	next    uint64 // place of the next code, or ended if there is none
	met     int    // others before this index are known to have reached the code
	waiting bool
}

// ended is the place of the next code of a node that executes no more codes.
const ended = 1<<64 - 1

// mostSkip is the largest Set_d (sync-controller, section 7.4, and our choice there).
const mostSkip = 1<<16 - 1

// Codes opens a sequence for members, which are in ascending order and include this node. All of
// them take part in the synchronization at place base, which is after all earlier uses of the
// sequence.
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

// Wait executes a code: it raises PE Wait with Set_d, which is one more than the number of
// synchronizations that this node skips before its next code, or [syncctl.Never]. The other nodes
// can read mark (our choice: the datum that is written has room for it).
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

// Go reports whether PE Go has come for the last executed code: no other node will execute a code
// with a lower place. The first code needs no other node.
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

// Next returns the place of this node's next code.
func (c *Codes) Next() uint64 { return c.next }

// Mark returns the mark of another node's code at the place before that of the last executed code,
// if the node took part there and has executed only a few codes since. other is an index of members
// without this node.
func (c *Codes) Mark(other int) (mark uint32, ok bool) { return c.mark(other, c.at-1) }

// Ahead returns the mark of another node's code at the place of this node's next code, if that node
// has already executed it. other is as for Mark.
func (c *Codes) Ahead(other int) (mark uint32, ok bool) { return c.mark(other, c.next) }

// mark returns the mark of another node's code at a place, if it is one of the node's latest codes.
func (c *Codes) mark(other int, place uint64) (mark uint32, ok bool) {
	if uint(other) >= uint(len(c.others)) {
		return 0, false
	}
	w := atomic.LoadUint64(&c.others[other][codeMarks+place%codeKept])
	return uint32(w), w>>32 == place&(1<<32-1)
}

package sync

import (
	"slices"

	"rhinet/llc/ir"
	"rhinet/nicemu/sync"
)

// Sequences returns how many independent sequences the barrier controllers keep.
func (t *Translator) Sequences() int { return sync.Sequences }

// Sequence opens a sequence.
func (t *Translator) Sequence(number int, peers []int, base uint64) (ir.Codes, error) {
	members := append(slices.Clone(peers), t.Self())
	slices.Sort(members)
	c, err := t.hardware.Codes(number, members, base)
	if err != nil {
		return nil, err
	}
	return &codes{c, t, slices.DeleteFunc(members, func(m int) bool { return m == t.Self() })}, nil
}

// codes are the codes of one sequence that this rank executes.
type codes struct {
	*sync.Codes
	t      *Translator
	others []int
}

// Code executes a code, and wakes the peers that sleep. If the NIC refuses, its tables are damaged: no peer
// can be reached any more.
func (c *codes) Code(mark uint32) {
	if err := c.Wait(1, mark); err != nil {
		c.t.LoseFrom(-1, err)
		return
	}
	for _, peer := range c.others {
		c.t.Wake(peer)
	}
}

// Mark returns the mark of a peer's code at the place before the code that this rank has executed last.
func (c *codes) Mark(peer int) (uint32, bool) { return c.Codes.Mark(c.place(peer)) }

// Ahead returns the mark of a peer's code at the place of this rank's next code.
func (c *codes) Ahead(peer int) (uint32, bool) { return c.Codes.Ahead(c.place(peer)) }

// place returns the index of a peer among the others.
func (c *codes) place(peer int) int {
	i, _ := slices.BinarySearch(c.others, peer)
	return i
}

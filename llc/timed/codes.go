package timed

import (
	"encoding/binary"
	"errors"
	"slices"

	"rhinet/llc/ir"
	"rhinet/nicemu/timed"
)

var _ ir.Controller = (*Translator)(nil)

// errNoSequence reports a sequence that the network's controllers do not have, or wrong members.
var errNoSequence = errors.New("llc/timed: no such sequence, or members that are none")

// Sequences returns how many sequences the network keeps.
func (t *Translator) Sequences() int { return len(t.codes) }

// Sequence opens a sequence.
func (t *Translator) Sequence(number int, peers []int, base uint64) (ir.Codes, error) {
	if uint(number) >= uint(len(t.codes)) || base == 0 {
		return nil, errNoSequence
	}
	c := &codes{t: t, number: number, base: base, next: base, ranks: append(slices.Clone(peers), t.Self())}
	slices.Sort(c.ranks)
	for _, r := range c.ranks {
		if uint(r) >= uint(t.Peers()) || c.members>>r&1 != 0 {
			return nil, errNoSequence
		}
		c.members |= 1 << r
	}
	t.codes[number] = c
	return c, nil
}

// codes are the codes of one sequence that this rank executes.
type codes struct {
	t             *Translator
	number        int
	ranks         []int
	members, base uint64
	next          uint64
	passed        bool
	marks         []uint32 // of the ranks, at the place before the code that was passed last
}

// Code executes a code. Sleeping peers wake when the model says so.
func (c *codes) Code(mark uint32) {
	c.next, c.passed = c.next+1, false
	c.t.node.Code(c.number, c.members, c.base, mark)
}

// Go reports whether the latest code is passed.
func (c *codes) Go() bool { return c.passed || c.next == c.base }

// Mark returns the mark of a peer at the place before. Before the second code there is none.
func (c *codes) Mark(peer int) (uint32, bool) {
	i, ok := slices.BinarySearch(c.ranks, peer)
	if !ok || i >= len(c.marks) || c.next < c.base+2 {
		return 0, false
	}
	return c.marks[i], true
}

// Ahead reports nothing: what others have executed is known only when this rank may go on.
func (c *codes) Ahead(int) (uint32, bool) { return 0, false }

// Next returns the place of the next code.
func (c *codes) Next() uint64 { return c.next }

// pass takes a code that is passed. A code of a sequence that this rank has left is dropped.
func (t *Translator) pass(m *timed.Message) {
	if m.Head[0] >= uint64(len(t.codes)) {
		return
	}
	c := t.codes[m.Head[0]]
	if c == nil || c.base != m.Head[2] || c.members != m.Head[1] || len(m.Data) != 4*len(c.ranks) {
		return
	}
	c.marks = c.marks[:0]
	for b := m.Data; len(b) > 0; b = b[4:] {
		c.marks = append(c.marks, binary.LittleEndian.Uint32(b))
	}
	c.passed = true
}

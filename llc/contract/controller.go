package contract

import (
	"slices"

	"rhinet/llc/ir"
)

// A controller is that of a monitor's translator.
type controller struct {
	m *monitor
	c ir.Controller
}

func (c *controller) Sequences() int { return c.c.Sequences() }

func (c *controller) Sequence(number int, peers []int, base uint64) (ir.Codes, error) {
	c.m.enter("Sequence")
	if uint(number) >= uint(c.c.Sequences()) || base == 0 {
		c.m.misuse("codes", "sequence %d begins at place %d; there are %d sequences, and places from 1 on", number, base, c.c.Sequences())
	}
	inner, err := c.c.Sequence(number, peers, base)
	c.m.leave()
	if err != nil {
		return nil, err
	}
	return &codes{m: c.m, c: inner, peers: slices.Clone(peers), number: number, base: base, next: base}, nil
}

// codes are those of a monitor's translator.
type codes struct {
	m       *monitor
	c       ir.Codes
	peers   []int
	number  int
	base    uint64
	next    uint64 // place of the next code
	waiting bool   // the code before has not been passed
}

func (c *codes) Code(mark uint32) {
	c.m.enter("Code")
	if c.waiting {
		c.m.misuse("codes", "a code at place %d of sequence %d, before the one at the place before was passed", c.next, c.number)
	}
	c.next, c.waiting = c.next+1, true
	l := c.m.ledger
	if l != nil {
		l.executed(c.m.self, c.number, c.next-1)
		l.sleepers(c.m.self, c.peers)
	}
	if c.c.Code(mark); l != nil {
		l.rang(c.m.self, c.peers, "a code")
	}
	c.m.leave()
}

func (c *codes) Go() bool {
	c.m.enter("Go")
	passed := c.c.Go()
	if place := c.next - 1; passed && c.m.ledger != nil && c.waiting && place > c.base {
		for _, peer := range c.peers {
			if c.m.ledger.reached(peer, c.number) < place-1 {
				c.m.breach("codes", "the code at place %d of sequence %d is passed, and peer %d has not come to the place before", place, c.number, peer)
			}
		}
	}
	c.waiting = c.waiting && !passed
	c.m.leave()
	return passed
}

func (c *codes) Mark(peer int) (uint32, bool) { return c.c.Mark(peer) }

func (c *codes) Ahead(peer int) (uint32, bool) { return c.c.Ahead(peer) }

func (c *codes) Next() uint64 {
	next := c.c.Next()
	if next != c.next {
		c.m.breach("codes", "the next code of sequence %d is at place %d, and should be at %d", c.number, next, c.next)
	}
	return next
}

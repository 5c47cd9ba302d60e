package llc

import "rhinet/llc/ir"

// The copy engine, the second resource of the schedule queue: the NIC carries
// out limit Pulls and Pushes at a time. A transfer has one piece under way and
// goes to the end of the line for its next one, so that transfers take turns
// and the driver sees to small packets between pieces.

// A piece is what a transfer wants moved: the bytes from lo to hi.
type piece struct {
	op     ir.Op
	lo, hi int
}

type copier struct {
	limit, running int
	head, tail     *transfer // transfers whose piece waits
}

// copy moves a piece of a transfer now, or when its turn comes.
func (e *Engine) copy(t *transfer, op ir.Op, lo, hi int) {
	t.piece = piece{op, lo, hi}
	t.owed |= forCopy
	c := &e.copies
	if c.running < c.limit {
		e.launch(t)
		return
	}
	t.queued, t.next = true, nil
	if c.head == nil {
		c.head = t
	} else {
		c.tail.next = t
	}
	c.tail = t
}

func (e *Engine) launch(t *transfer) {
	e.copies.running++
	c := e.emit()
	c.Op = t.piece.op
	c.Peer = t.p.number
	c.Segment = t.theirs
	c.Offset = uint64(t.piece.lo)
	c.Data = t.memory(t.piece.lo, t.piece.hi)
	c.Token = t.owe(forCopy)
}

// copied notes that a piece has moved, or was refused, and starts the next.
func (e *Engine) copied() {
	c := &e.copies
	c.running--
	if t := c.head; t != nil {
		if c.head = t.next; c.head == nil {
			c.tail = nil
		}
		t.queued, t.next = false, nil
		e.launch(t)
	}
}

// unqueue takes back the piece of a transfer that has not started.
func (e *Engine) unqueue(t *transfer) {
	if !t.queued {
		return
	}
	c := &e.copies
	var prev *transfer
	for q := c.head; q != t; q = q.next {
		prev = q
	}
	if prev == nil {
		c.head = t.next
	} else {
		prev.next = t.next
	}
	if c.tail == t {
		c.tail = prev
	}
	t.queued, t.next = false, nil
	t.owed &^= forCopy
}

package timed

import (
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/vtime"
)

// A bridge is between a host's processor and PCI. It delays writes to merge consecutive ones into
// one transaction (martini, section 12.2), until its buffer is full, the next request begins, or no
// write has come for a while. It has one buffer, so the processor waits while the bridge writes it
// out.
type bridge struct {
	n      *Node
	queue  vtime.Ring[*Transfer]
	now    *Transfer // the transfer whose words are being stored
	left   int       // words of it that are still to be stored
	held   *Transfer // a transfer whose words are all stored, some of them in the buffer
	words  int       // number of words in the buffer
	timer  vtime.Event
	onBus  bool
	ending *Transfer // the transfer whose last words are on the bus
}

// Operations of a bridge.
const (
	opStored = iota
	opHeldLong
	opWritten
)

// store queues the words of a transfer.
func (b *bridge) store(t *Transfer) {
	b.queue.Push(t)
	b.next()
}

// next begins the next transfer, if the processor is free.
func (b *bridge) next() {
	if b.now != nil || b.onBus || b.queue.Len() == 0 {
		return
	}
	if b.held != nil { // other addresses, so nothing to merge
		b.n.Kernel().Cancel(b.timer)
		b.flush()
		return
	}
	b.now = b.queue.Pop()
	b.left = b.now.words()
	b.more()
}

// more stores as many words as the buffer takes.
func (b *bridge) more() {
	b.words = min(b.left, b.n.sys.s.merge)
	b.left -= b.words
	b.n.After(vtime.Time(b.words)*b.n.sys.s.store, b, opStored, 0)
}

// flush writes the buffer out.
func (b *bridge) flush() {
	s := &b.n.sys.s
	b.onBus, b.ending, b.held = true, b.held, nil
	b.n.bus.Use(vtime.Request{Actor: b, Op: opWritten, Line: stepped.BusHost, Direction: stepped.FromHost},
		s.core.Span(s.busWrite+int64(b.words)*s.busWord))
}

// Act handles the events of a bridge.
func (b *bridge) Act(op int, _ uint64) {
	switch op {
	case opStored:
		if b.left > 0 {
			b.flush()
			return
		}
		t := b.now
		b.now, b.held = nil, t
		b.timer = b.n.After(b.n.sys.s.hold, b, opHeldLong, 0)
		t.pass(Stored)
		b.next()
	case opHeldLong:
		b.flush()
	case opWritten:
		b.onBus = false
		if b.left > 0 {
			b.more()
			return
		}
		t := b.ending
		b.ending = nil
		b.n.accept(t)
		b.next()
	}
}

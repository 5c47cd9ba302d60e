package mpitest

import (
	"slices"

	"rhinet/llc"
)

// A door admits messages to a context: those whose type has the bits of want where mask
// has ones. A shut door admits none.
type door struct {
	shut       bool
	drained    bool // letters without a receive are not kept
	mask, want uint32
}

// Open sets which messages a context accepts.
func (b *mailbox) Open(ctx uint16, mask, want uint32) {
	b.office.mu.Lock()
	b.doors[ctx] = door{mask: mask, want: want}
	b.office.mu.Unlock()
}

// Shut has a context accept no messages, and drops those that wait in it.
func (b *mailbox) Shut(ctx uint16) {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	b.doors[ctx] = door{shut: true}
	b.dropAll(ctx)
	for _, r := range slices.Clone(b.posted) {
		if r.Context == ctx {
			b.withdraw(r)
			r.Status.Err = llc.ErrShut
			b.stir()
		}
	}
}

// Drain is Shut but for the receives that wait.
func (b *mailbox) Drain(ctx uint16) (waiting int) {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	b.dropAll(ctx)
	for _, r := range b.posted {
		if r.Context == ctx {
			waiting++
		}
	}
	d := b.doors[ctx]
	d.drained, d.shut = true, d.shut || waiting == 0
	b.doors[ctx] = d
	return waiting
}

// dropAll drops the letters that wait in a context.
func (b *mailbox) dropAll(ctx uint16) {
	b.queue = slices.DeleteFunc(b.queue, func(l *letter) bool {
		if l.ctx == ctx && l.sender != nil {
			l.sender.Status.Err = llc.ErrShut
			b.office.boxes[l.src].complete(l.sender)
		}
		return l.ctx == ctx
	})
}

package mpitest

import "rhinet/llc"

// Unreceived calls visit for each letter that waits.
func (b *mailbox) Unreceived(visit func(ctx uint16, m llc.Status)) {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	for _, l := range b.queue {
		visit(l.ctx, llc.Status{Source: l.src, Tag: l.tag, Bytes: int64(len(l.data))})
	}
}

// Addressed is false: no letter is in flight when the call that sent it returns.
func (b *mailbox) Addressed(int) bool { return false }

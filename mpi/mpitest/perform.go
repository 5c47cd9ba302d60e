package mpitest

// Perform calls f, unless the use of the mailbox has ended.
func (b *mailbox) Perform(f func()) {
	b.office.mu.Lock()
	over := b.ended() != nil
	b.office.mu.Unlock()
	if !over {
		f()
	}
}

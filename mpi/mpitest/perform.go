package mpitest

// Perform calls f, unless the job has ended.
func (b *mailbox) Perform(f func()) {
	b.office.mu.Lock()
	over := b.office.failed != nil
	b.office.mu.Unlock()
	if !over {
		f()
	}
}

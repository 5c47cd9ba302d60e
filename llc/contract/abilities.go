package contract

import "rhinet/llc/ir"

// A flagArray is that of a monitor's translator.
type flagArray struct {
	m *monitor
	b ir.FlagArray
}

func (b *flagArray) FlagArrays() int { return b.b.FlagArrays() }

func (b *flagArray) Raise(peers []int, n int, seq, mark uint32, data []byte) {
	b.m.enter("Raise")
	if seq == 0 || uint(n) >= uint(b.b.FlagArrays()) || len(data) > ir.FlagBytes {
		b.m.misuse("flags", "flag %d of flag array %d is raised with %d bytes; there are %d flag arrays", seq, n, len(data), b.b.FlagArrays())
	}
	l := b.m.ledger
	if l == nil {
		b.b.Raise(peers, n, seq, mark, data)
		b.m.leave()
		return
	}
	l.raise(b.m.self, n, seq, mark, data)
	l.sleepers(b.m.self, peers)
	b.b.Raise(peers, n, seq, mark, data)
	l.rang(b.m.self, peers, "a flag")
	b.m.leave()
}

func (b *flagArray) WakePeers(peers []int) {
	b.m.enter("WakePeers")
	if l := b.m.ledger; l == nil {
		b.b.WakePeers(peers)
	} else {
		l.sleepers(b.m.self, peers)
		b.b.WakePeers(peers)
		l.rang(b.m.self, peers, "a flag")
	}
	b.m.leave()
}

func (b *flagArray) Prefetch(n int, seq uint32, bytes int) {
	b.m.enter("Prefetch")
	b.b.Prefetch(n, seq, bytes)
	b.m.leave()
}

// Raised may be called by any goroutine.
func (b *flagArray) Raised(peer, n int, seq uint32, data []byte) (mark uint32, up bool) {
	mark, up = b.b.Raised(peer, n, seq, data)
	if up && b.m.ledger != nil && !b.m.ledger.raised(peer, n, seq, mark, data) {
		b.m.breach("flags", "flag %d of flag array %d of peer %d is up, and was not raised, or with other bytes", seq, n, peer)
	}
	return mark, up
}

// An aimer is that of a monitor's translator.
type aimer struct {
	m *monitor
	a ir.Aimer
}

func (a *aimer) Glance(looks int) bool {
	a.m.enter("Glance")
	there := a.a.Glance(looks)
	a.m.leave()
	return there
}

func (a *aimer) Expect(most int) bool {
	a.m.enter("Expect")
	before := a.m.release()
	apart := a.a.Expect(most)
	a.m.released(before)
	a.m.leave()
	return apart
}

// A reporter is that of a monitor's translator.
type reporter struct {
	m *monitor
	r ir.Reporter
}

func (r *reporter) Report(w ir.Waiting) {
	r.m.enter("Report")
	r.r.Report(w)
	r.m.leave()
}

func (r *reporter) Clear() {
	r.m.enter("Clear")
	r.r.Clear()
	r.m.leave()
}

func (r *reporter) Finish() {
	r.m.enter("Finish")
	r.r.Finish()
	r.m.leave()
}

// An auditor is that of a monitor's translator.
type auditor struct {
	m *monitor
	a ir.Auditor
}

func (a *auditor) Audit() {
	a.m.enter("Audit")
	before := a.m.release()
	a.a.Audit()
	a.m.released(before)
	a.m.leave()
}

package pm

import (
	"fmt"
	"sync/atomic"

	"rhinet/internal/ring"
)

// Audit writes what this node has sent to the accounts of its NIC, and compares what has arrived
// with what other nodes have written there: a header that was overwritten looks like one that has
// not arrived. It reports the first damage that it finds; nothing more is received from that
// source. It is called while no message is held.
func (p *RHiNET) Audit() error {
	for i := range p.targets {
		if t := &p.targets[i]; t.head != 0 {
			p.nic.Packets(i, p.Self()).Put(ring.Tally{Lines: t.head, Pos: t.seq})
		}
	}
	for i := range p.lanes {
		l := &p.lanes[i]
		if l.closed {
			continue
		}
		if what := p.judge(l, i); what != "" {
			l.closed = true
			return &CorruptError{i, fmt.Sprintf("%s at slot %d, message %d", what, l.tail, l.seq)}
		}
	}
	return nil
}

// judge returns what is wrong with a lane, or "".
func (p *RHiNET) judge(l *lane, from int) string {
	if atomic.LoadUint64(l.export) != l.tail {
		return "the tail that is exported has been overwritten"
	}
	sent, _, ok := p.nic.Packets(p.Self(), from).Get()
	if !ok || sent.Pos <= l.seq {
		return ""
	}
	// A message has been PUSHed completely before its account is written.
	h := atomic.LoadUint32(l.header())
	if h == makeSkip(l.seq) {
		return ""
	}
	n := int(h & 0xffff)
	if end := l.slot() + framed(n); h != makeHeader(l.seq, n) || end > ringBytes || trailer(l, end) != makeTrailer(l.seq) {
		return "a message that was sent has been overwritten"
	}
	return ""
}

// Audit writes what this node has sent to the accounts, and looks for damage in its ring.
func (p *VP) Audit() error {
	for _, m := range p.mail {
		if m != nil {
			m.Attest(false)
		}
	}
	if p.broken {
		return nil
	}
	from, err := p.reader.Audit(func(from int) ring.Account { return p.nic.Records(p.Self(), from) })
	if err != nil {
		p.broken = true
		return &CorruptError{from, err.Error()}
	}
	return nil
}

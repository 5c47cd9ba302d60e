package martini

import (
	"fmt"

	"rhinet/internal/ring"
)

// Audit puts down what this rank has sent, and looks for what was overwritten:
// packets for it, and words that nobody else writes.
func (t *Translator) Audit() {
	t.attest()
	if t.pole != nil {
		if err := t.pole.Audit(); err != nil {
			t.LoseFrom(-1, fmt.Errorf("llc/martini: rank %d: %w", t.Self(), err))
		}
	}
	packets := func(from int) ring.Account { return t.NIC().Packets(t.Self(), from) }
	records := func(from int) ring.Account { return t.NIC().Records(t.Self(), from) }
	t.set.Audit(packets, records, t.damaged)
}

// attest puts down what this rank has sent: what has changed, and in turn what
// has not.
func (t *Translator) attest() {
	t.turn++
	for i := range t.peers {
		p, again := &t.peers[i], t.turn%len(t.peers) == i
		if p.channel != nil {
			p.channel.Attest(again)
		}
		if p.mail != nil {
			p.mail.Attest(again)
		}
	}
}

// damaged takes what an audit has found in one ring.
func (t *Translator) damaged(peer int, in uint32, err error) {
	if in != ring.Everybody {
		t.LoseFrom(peer, fmt.Errorf("llc/martini: the packet ring of rank %d, written by rank %d: %w", t.Self(), peer, err))
		return
	}
	t.LoseFrom(-1, fmt.Errorf("llc/martini: the shared ring of rank %d: %w", t.Self(), err))
}

// Close withdraws all registrations. A rank that aborts stays one.
func (t *Translator) Close() error {
	t.attest()
	return t.Endpoint.Close()
}

package martini

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// Our choice, not in the specification: a node can find that packets for it were overwritten before
// it saw them. Each node has an account, of two lines, for each other node that writes to it: one
// for its packet ring, one for the VPUSH ring (see [ring.Account]). A node that has waited for long
// writes there what it has sent, and reads what others have written.

// Packets returns the account of what node from has placed in its packet ring at node to. After
// Close it returns an account that no other node sees.
func (n *NIC) Packets(to, from int) ring.Account { return n.account(to, from, fabric.PacketAccount) }

// Records returns the account of what node from has placed in the VPUSH ring of node to.
func (n *NIC) Records(to, from int) ring.Account { return n.account(to, from, fabric.RecordAccount) }

func (n *NIC) account(to, from, which int) ring.Account {
	if n.closed.Load() {
		return ring.NewAccount(new(ring.Line))
	}
	return n.f.Account(to, from, which)
}

// Attest writes to the account what has been sent in this Channel, if that has changed. again makes
// it write in any case, because the account may have been overwritten.
func (c *Channel) Attest(again bool) {
	if sent := c.out.Sent(); sent != c.attested || again {
		c.attested = sent
		c.nic.Packets(c.rank, c.nic.rank).Put(ring.Tally{Lines: sent, Pos: c.pos, Sum: c.ring.Sum()})
	}
}

// Attest writes to the account what has been sent to this Mailbox; again is as for
// [Channel.Attest].
func (m *Mailbox) Attest(again bool) {
	if !m.nic.closed.Load() {
		m.ledger.Attest(m.sent, again)
	}
}

// Audit reports whether the flags that this node has raised are as it raised them.
func (p *FlagWriter) Audit() error {
	if p.nic.closed.Load() {
		return nil
	}
	return p.flagWriter.Audit()
}

package martini

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// Our choice, beside the specification: what lets a node find that packets for
// it were overwritten before it saw them. Each node has an account, of two lines,
// for each other node that writes to it: one for its packet ring, one for the
// VPUSH ring (see [ring.Account]). A node that waits for long puts down there what
// it has sent and looks at what others have put down.

// Packets returns the account of what node from has placed in its packet ring at
// node to. After Close it is one that nobody else sees.
func (n *NIC) Packets(to, from int) ring.Account { return n.account(to, from, fabric.PacketAccount) }

// Records returns the account of what node from has placed in the VPUSH ring of node to.
func (n *NIC) Records(to, from int) ring.Account { return n.account(to, from, fabric.RecordAccount) }

func (n *NIC) account(to, from, which int) ring.Account {
	if n.closed.Load() {
		return ring.NewAccount(new(ring.Line))
	}
	return n.f.Account(to, from, which)
}

// Attest puts down what has been sent in this Channel, if that has changed, or
// again, in case that the account was overwritten.
func (c *Channel) Attest(again bool) {
	if sent := c.out.Sent(); sent != c.attested || again {
		c.attested = sent
		c.nic.Packets(c.rank, c.nic.rank).Put(ring.Tally{Lines: sent, Pos: c.pos, Sum: c.ring.Sum()})
	}
}

// Attest puts down what has been sent to this Mailbox, if that has changed, or
// again.
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

package martini

import (
	"errors"
	"sync/atomic"

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
func (n *NIC) Packets(to, from int) ring.Account { return n.account(to, 2*from) }

// Records returns the account of what node from has placed in the VPUSH ring of node to.
func (n *NIC) Records(to, from int) ring.Account { return n.account(to, 2*from+1) }

func (n *NIC) account(to, line int) ring.Account {
	if n.closed.Load() {
		return ring.NewAccount(new(ring.Line))
	}
	return ring.NewAccount(&n.f.Lines(to, fabric.Accounts)[line])
}

// Attest puts down what has been sent in this Channel, if that has changed, or
// again, in case that the account was overwritten.
func (c *Channel) Attest(again bool) {
	if c.slot != c.attested || again {
		c.attested = c.slot
		c.nic.Packets(c.rank, c.nic.rank).Put(ring.Tally{Lines: c.slot, Pos: c.pos, Sum: c.ring.Sum()})
	}
}

// Attest puts down what has been sent to this Mailbox, if that has changed, or
// again.
func (m *Mailbox) Attest(again bool) {
	if !m.attested || again {
		m.attested = true
		m.nic.Records(m.rank, m.nic.rank).Put(m.sent)
	}
}

// ErrFlag reports a flag of the own node that another has overwritten.
var ErrFlag = errors.New("martini: a flag of this node has been overwritten")

// Audit reports whether the flags that this node has raised are as it raised them.
func (p *Flagpole) Audit() error {
	if p.nic.closed.Load() {
		return nil
	}
	for at, l := range p.raised {
		for i := range l {
			if atomic.LoadUint64(&p.lines[at][i]) != l[i] {
				return ErrFlag
			}
		}
	}
	return nil
}

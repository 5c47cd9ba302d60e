package contract

import "rhinet/llc/ir"

func (m *monitor) Post(cmd *ir.Command) {
	m.enter("Post")
	m.post(cmd, func() { m.t.Post(cmd) })
	m.leave()
}

// post checks a command that do posts.
func (m *monitor) post(cmd *ir.Command, do func()) {
	if m.closed {
		m.misuse("close", "Op %d is posted after Close", cmd.Op)
	}
	var s uint64
	packet := cmd.Op == ir.Packet || cmd.Op == ir.Shared
	counted := packet && m.ledger != nil && uint(cmd.Peer) < uint(len(m.ended))
	if counted {
		s = m.ledger.begin(m.self, cmd)
	}
	m.check(cmd)
	do()
	if counted {
		m.ledger.finish(m.self, cmd)
		m.woken(cmd, s)
	}
}

// woken notes that the receiver of a packet must be woken, if it has slept since the post began. For a packet
// that may still be refused, it only notes the sleep.
func (m *monitor) woken(cmd *ir.Command, s uint64) {
	switch {
	case s == 0 || m.ended[cmd.Peer] || m.ledger.sleep(cmd.Peer) != s:
	case cmd.Op == ir.Packet:
		m.ledger.ring(cmd.Peer, s, m.self, "a packet")
	default:
		m.flying[len(m.flying)-1].sleep = s
	}
}

// check compares a command with what is under way, and records it.
func (m *monitor) check(cmd *ir.Command) {
	w := way{cmd.Peer, cmd.Ring}
	switch {
	case cmd.Op.Answered():
		if _, twice := m.due[cmd.Token]; twice || cmd.Token == 0 {
			m.misuse("answers", "token %#x of Op %d is 0 or has an answer due", cmd.Token, cmd.Op)
		}
		if port := int(cmd.Port); port >= m.ports && (cmd.Op == ir.Pull || cmd.Op == ir.Push) {
			m.misuse("ports", "Op %d goes by port %d of %d", cmd.Op, port, m.ports)
		}
		if cmd.Move != nil && (cmd.Op == ir.Pull || cmd.Op == ir.Push) {
			m.checkMove(cmd)
		}
		m.due[cmd.Token] = due{cmd.Op, m.empty}
	case cmd.Op == ir.Shared:
		for _, f := range m.flying {
			if f.peer == cmd.Peer {
				m.misuse("busy", "packet %#x to peer %d is posted before it is known whether packet %#x went", cmd.Token, cmd.Peer, f.token)
			}
		}
		m.flying = append(m.flying, inFlight{peer: cmd.Peer, token: cmd.Token})
	case cmd.Op == ir.Packet:
		m.place(m.account(w), cmd)
	case cmd.Op == ir.Open:
		m.opened[cmd.Peer] = cmd.Ring
	case cmd.Op == ir.Watch:
		m.watched[cmd.Ring] = cmd.Peer
	case cmd.Op == ir.ReadTail:
		if uint(cmd.Peer) >= uint(len(m.ended)) || m.ended[cmd.Peer] {
			return
		}
		m.tails[w] = append(m.tails[w], m.free(w))
	}
}

// checkMove checks that a Move goes to a NIC that moves blocks, and fits the memory on this side.
func (m *monitor) checkMove(cmd *ir.Command) {
	switch c := m.capsOf(cmd.Peer); {
	case c != nil && c.Blocks == 0:
		m.misuse("blocks", "Op %d has a Move, to peer %d", cmd.Op, cmd.Peer)
	case !cmd.Move.FitsHere(len(cmd.Data)):
		m.misuse("blocks", "Op %d moves %+v, and has %d bytes", cmd.Op, *cmd.Move, len(cmd.Data))
	}
}

// capsOf returns the Caps of the NIC that reaches a peer, nil if there is no such peer.
func (m *monitor) capsOf(peer int32) *ir.Caps {
	if uint(peer) >= uint(len(m.caps)) {
		return nil
	}
	return &m.caps[peer]
}

// account returns what this peer has written in a packet ring.
func (m *monitor) account(w way) *account {
	a := m.writes[w]
	if a == nil {
		a = new(account)
		m.writes[w] = a
	}
	return a
}

// place checks that a packet lies where its reader looks, in free space.
func (m *monitor) place(a *account, cmd *ir.Command) {
	c := m.capsOf(cmd.Peer)
	if c == nil {
		return
	}
	size := uint64(c.Bytes)
	n := cmd.PayloadBytes()
	at, next := c.Place(a.next, n)
	switch {
	case cmd.InPieces() && !c.Gathers:
		m.misuse("pieces", "a packet of %d bytes to peer %d is in pieces", n, cmd.Peer)
	case cmd.Slot != a.lines || n+c.Trailer > ir.Short && cmd.Pos != at:
		m.misuse("room", "a packet of %d bytes to peer %d goes to line %d, position %d of ring %d, not to line %d, position %d",
			n, cmd.Peer, cmd.Slot, cmd.Pos, cmd.Ring, a.lines, at)
	case a.lines-a.slot >= uint64(c.Slots) || next-a.pos > size:
		m.misuse("room", "a packet of %d bytes to peer %d has no room in ring %d: line %d, position %d, tail at %d, %d",
			n, cmd.Peer, cmd.Ring, a.lines, next, a.slot, a.pos)
	}
	a.lines, a.next = a.lines+1, next
}

package connect

// serve looks at the request in this peer's common slot: it is answered as soon as there is a slot for it,
// dropped if it has become pointless, and a lock of a dead peer is released.
func (m *Machine) serve() {
	w := m.common
	peer := w.peer()
	switch {
	case w.kind() != locked && w.kind() != request || peer >= len(m.conns) || peer == m.self:
		if w != 0 {
			m.unlock() // no peer has written that, so none waits for it
		}
		return
	case m.conns[peer].state == Gone:
		m.unlock()
		return
	case w.kind() == locked:
		return
	}
	c := &m.conns[peer]
	switch c.state {
	case I1, I2, I3, I4, Yield:
		if !m.yields(peer) {
			m.unlock()
			return
		}
		if c.swapping || c.state == I3 {
			return // until the swap, or the Create, is answered
		}
		m.giveUp(peer)
	case Idle, Waiting:
	case R1:
		return // this request is being answered
	default:
		m.unlock()
		return
	}
	if !m.has(w.place()) {
		m.unlock()
		return
	}
	m.respond(peer, c, w.place())
}

// has reports whether a peer can have such a slot: all peers have the same number of slots.
func (m *Machine) has(p place) bool { return int(p.slot) < len(m.slots) }

// yields reports whether an attempt of this peer gives way to the peer's: of two that start at the same time
// the one with the lower number goes on.
func (m *Machine) yields(peer int) bool {
	return peer < m.self && m.common.kind() == request && m.common.peer() == peer
}

// unlock releases this peer's common slot, if it still holds what was seen last: a later value belongs to
// another peer, and is served when it is seen.
func (m *Machine) unlock() {
	m.emit(Command{Op: Release, Word: Common, Old: uint64(m.common)})
	m.common = 0
}

// respond begins the answer to a request (R1), if there is a slot.
func (m *Machine) respond(peer int, c *conn, to place) {
	if !m.take(peer) {
		return
	}
	c.theirs = to
	m.become(peer, R1)
	if c.made { // for an attempt that gave way
		m.answer(peer)
		return
	}
	m.emit(Command{Op: Create, Peer: peer})
}

// answer writes the answer and releases the common slot.
func (m *Machine) answer(peer int) {
	c := &m.conns[peer]
	from := openFor(c.theirs, m.self)
	if c.made {
		m.swap(peer, c.theirs.word(), from, newWord(accept, c.mine, c.address))
	} else {
		m.swap(peer, c.theirs.word(), from, newWord(refuse, place{}, 0))
	}
	m.unlock()
}

// onAnswer waits for the description once the answer is there. If it was a refusal, or is not there, the
// attempt ends.
func (m *Machine) onAnswer(peer int, c *conn, done bool) {
	switch {
	case !c.made:
		m.fail(peer)
	case !done: // the initiator has begun something else
		m.drop(peer)
		m.become(peer, Idle)
	default:
		m.become(peer, R2)
		m.answered(peer)
	}
}

// onDescription makes this peer's end ready and acknowledges (R2).
func (m *Machine) onDescription(peer int, c *conn, w word) {
	m.emit(Command{Op: Ready, Peer: peer, Address: w.rest()})
	m.swap(peer, c.theirs.word(), newWord(accept, c.mine, c.address), newWord(acknowledge, place{}, 0))
	m.connected(peer)
}

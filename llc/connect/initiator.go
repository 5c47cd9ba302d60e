package connect

// mostFailed bounds the pause before a lock is tried again: 2 to the power of mostFailed turns.
const mostFailed = 6

// begin starts an attempt (I1), and reports false if there is no slot for it: one slot is kept for
// responding.
func (m *Machine) begin(peer int) bool {
	if m.initiating >= len(m.slots)-1 || !m.take(peer) {
		return false
	}
	m.initiating++
	m.become(peer, I1)
	m.lock(peer)
	return true
}

func (m *Machine) lock(peer int) { m.swap(peer, Common, 0, lockOf(m.self)) }

// swapped has what a connection does when its compare-and-swap has been carried out, by its state; done says
// whether the word had the expected value.
var swapped = [numStates]func(m *Machine, peer int, c *conn, done bool){
	I1:    (*Machine).onLock,
	I2:    (*Machine).onRequest,
	I5:    (*Machine).onDescribe,
	Yield: (*Machine).onYield,
	R1:    (*Machine).onAnswer,
}

// onLock goes on when the lock is there (I2), tries again later if another peer has it, or gives way to the
// peer, whose own request has come meanwhile.
func (m *Machine) onLock(peer int, c *conn, done bool) {
	switch {
	case done && m.yields(peer):
		m.become(peer, Yield)
		m.swap(peer, Common, lockOf(m.self), 0)
	case done:
		c.failed = 0
		m.become(peer, I2)
		m.swap(peer, Common, lockOf(m.self), newWord(request, c.mine, uint64(m.self)))
	default:
		m.block(peer, c)
	}
}

// block tries a lock again after some turns, twice as many after each failure.
func (m *Machine) block(peer int, c *conn) {
	c.due = m.turn + 1<<c.failed
	if c.failed < mostFailed {
		c.failed++
	}
	m.blocked = append(m.blocked, int32(peer))
}

// onRequest makes this peer's end once the request is there (I3).
func (m *Machine) onRequest(peer int, c *conn, done bool) {
	if !done { // another peer has overwritten the lock
		m.become(peer, I1)
		m.block(peer, c)
		return
	}
	m.become(peer, I3)
	m.emit(Command{Op: Create, Peer: peer})
}

// onYield ends an attempt whose lock has been given back.
func (m *Machine) onYield(peer int, _ *conn, _ bool) { m.giveUp(peer) }

// giveUp ends an attempt of this peer. An end that was made is used when the peer's request is answered.
func (m *Machine) giveUp(peer int) {
	m.release(peer)
	m.become(peer, Idle)
}

// answers has what a connection does when its own transaction slot has been written, by its state.
var answers = [numStates][numKinds]func(m *Machine, peer int, c *conn, w word){
	I4: {accept: (*Machine).onAccept, refuse: (*Machine).onRefuse},
	I5: {acknowledge: (*Machine).onAcknowledge},
	R2: {describe: (*Machine).onDescription, abandon: (*Machine).onRefuse},
}

// onAccept makes this peer's end ready (I4) and describes it to the responder (I5).
func (m *Machine) onAccept(peer int, c *conn, w word) {
	if !m.has(w.place()) {
		m.fail(peer)
		return
	}
	c.theirs = w.place()
	to := openFor(c.theirs, m.self)
	if !c.made {
		m.swap(peer, c.theirs.word(), to, newWord(abandon, place{}, 0))
		m.fail(peer)
		return
	}
	m.emit(Command{Op: Ready, Peer: peer, Address: w.rest()})
	m.become(peer, I5)
	m.swap(peer, c.theirs.word(), to, newWord(describe, place{}, c.address))
}

// onRefuse ends an attempt of either side for good.
func (m *Machine) onRefuse(peer int, _ *conn, _ word) { m.fail(peer) }

// fail ends a connection that cannot be made.
func (m *Machine) fail(peer int) {
	m.drop(peer)
	m.become(peer, Refused)
}

// onDescribe notes that the description is there. If it is not, the responder has begun something else.
func (m *Machine) onDescribe(peer int, _ *conn, done bool) {
	if !done {
		m.fail(peer)
	}
}

// onAcknowledge completes an attempt.
func (m *Machine) onAcknowledge(peer int, _ *conn, _ word) { m.connected(peer) }

func (m *Machine) connected(peer int) {
	m.release(peer)
	m.become(peer, Connected)
	m.emit(Command{Op: Use, Peer: peer})
}

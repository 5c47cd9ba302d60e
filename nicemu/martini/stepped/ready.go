package stepped

// ready reports whether a module may find something if it acts now. If not, acting would change
// nothing: the module waits for input, for room, or for an action of another module, and the module
// that provides it has this one checked again.
func (n *node) ready(mod Module) bool {
	state := n.regs[mod].state
	if state == MISS {
		return false
	}
	switch mod {
	case SWI:
		return state == IDLE && n.send.len() > 0 || state == SEND && !(n.m.linked() && n.leaving)
	case CPU:
		return state == MAIN && n.cpu.wanted() || state == HANDLER && !n.cpu.stalls()
	case PCIDMAC, DIMMDMAC, SRAMDMAC:
		return n.engineReady(int(mod-PCIDMAC), state)
	case RBend:
		return (state != IDLE || n.rb.start) && (state != WAIT || n.settled(&n.rb))
	case Replier:
		return (state != IDLE || n.jobs.len() > 0) && (state != WAIT || n.landed())
	case RFend:
		return state != IDLE || n.receive.len() > 0 && !n.taken
	case Sender:
		return state != IDLE || n.send.len() < sendDepth && n.whole()
	case Header:
		return state != IDLE || n.heads[0].jobs.len() > 0 || n.heads[1].jobs.len() > 0
	case Initiator:
		return state != IDLE || n.requests.len() > 0
	case AOTFSend:
		return state != IDLE || n.writes.len() > 0
	case Window:
		return state != IDLE || n.kicks.len() > 0 && n.requests.len() < windowDepth
	}
	return true
}

// engineReady is ready for the engine of one master.
func (n *node) engineReady(i int, state State) bool {
	e := &n.engines[i]
	switch state {
	case IDLE:
		return n.queued > 0 && n.asks(target(i))
	case MREQ:
		return !n.slaves[i] && e.bus != askedBus
	case SREQ:
		return e.now.slave >= buffers || !n.slaves[e.now.slave]
	case DATA:
		return n.holds(e)
	}
	return true
}

// asks reports whether a request for a master is at the head of one of the queues.
func (n *node) asks(master target) bool {
	for i := range n.queues {
		if q := &n.queues[i]; q.len() > 0 && q.head().master == master {
			return true
		}
	}
	return false
}

// whole reports whether one of the Sender's sources has a packet with header and payload.
func (n *node) whole() bool {
	for i := range 3 {
		if q := n.source(i); q.len() > 0 && (*q.head()).ready() {
			return true
		}
	}
	return false
}

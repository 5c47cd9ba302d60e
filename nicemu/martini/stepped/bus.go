package stepped

import "rhinet/nicemu/vtime"

// A tenure is how far an engine is with the bus.
type tenure uint8

const (
	noBus    tenure = iota
	askedBus        // asked for
	beganBus        // granted; data flows at the time that is due
	waitBus         // asked for again, amid a transfer
)

// seize asks for the bus, and reports whether data may flow.
func (n *node) seize(i int) bool {
	e := &n.engines[i]
	if target(i) != pci || n.m.chip == nil || n.m.chip.Bus == nil {
		return true
	}
	if e.bus == noBus {
		e.bus = askedBus
		n.askBus(n.queues[e.turn].head())
	}
	return e.bus == beganBus
}

func (n *node) askBus(t *transfer) {
	direction := IntoHost
	if t.reading() {
		direction = FromHost
	}
	n.m.chip.Bus[n.id].Acquire(vtime.Request{Actor: n, Op: opGranted, Line: BusNIC, Direction: direction})
}

// begin is the grant of the bus: the first data flows after what the other side
// takes to answer.
func (n *node) begin() {
	e := &n.engines[pci]
	t, again := &e.now, e.bus == waitBus
	if !again {
		t = n.queues[e.turn].head()
	}
	kind := KindBusWrite
	if t.reading() {
		kind = KindBusRead
	}
	c := n.m.chip
	cycles := c.Timing.Cycles(kind, 1)
	if again {
		cycles += n.bursts(PCIDMAC)
	}
	e.bus = beganBus
	n.due[atPCIDMAC] = c.Core.After(n.self.Now(), max(1, cycles))
	n.real |= 1 << atPCIDMAC
	n.book(n.first())
}

// holds reports whether an engine may move its next burst: it has the bus, and
// what it moves has arrived.
func (n *node) holds(e *engine) bool {
	t := &e.now
	late := t.kind == storePayload && !t.packet.whole && t.at+t.done+burst >= t.packet.size
	return e.bus != waitBus && !late
}

// passBus gives the bus between two bursts to who waits for it, if anybody does,
// and asks for it again.
func (n *node) passBus(e *engine) {
	if e.bus == beganBus && n.m.chip.Bus[n.id].Usage().Waiting > 0 {
		e.bus = waitBus
		n.m.chip.Bus[n.id].Release()
		n.askBus(&e.now)
	}
}

// yieldBus ends an engine's tenure of the bus.
func (n *node) yieldBus(e *engine) {
	if e.bus == beganBus {
		e.bus = noBus
		n.m.chip.Bus[n.id].Release()
	}
}

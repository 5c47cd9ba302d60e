package stepped

import "rhinet/nicemu/vtime"

// A tenure is the state of an engine with regard to the bus.
type tenure uint8

const (
	noBus    tenure = iota
	askedBus        // requested
	beganBus        // granted; data moves when the engine is due
	waitBus         // requested again, during a transfer
)

// seize requests the bus, and reports whether data may move.
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

// begin handles the grant of the bus: the first data moves after the answer time of the other side.
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

// holds reports whether an engine may move its next burst: it has the bus, and the data has
// arrived.
func (n *node) holds(e *engine) bool {
	t := &e.now
	late := t.kind == storePayload && !t.packet.whole && t.at+t.done+burst >= t.packet.size
	return e.bus != waitBus && !late
}

// passBus releases the bus between two bursts if another device waits for it, and requests it
// again.
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

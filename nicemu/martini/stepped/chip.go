package stepped

import "rhinet/nicemu/vtime"

// A Chip gives a machine the timing of a chip. The machine is unchanged: the same tables define
// what a module does in a state, and which state follows. With the timing [vtime.EveryStep] the
// modules make the same transitions at the same clocks as in steps.
type Chip struct {
	Kernel *vtime.Kernel
	Core   vtime.Clock  // of all modules but SWI (martini, section 2.2)
	Switch vtime.Clock  // of SWI
	Timing vtime.Timing // cycles of each Kind, at least one
	Poll   int64        // clocks between two polls of firmware's main loop, at least one
	// Firmware is the number of clocks that a job takes on the on-chip processor, besides the
	// control bus and the DMA controller.
	Firmware [Jobs]int
	Bus      []*vtime.Resource // PCI, by node; nil: it is always free
	Link     Link              // nil: a packet is moved in one step
	Wrote    func(w Write)     // called when the NIC has written something to host memory
}

// Lines and directions of the bus, for all its users.
const (
	BusNIC   = iota // line of the NIC
	BusHost         // line of the host's bridge
	BusLines        //
)

const (
	IntoHost = iota // direction of a NIC's writes only
	FromHost        // direction of its reads, and of the host's writes
)

// A Job is work of the firmware, apart from the parts that the model shows (martini, section 12.3).
type Job int

// The jobs.
const (
	Handling   Job = iota // of any handler except those below
	RingBefore            // rfend handler of VPUSH, until RFend goes on
	RingAfter             // the rest of that handler, while RFend goes on
	RingNotice            // replier handler of VPUSH
	Alone                 // of a packet that firmware sends or receives in place of the hardware
	Polling               // polling once whether a request to the DMA controller has ended
	Jobs
)

// The kinds of work of a [vtime.Timing], by number: first those of Work, then work that depends on
// a number of units, or has its own cost.
const (
	KindWord     = vtime.Kind(Works) + iota // a double word from a Window through the FIFO
	KindHeader                              // a flit of a header under construction
	KindBuffer                              // a flit from the Header Buffer
	KindSwitch                              // a packet through SWI, in clocks of the Switch Interface
	KindBusRead                             // from the grant of PCI to the first data of a read
	KindBusWrite                            // the same for a write
	KindBusWord                             // eight bytes on PCI
	KindRing                                // RVA that places a packet in a VPUSH ring (pm-messaging, section 1.7)
	KindMemory                              // eight bytes of SDRAM or SRAM
	Kinds
)

// A Link takes packets from one Switch Interface to another. It calls [Machine.Departed] when the
// sender may hand it the next packet, then [Machine.Arrive] when RFend may read the header, and
// [Machine.Whole] when the whole packet has arrived.
type Link interface {
	Send(from, to, bytes int, packet any)
	// Release says that the buffer of a packet that Whole did not drop is free; ride is the
	// argument of Arrive.
	Release(ride any)
}

// Written is the subject of a [Write].
type Written uint8

// The subjects.
const (
	WroteNothing  Written = iota
	WrotePayload          // of a packet, and the flag after it if there is one
	WroteContflag         // Serial is its value
	WroteRing             // the receive pointer
)

// A Write is a change in host memory.
type Write struct {
	Node   int
	What   Written
	Type   uint8 // of the packet
	From   int   // node that sent it
	Issuer int   // node of the request that it belongs to
	Window int
	Serial uint64
	Bytes  int
	Last   bool   // of its request
	Ring   uint64 // the receive pointer
}

func ringWrite(h *header, pointer uint64) Write {
	return Write{What: WroteRing, Issuer: h.issuer(), Window: h.window(), Serial: h[flitSerial], Ring: pointer}
}

func arrival(p *packet) Write {
	return Write{What: WrotePayload, Type: p.h.kind(), From: p.from, Issuer: p.h.issuer(), Window: p.h.window(),
		Serial: p.h[flitSerial], Bytes: p.size, Last: p.h.has(bitLast)}
}

func (x *outgoing) dealtWith() Write {
	return Write{What: WroteContflag, Window: x.window, Serial: x.serial}
}

func (n *node) wrote(w Write) {
	if c := n.m.chip; c != nil && c.Wrote != nil && w.What != WroteNothing {
		w.Node = n.id
		c.Wrote(w)
	}
}

func (c *Chip) clocks() uint64 { return uint64(c.Core.Index(c.Kernel.Now())) }

// step runs all events up to the next clock of the core.
func (c *Chip) step() {
	c.Kernel.RunUntil(c.Core.Edge(c.Core.Index(c.Kernel.Now() + 1)))
}

// stamp returns the present as a number that is never 0.
func (m *Machine) stamp() uint64 {
	if m.chip != nil {
		return uint64(m.chip.Kernel.Now()) + 1
	}
	return m.clock
}

func (m *Machine) linked() bool { return m.chip != nil && m.chip.Link != nil }

// sendOverLink is actSWI where there is a network: the next packet passes SWI while the previous
// one is leaving.
func (n *node) sendOverLink() Cond {
	switch n.regs[SWI].state {
	case IDLE:
		if n.send.len() > 0 {
			return Packet
		}
	case SEND:
		if n.leaving {
			return Stay
		}
		p := n.send.take()
		p.from, p.drained = n.id, 0
		n.wire = 8*flits + p.size
		n.leaving = true
		n.m.chip.Link.Send(n.id, p.h.node(), p.size, p)
		return Always
	}
	return Stay
}

// Departed tells the machine that a node's last packet has left for the link.
func (m *Machine) Departed(node int) {
	n := m.nodes[node]
	n.leaving = false
	n.poke(1 << atSWI)
}

// Arrive hands the header of a packet to RFend of a node.
func (m *Machine) Arrive(node int, p, ride any) {
	n, k := m.nodes[node], p.(*packet)
	k.ride = ride
	if n.discards {
		k.gone = true
		return
	}
	n.receive.put(k)
	n.poke(1 << atRFend)
}

// Whole says that a whole packet has arrived, and returns whether the NIC is done with it, so that
// its buffer is already free.
func (m *Machine) Whole(node int, p any) (done bool) {
	k := p.(*packet)
	k.whole = true
	if k.gone {
		m.free(k)
		return true
	}
	m.nodes[node].poke(engineSet)
	return false
}

// leave removes a packet from the receive FIFO.
func (n *node) leave(p *packet) {
	m := n.m
	switch {
	case !m.linked():
		m.free(p)
		if m.chip != nil { // nodes that wait for room
			for _, o := range m.nodes {
				if o != n {
					o.pokeFrom(n)
				}
			}
		}
	case p.ride == nil:
		m.free(p)
	case p.whole:
		m.chip.Link.Release(p.ride)
		m.free(p)
	default:
		p.gone = true
	}
}

// reading reports whether a transfer reads host memory.
func (t *transfer) reading() bool { return t.kind == fetchPayload }

package stepped

import "rhinet/nicemu/martini"

// rfendUnit is the Receiver Front-end (martini, sections 7.2, 10.8). The packet that it processes
// stays at the head of the receive FIFO until its payload has been read, and only then RFend begins
// the next.
type rfendUnit struct {
	rf     frontRegisters
	taken  bool   // the head of the receive FIFO is being processed
	number uint64 // packets taken
	// broken holds, by the sending node, by request or reply, and by Window, the last request that
	// was refused; the rest of it is dropped in FLIT3. Our choice.
	broken  [][2][martini.Windows]uint64
	known   [64]Refused // refusals that this issuer has learned of
	knownAt int
}

// frontRegisters are the values that RFend latches from the flits, and the address.
type frontRegisters struct {
	h        header
	size     int    // bytes of payload
	offset   uint64 // offset from SID; the receive address if noLookup
	va       uint64
	noLookup bool // RVATLB is not consulted; cleared on entry to IDLE
	ring     bool // VPUSH
}

func (n *node) actRFend() Cond {
	x := &n.rf
	switch n.regs[RFend].state {
	case IDLE:
		if n.receive.len() == 0 {
			return Stay
		}
		if n.taken {
			return n.waitOr(RFend)
		}
		n.taken = true
		n.number++
		return Packet
	case FLIT0:
		p := *n.receive.head()
		*x = frontRegisters{size: p.size}
		x.h[martini.FlitType] = p.h[martini.FlitType]
		return Always
	case FLIT1:
		p := *n.receive.head()
		x.h[martini.FlitTarget], x.h[flitReturn], x.h[flitSerial] = p.h[martini.FlitTarget], p.h[flitReturn], p.h[flitSerial]
		switch {
		case x.h.kind() >= firstControl:
			return Control
		case n.m.o.Direct && x.h.kind() == martini.PacketPush && x.h.has(bitAOTF):
			return Direct
		}
		return Ordinary
	case FLIT2:
		x.h[martini.FlitSegment] = (*n.receive.head()).h[martini.FlitSegment]
		return Always
	case FLIT3:
		p := *n.receive.head()
		x.h[martini.FlitOffset], x.h[martini.FlitLocal] = p.h[martini.FlitOffset], p.h[martini.FlitLocal]
		x.offset, x.va = x.h[martini.FlitOffset], x.h[martini.FlitLocal]
		return n.sort(x)
	case RVACHK, RVACHK2, SET1, SET2, SET3:
		return Always
	case RVA:
		return n.resolve(x)
	case SET4, AOTFR:
		n.handOver(x)
		return Always
	case AOTF:
		p := *n.receive.head()
		x.h = p.h
		x.offset = x.h[martini.FlitOffset]
		if n.isBroken(p) {
			return Miss
		}
		if n.resolve(x) == Hit {
			return Hit
		}
		return Miss
	}
	return Stay
}

// sort is FLIT3: it selects the path of a packet by its type.
func (n *node) sort(x *frontRegisters) Cond {
	if n.isBroken(*n.receive.head()) {
		return Unknown
	}
	switch x.h.kind() {
	case martini.PacketPush, martini.PacketPullRequest:
		return Translate
	case martini.PacketAck, martini.PacketPullResponse:
		if x.va+uint64(x.size) < x.va {
			return Unknown // no such address
		}
		return Plain
	}
	return Unknown
}

// resolve is RVA.
func (n *node) resolve(x *frontRegisters) Cond {
	if x.noLookup {
		x.va = x.offset
		return Hit
	}
	if x.h.segment() == VPushSegment && n.ring != nil && n.ring.o.Hardware && n.ring.accept(x) == 0 {
		return n.ring.place(x)
	}
	s := n.rvatlb.find(x.h.key(), uint64(x.h.segment()))
	size := x.h.length()
	if s == nil || !n.nic.Known(x.h.segment()) || x.offset > s.length || size > s.length-x.offset {
		return Miss
	}
	x.va = s.start + x.offset
	return Hit
}

// handOver is SET4: RBend or the Replier takes over. The Replier learns of a requested ack now, and
// waits for the payload's DMA (martini, section 14, 3).
func (n *node) handOver(x *frontRegisters) {
	if x.h.kind() == martini.PacketPullRequest {
		n.jobs.put(job{h: x.h, va: x.va})
		n.dropPacket()
		return
	}
	n.rb = backRegisters{
		start: true, key: x.h.key(), va: x.va, left: x.size, packet: *n.receive.head(), ring: x.ring && !x.noLookup,
	}
	if x.h.kind() == martini.PacketPush && !x.ring {
		n.rb.seg = x.h.segment()
	}
	if x.noLookup {
		n.rb.seg = 0
	}
	switch {
	case x.ring && !x.noLookup:
		n.ring.hardwareEnd(&n.rb)
	case x.h.wantsAck():
		n.jobs.put(job{h: x.h, ack: true, arrival: n.number, ring: x.ring, result: x.h[flitSerial]})
	case x.h.has(bitReply) && x.h.has(bitLast) && x.h.kind() == martini.PacketPullResponse && x.h.flag() != 0 && x.h.issuer() == n.id:
		n.rb.flag, n.rb.flagAt, n.rb.word = true, n.nic.FlagAddress(x.h.window(), x.h.flag()), x.h[flitSerial]
	}
}

// dropPacket removes the packet from the receive FIFO; RFend may begin the next.
func (n *node) dropPacket() {
	n.leave(n.receive.take())
	n.taken = false
	n.arrived = n.number
}

func (n *node) isBroken(p *packet) bool {
	s := n.breakage(p)
	return s != nil && *s != 0 && *s == p.h[flitSerial]
}

// breakage returns the place of the last refused request in a packet's stream.
func (n *node) breakage(p *packet) *uint64 {
	if p.h.window() >= martini.Windows || p.h.has(bitFirmware) || p.h.has(bitAOTF) {
		return nil
	}
	reply := 0
	if p.h.has(bitReply) {
		reply = 1
	}
	return &n.broken[p.from][reply][p.h.window()]
}

package stepped

import "rhinet/nicemu/martini"

// rbendUnit is the Receiver Back-end (martini, sections 7.2, 10.9).
type rbendUnit struct {
	rb      backRegisters
	arrived uint64 // number of the last packet whose payload is in memory, or that was dropped
}

// backRegisters are the registers for one packet's payload.
type backRegisters struct {
	start  bool // RFend has handed the packet over
	key    uint64
	va     uint64
	left   int // bytes that the DMA controller has not been asked to move yet
	seg    martini.Segment
	packet *packet
	piece  translation
	flag   bool   // a word follows the payload: PULL's completion flag, or the ring's receive pointer
	flagAt uint64 // its virtual address
	word   uint64
	inFlag bool
	ring   bool
}

func (n *node) actRBend() Cond {
	x := &n.rb
	switch n.regs[RBend].state {
	case IDLE:
		switch {
		case !x.start:
			return Stay
		case x.left == 0:
			return Nothing
		}
		return Packet
	case IPA:
		if !n.askPATLB() {
			return Stay
		}
		return Always
	case IPA2:
		size := x.left
		if x.inFlag {
			size = 8
		}
		if n.translate(&x.piece, x.key, x.va, size, x.seg) {
			return Hit
		}
		return Miss
	case CHK1:
		return Always
	case CHK2:
		return n.deliver(x)
	case WAIT:
		return n.settle(x)
	}
	return Stay
}

// deliver is CHK2: it requests the DMA of one piece.
func (n *node) deliver(x *backRegisters) Cond {
	if n.full(fromRBend) {
		return Stay
	}
	if !x.piece.frame.Hold() {
		n.patlb.remove(x.key, x.va/pageBytes)
		return Withdrawn
	}
	t := transfer{master: pci, slave: buffers, kind: storePayload, frame: x.piece.frame, off: x.piece.off, size: x.piece.size, packet: x.packet}
	if x.inFlag {
		t.kind, t.slave, t.word = storeWord, registers, x.word
		n.ask(fromRBend, t)
		return Done
	}
	t.at = x.packet.size - x.left
	t.joint.shift = uint(t.off % 8)
	n.ask(fromRBend, t)
	x.va += uint64(t.size)
	if x.left -= t.size; x.left > 0 {
		return More
	}
	return Done
}

// settle is WAIT: when the payload is in memory, the flag follows; when that is there, the packet
// is finished.
func (n *node) settle(x *backRegisters) Cond {
	if !n.settled(x) {
		return n.waitOr(RBend)
	}
	if x.flag {
		x.flag, x.inFlag = false, true
		x.va, x.seg = x.flagAt, 0
		return Flag
	}
	if x.ring && x.inFlag {
		n.ring.receive = x.word
		n.wrote(ringWrite(&x.packet.h, x.word))
	}
	n.wrote(arrival(x.packet))
	x.start = false
	n.dropPacket()
	return Drained
}

// settled reports whether everything that RBend has requested of the DMA controller is in memory.
func (n *node) settled(x *backRegisters) bool {
	return x.packet.drained >= x.packet.size && n.queues[fromRBend].len() == 0 && !n.storing()
}

// storing reports whether the engine is working for RBend.
func (n *node) storing() bool {
	return n.regs[PCIDMAC].state != IDLE && n.engines[pci].turn == fromRBend
}

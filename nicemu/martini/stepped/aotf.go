package stepped

import (
	"encoding/binary"
	"errors"
	"fmt"

	"rhinet/nicemu/martini"
)

// writeDepth is the length of the queue of writes to the AOTF area (unstated).
const writeDepth = 16

type aotfWrite struct{ address, value uint64 }

// aotfUnit is the AOTF Send Controller (martini, section 6.2), which is not subject to taking-over.
// Header Buffer and Header TLB are the NIC's: [martini.NIC.RegisterHeader] registers and checks
// headers.
type aotfUnit struct {
	writes fifo[aotfWrite]
	slot   int // of the Header Buffer
}

// ErrFull says that the queue of AOTF writes is full for now.
var ErrFull = errors.New("stepped: the queue of AOTF writes is full")

// WriteAOTF writes one double word into the AOTF area, at a byte address in it, which sends one
// packet. Our choice: a write that finds no header is dropped and reported as a refusal.
func (m *Machine) WriteAOTF(node int, address uint32, value uint64) error {
	if uint(node) >= uint(len(m.nodes)) {
		return fmt.Errorf("stepped: no node %d", node)
	}
	n := m.nodes[node]
	if n.writes.len() >= writeDepth {
		return ErrFull
	}
	n.writes.put(aotfWrite{uint64(address), value})
	n.poke(1 << atAOTF)
	return nil
}

func (n *node) actAOTF() Cond {
	switch n.regs[AOTFSend].state {
	case IDLE:
		if n.writes.len() == 0 {
			return Stay
		}
		return Packet
	case HTLB:
		slot, ok := n.nic.HeaderTLB(uint16(n.writes.head().address / pageBytes))
		if !ok {
			n.writes.take()
			n.learn(Refused{martini.Windows, 0, martini.NoHeader, true, 8})
			return Miss
		}
		n.slot = slot
		return Hit
	case HBUF:
		return Always
	case SEND:
		if n.direct.len() >= headerDepth {
			return Stay
		}
		n.direct.put(n.aotfPacket(n.writes.take()))
		return Always
	}
	return Stay
}

// aotfPacket combines a header and the double word. The packet belongs to no Window.
func (n *node) aotfPacket(w aotfWrite) *packet {
	target, seg, offset, override := n.nic.HeaderBuffer(n.slot)
	if override {
		offset = w.address % pageBytes
	}
	p := n.m.packet(8)
	p.h = header{}
	p.h[martini.FlitType] = martini.TypeFlit(martini.PacketPush, 0, 8)
	p.h[martini.FlitTarget] = target
	p.h[martini.FlitSegment], p.h[martini.FlitOffset] = uint64(seg), offset
	p.h[flitReturn] = returnFlit(n.id, n.id, martini.Windows) | bitLast | bitAOTF
	p.have, p.built = 8, true
	binary.NativeEndian.PutUint64(p.payload[:8], w.value)
	return p
}

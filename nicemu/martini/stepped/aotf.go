package stepped

import (
	"encoding/binary"
	"errors"
	"fmt"

	"rhinet/nicemu/martini"
)

// Sizes of AOTF's memories (all unstated): headers, entries of the Header TLB,
// and writes that wait.
const (
	Headers    = 64
	headerTLB  = 256
	writeDepth = 16
)

type aotfHeader struct {
	h        header
	override bool
}

type aotfEntry struct {
	valid  bool
	page   uint16
	header uint8
}

type aotfWrite struct{ address, value uint64 }

// aotfUnit is the AOTF Send Controller (martini, section 6.2). It is no part of
// taking-over.
type aotfUnit struct {
	buffer [Headers]aotfHeader
	tlb    [headerTLB]aotfEntry
	writes fifo[aotfWrite]
	which  int
	lost   uint64
}

// Errors of AOTF.
var (
	ErrHeader = errors.New("stepped: the driver does not register this AOTF header")
	ErrFull   = errors.New("stepped: the queue of AOTF writes is full")
)

// RegisterHeader enters a header for the process that owns a Window, and the
// page of the AOTF area by which it is used: what the driver does after it has
// inspected the header, since PGIDTBL is not consulted for the writes (martini,
// section 6.2). With override, the low 12 bits of a written address replace the
// header's offset.
func (m *Machine) RegisterHeader(node, window, slot int, page uint64, override bool, p *martini.Packet) error {
	if uint(node) >= uint(len(m.nodes)) || uint(slot) >= Headers || uint(window) >= martini.Windows {
		return fmt.Errorf("%w: node %d, window %d, slot %d", ErrHeader, node, window, slot)
	}
	n := m.nodes[node]
	key, valid := n.nic.Owner(window)
	switch {
	case !valid, p.PGID != uint32(key):
		return fmt.Errorf("%w: PGID %d is not that of window %d", ErrHeader, p.PGID, window)
	case p.Type != martini.PacketPush || p.Flag != 0:
		return fmt.Errorf("%w: type %d, flag %d; it is for PUSH without an ack", ErrHeader, p.Type, p.Flag)
	case uint(p.Node) >= uint(len(m.nodes)):
		return fmt.Errorf("%w: no node %d", ErrHeader, p.Node)
	}
	h := header{}
	h[martini.FlitType] = typeFlit(p.Type, 0, 8)
	h[martini.FlitTarget] = martini.MakeKey(p.PGID, p.PID) | uint64(p.Node)<<48
	h[martini.FlitSegment], h[martini.FlitOffset] = uint64(p.Segment), p.Offset
	h[flitReturn] = returnFlit(node, int(key>>32&0xffff), window) | bitLast | bitAOTF
	n.buffer[slot] = aotfHeader{h, override}
	n.tlb[uint16(page)%headerTLB] = aotfEntry{true, uint16(page), uint8(slot)}
	return nil
}

// WriteAOTF writes one double word into the AOTF area, at a byte address of
// it: one packet. ErrFull means that the write was not taken.
func (m *Machine) WriteAOTF(node int, address, value uint64) error {
	n := m.nodes[node]
	if n.writes.len() >= writeDepth {
		return ErrFull
	}
	n.writes.put(aotfWrite{address, value})
	n.busy = true
	return nil
}

// LostAOTF returns how many writes found no header. Our choice: they are
// dropped and counted.
func (m *Machine) LostAOTF(node int) uint64 { return m.nodes[node].lost }

func (n *node) actAOTF() Cond {
	switch n.regs[AOTFSend].state {
	case IDLE:
		if n.writes.len() == 0 {
			return Stay
		}
		return Packet
	case HTLB:
		page := uint16(n.writes.head().address / pageBytes)
		e := n.tlb[page%headerTLB]
		if !e.valid || e.page != page {
			n.writes.take()
			n.lost++
			return Miss
		}
		n.aotfUnit.which = int(e.header)
		return Hit
	case HBUF:
		return Always
	case SEND:
		if n.direct.len() >= headerDepth {
			return Stay
		}
		w := n.writes.take()
		b := &n.buffer[n.aotfUnit.which]
		p := n.m.packet(8)
		p.h, p.have, p.built = b.h, 8, true
		if b.override {
			p.h[martini.FlitOffset] = w.address % pageBytes
		}
		binary.NativeEndian.PutUint64(p.payload[:8], w.value)
		n.direct.put(p)
		return Always
	}
	return Stay
}

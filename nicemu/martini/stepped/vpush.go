package stepped

import (
	"errors"
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// VPushSegment is the SID of VPUSH: it is never in RVATLB, and by it firmware tells VPUSH from a
// true miss (martini, section 11.3; our choice).
const VPushSegment = martini.VPushSegment

// RingOptions say who serves a ring.
type RingOptions struct {
	Hardware bool // RFend handles the receive pointer itself, instead of firmware
	Software bool // firmware does everything that follows RFend's miss, for comparison (martini, section 13, E8)
}

// A Ring stores the VPUSH packets of all senders, in order of arrival, at a node (martini, section
// 11.2). Pointers count bytes and never wrap; a position is its pointer modulo the size, and both
// sides skip to the start when less than an MTU remains. Only the receiving process reads the ring.
type Ring struct {
	n       *node
	o       RingOptions
	key     uint64
	base    uint64 // virtual address
	size    uint64
	pointer []byte // host memory: the copy of the receive pointer that the host reads
	data    []byte
	receive uint64 // firmware's or RFend's: place of the next packet
	release uint64 // Martini register, written by the host: end of what the host has processed
	next    uint64 // firmware's: the receive pointer after the present packet
	pending bool   // a packet is in progress
	at      uint64 // the host's read pointer
}

// NewRing makes b, pinned by the owner of a Window, the VPUSH ring of a node. Its first page holds
// the receive pointer; the other pages are the ring.
func (m *Machine) NewRing(node, window int, b []byte, o RingOptions) (*Ring, error) {
	if uint(node) >= uint(len(m.nodes)) || uint(window) >= martini.Windows {
		return nil, fmt.Errorf("stepped: no window %d of node %d", window, node)
	}
	at := fabric.Address(b)
	if at%pageBytes != 0 || len(b)%pageBytes != 0 || len(b) < 2*pageBytes {
		return nil, fmt.Errorf("stepped: a VPUSH ring of %d bytes at %#x; it takes two whole pages or more", len(b), at)
	}
	n := m.nodes[node]
	key, valid := n.nic.Owner(window)
	if !valid {
		return nil, martini.InvalidWindow
	}
	if o.Hardware && o.Software {
		return nil, errors.New("stepped: a VPUSH ring served by hardware and by firmware")
	}
	n.cpu.handlers[exception{RFend, RVA}] = (*Firmware).rvaMiss
	if o.Software {
		n.cpu.handlers[exception{RFend, RVA}] = (*Firmware).rvaMissAlone
	}
	n.ring = &Ring{n: n, o: o, key: key, base: at + pageBytes, size: uint64(len(b)) - pageBytes, pointer: b[:8], data: b[pageBytes:]}
	atomic.StoreUint64(martini.Word64(b, 0), 0)
	return n.ring, nil
}

// Next returns the bytes that have arrived at the ring's read position, up to the longest record,
// or nil if there are none. The record itself says where it ends.
func (r *Ring) Next() []byte {
	end := atomic.LoadUint64(martini.Word64(r.pointer, 0))
	at := skip(r.at, r.size)
	if end <= at {
		return nil
	}
	pos := at % r.size
	return r.data[pos:min(r.size, pos+min(end-at, MTU))]
}

// Release says that the process is done with a record of n bytes.
func (r *Ring) Release(n int) {
	r.at = skip(r.at, r.size) + uint64(n)
	atomic.StoreUint64(&r.release, r.at)
	r.n.poke(1<<atCPU | 1<<atRFend)
}

// skip returns the pointer at which a record is stored if the ring's pointer is p.
func skip(p, size uint64) uint64 {
	if rest := size - p%size; rest < MTU {
		return p + rest
	}
	return p
}

// accept returns 0 if a packet may go to the ring, or else why not.
func (r *Ring) accept(x *frontRegisters) martini.Reason {
	switch {
	case r.key != x.h.key() && uint32(r.key) != x.h.pgid():
		return martini.WrongJob
	case r.key != x.h.key():
		return martini.NoSegment
	case x.h.kind() != martini.PacketPush || x.h.flag() == 0:
		return martini.SpecialPacket // without the ack-request flag the Replier would not start
	case x.h.length() > MTU || !x.h.has(bitLast):
		return martini.WrongLength
	}
	return 0
}

// room reports whether size bytes fit, and returns their place.
func (r *Ring) room(size int) (at uint64, ok bool) {
	at = skip(r.receive, r.size)
	return at, at+uint64(size)-atomic.LoadUint64(&r.release) <= r.size
}

// place is RVA for the hardware variant: RFend waits while the ring is full.
func (r *Ring) place(x *frontRegisters) Cond {
	at, ok := r.room(x.size)
	if !ok {
		return Stay
	}
	x.va, x.ring = r.base+at%r.size, true
	return InRing
}

// hardwareEnd makes RBend write the receive pointer after the payload.
func (r *Ring) hardwareEnd(x *backRegisters) {
	x.flag, x.flagAt, x.word = true, r.base-pageBytes, skip(r.receive, r.size)+uint64(x.left)
}

package stepped

import "rhinet/nicemu/martini"

// MTU bounds the payload of a packet in bytes (martini, section 1.2).
const MTU = martini.MaxImage

// Two flits follow the five that a user may write. Our choice: only the hardware writes them, and
// nobody can forge them.
const (
	flitReturn = martini.HeaderFlits     // bits 0-15 issuer's node, 16-31 its PID, 32-47 Window, 48-63 below
	flitSerial = martini.HeaderFlits + 1 // number of the request in its Window
	flits      = martini.HeaderFlits + 2
)

// Bits of flitReturn.
const (
	bitLast     = 1 << (48 + iota) // of its request: the ack-request flag counts only here (4.4)
	bitReply                       // made by a Replier
	bitFirmware                    // made by firmware
	bitAOTF                        // made by an AOTF Send Controller
	bitLock                        // belongs to a LOCK, whose tenure a refusal ends
)

// packetNotice tells an issuer's firmware that its request was refused, and why. It is network
// control: packets with types from firstControl on leave RFend in FLIT1 (martini, section 10.8;
// values unstated).
const (
	firstControl = 0xf0
	packetNotice = 0xf0
)

// header is the flits of a packet.
type header [flits]uint64

func (h *header) users() martini.Flits     { return h[:martini.HeaderFlits] }
func (h *header) kind() uint8              { return h.users().Kind() }
func (h *header) flag() int                { return h.users().Flag() }
func (h *header) length() uint64           { return h.users().Length() }
func (h *header) key() uint64              { return h.users().Key() }
func (h *header) pgid() uint32             { return h.users().PGID() }
func (h *header) node() int                { return h.users().Node() }
func (h *header) segment() martini.Segment { return h.users().Segment() }
func (h *header) has(bit uint64) bool      { return h[flitReturn]&bit != 0 }
func (h *header) issuer() int              { return int(h[flitReturn] & 0xffff) }
func (h *header) issuerPID() int           { return int(h[flitReturn] >> 16 & 0xffff) }
func (h *header) window() int              { return int(h[flitReturn] >> 32 & 0xffff) }

// wantsAck reports the ack-request flag: a completion flag is named, and this is the last packet of
// its request (martini, section 4.4). Acks and other replies request none.
func (h *header) wantsAck() bool { return h.flag() != 0 && h.has(bitLast) && !h.has(bitReply) }

func returnFlit(node, pid, window int) uint64 {
	return uint64(uint16(node)) | uint64(uint16(pid))<<16 | uint64(uint16(window))<<32
}

// A packet in flight.
type packet struct {
	h       header
	from    int  // the node that sent it
	size    int  // bytes of payload
	have    int  // number of these that the DMA controller has fetched
	built   bool // the header is complete
	drained int  // bytes that have left the receive buffer
	whole   bool // the whole packet has arrived; set where that takes time
	gone    bool // the NIC was done with it before that
	ride    any  // the link's
	payload [MTU]byte
}

// ready reports whether a packet is complete.
func (p *packet) ready() bool { return p.built && p.have == p.size }

// packet takes a packet from the pool.
func (m *Machine) packet(size int) *packet {
	if len(m.pool) == 0 {
		return &packet{size: size}
	}
	p := m.pool[len(m.pool)-1]
	m.pool = m.pool[:len(m.pool)-1]
	p.from, p.size, p.have, p.built, p.drained = 0, size, 0, false, 0
	p.whole, p.gone, p.ride = false, false, nil
	return p
}

func (m *Machine) free(p *packet) { m.pool = append(m.pool, p) }

// A fifo holds what one module passes to another, in order. Our choice: its writer enforces its
// depth; a fifo that must never make a reply wait behind a request (martini, section 7.1) has no
// limit.
type fifo[T any] struct {
	items []T
	first int
}

func (q *fifo[T]) len() int { return len(q.items) - q.first }
func (q *fifo[T]) head() *T { return &q.items[q.first] }
func (q *fifo[T]) at(i int) *T {
	return &q.items[q.first+i]
}

func (q *fifo[T]) put(v T) {
	if q.first > 0 && len(q.items) == cap(q.items) {
		n := copy(q.items, q.items[q.first:])
		q.items, q.first = q.items[:n], 0
	}
	q.items = append(q.items, v)
}

func (q *fifo[T]) take() T {
	v := q.items[q.first]
	if q.first++; q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	}
	return v
}

// drop removes the items for which gone returns true.
func (q *fifo[T]) drop(gone func(*T) bool) {
	kept := q.items[:0]
	for i := q.first; i < len(q.items); i++ {
		if v := q.items[i]; !gone(&v) {
			kept = append(kept, v)
		}
	}
	q.items, q.first = kept, 0
}

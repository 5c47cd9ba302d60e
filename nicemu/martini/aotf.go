package martini

import (
	"encoding/binary"
	"sync/atomic"
)

// AOTF, atomic on-the-fly: one write of one double word sends one packet with that double word as
// its payload (martini, section 6.2). The AOTF area is addressed by byte: bits 12 to 27 are the
// page, which is looked up in the header TLB, bits 0 to 11 the offset that may replace the
// header's.
//
// Our choice: the header TLB is direct-mapped by the page's low bits and leads to the header of the
// same index; a write that finds no header is dropped and reported; the queue of writes has no
// limit, since each packet has arrived when its write returns.

// AOTFHeaders is the number of headers that the header buffer holds.
const AOTFHeaders = 256

const aotfPageShift = 12

// A Header is the common part of the packets of one AOTF page.
type Header struct {
	PGID     uint32 // 0, or that of the own job: the driver refuses any other
	Node     int    // its number is also its process's PID
	Segment  Segment
	Offset   uint64
	Override bool // the written address's low 12 bits replace Offset
}

// Words of an entry of the header buffer. The TLB's words are elsewhere.
const (
	hdrSegment  = 0
	hdrOffset   = 1
	hdrTarget   = 2 // bits 0-31 PGID, 32-47 PID, 48-63 node
	hdrOverride = 3

	tlbValid = 1 << 63 // of a TLB word; bits 0-15 are the page
)

// An aotfRoute is a header with its translations made in advance, as in route. Only segments of the
// NICs themselves, which nobody can withdraw while a packet travels, are written without the DMA
// controller.
type aotfRoute struct {
	mem       []byte // of the segment; nil: only the DMA controller can write it
	seg, page *uint64
	segWas    uint64
	pageWas   uint64
	offset    uint64
	mask      uint64 // the bits of the address that are part of the offset
}

// aotf is the sender of AOTF packets.
type aotf struct {
	routes [AOTFHeaders]aotfRoute
	double [8]byte // payload that the DMA controller writes
}

// RegisterHeader puts a header into the header buffer for a page of the AOTF area. It does the
// driver's work, which includes checking the header. A page that maps to the same entry loses its
// header.
func (n *NIC) RegisterHeader(page uint16, h Header) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := Refusal{Op: opAOTF, Node: h.Node, Segment: h.Segment, Offset: h.Offset, Bytes: 8}
	t, ok := n.node(h.Node)
	switch {
	case n.closed.Load():
		r.Reason = InvalidWindow
	case h.PGID != 0 && h.PGID != uint32(n.key):
		r.Reason = WrongJob
	case !ok:
		r.Reason = NoNode
	}
	if r.Reason != 0 {
		return n.refuse(r)
	}
	i := int(page % AOTFHeaders)
	atomic.StoreUint64(n.headerTLB(i), 0)
	if n.aotf == nil {
		n.aotf = new(aotf)
	}
	e := n.own.header(i)
	key := makeKey(uint32(n.key), h.Node)
	e.store(hdrSegment, uint64(h.Segment))
	e.store(hdrOffset, h.Offset)
	e.store(hdrTarget, TargetFlit(key, h.Node))
	e.store(hdrOverride, 0)
	if h.Override {
		e.store(hdrOverride, 1)
	}
	n.aotf.routes[i] = n.aim(t, key, &h)
	atomic.StoreUint64(n.headerTLB(i), tlbValid|uint64(page))
	return nil
}

// aim makes the translations for a header whose packets may go without the DMA controller.
func (n *NIC) aim(t node, key uint64, h *Header) (a aotfRoute) {
	if a.offset = h.Offset; h.Override {
		a.offset, a.mask = 0, 1<<aotfPageShift-1
	}
	if h.Segment.SID() >= firstSID {
		return a
	}
	s := t.segment(h.Segment.SID())
	a.seg, a.segWas = &s[entState], s.load(entState)
	size := s.load(entSize)
	va, hint, why := t.rva(key, h.Segment, 0, size)
	if why != 0 {
		return a
	}
	x := t.extent(hint)
	a.page, a.pageWas = &x[entState], x.load(entState)
	if n.pinned(t, h.Node, key, va, size, hint, true) == 0 {
		a.mem = n.near(x, hint, h.Node, va, size)
	}
	return a
}

// WithdrawHeader undoes RegisterHeader.
func (n *NIC) WithdrawHeader(page uint16) error {
	word := n.headerTLB(int(page % AOTFHeaders))
	if !atomic.CompareAndSwapUint64(word, tlbValid|uint64(page), 0) {
		return n.refuse(Refusal{Op: opAOTF, Node: n.rank, Reason: NoHeader})
	}
	return nil
}

// WriteAOTF writes v to the AOTF area. Like a Window, a header belongs to one goroutine at a time.
func (n *NIC) WriteAOTF(address uint32, v uint64) error {
	page := uint16(address >> aotfPageShift)
	i := int(page % AOTFHeaders)
	if atomic.LoadUint64(n.headerTLB(i)) != tlbValid|uint64(page) {
		return n.unusualAOTF(Refusal{Op: opAOTF, Node: n.rank, Offset: uint64(address), Bytes: 8, Reason: NoHeader, local: true}, address, v)
	}
	a := &n.aotf.routes[i]
	at := a.offset + uint64(address)&a.mask
	if at%8 == 0 && at < uint64(len(a.mem)) && // its length is a multiple of 8
		atomic.LoadUint64(a.seg) == a.segWas && atomic.LoadUint64(a.page) == a.pageWas {
		atomic.StoreUint64(Word64(a.mem, int(at)), v)
		return nil
	}
	return n.slowAOTF(i, at, address, v)
}

// slowAOTF sends the packet through RFend and RBend like any other.
func (n *NIC) slowAOTF(i int, at uint64, address uint32, v uint64) error {
	e := n.own.header(i)
	f := Flits{flitTarget: e.load(hdrTarget), flitSegment: e.load(hdrSegment)}
	r := Refusal{Op: opAOTF, Node: f.Node(), Segment: f.Segment(), Offset: at, Bytes: 8}
	var to way
	if why := to.find(n, r.Node, f.Key(), r.Segment, at, 8); why != 0 {
		if why == NoAccess {
			r.Reason = why
		}
		return n.unusualAOTF(r, address, v)
	}
	b := n.aotf.double[:]
	binary.NativeEndian.PutUint64(b, v)
	if r.Moved, r.Reason, r.Cause = n.carry(&to, true, b); r.Reason != 0 {
		return n.refuse(r)
	}
	return nil
}

func (t node) header(i int) *entry {
	return t.line(regHeaders + i*entryWords)
}

func (n *NIC) headerTLB(i int) *uint64 { return &n.own.tables[regHeaderTLB+i] }

// withdrawHeaders empties the header TLB.
func (n *NIC) withdrawHeaders() {
	for i := range AOTFHeaders {
		atomic.StoreUint64(n.headerTLB(i), 0)
	}
}

const opAOTF = "AOTF"

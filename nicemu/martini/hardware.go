package martini

import (
	"sync/atomic"

	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// Hardware is the inside of a NIC, for the stepped model of the controller (package stepped): the
// tables, memory and counters of the fast path, as the hardware and its firmware would access them.
// A process cannot get it from its NIC, only from [Manager.Hardware].
type Hardware struct{ *NIC }

// LockTable returns the locks of this NIC.
func (n *Hardware) LockTable() LockTable { return n.locks() }

// InitLock enters a lock for the owner of key, as the firmware does on a call of [Window.InitLock].
// It returns 0, or the reason of a refusal.
func (n *Hardware) InitLock(key, id uint64, representative int, seg Segment, offset uint64) Reason {
	return n.initLock(key, id, representative, seg, offset)
}

// Flits of a packet's header, by number; see the layout in regs.go.
const (
	FlitType    = flitType
	FlitTarget  = flitTarget
	FlitSegment = flitSegment
	FlitOffset  = flitOffset
	FlitLocal   = flitLocal
	HeaderFlits = headerFlits
)

// MakeKey returns the key of look-ups in PATLB and RVATLB, besides page or SID: bits 0-31 PGID,
// 32-47 PID (martini, section 5.2).
func MakeKey(pgid uint32, pid int) uint64 { return makeKey(pgid, pid) }

// Read returns one double word of the Window.
func (w *Window) Read(dw int) uint64 { return w.page[dw] }

// Store writes one double word of the Window without starting anything, for a
// caller that lets the stepped model carry the request out.
func (w *Window) Store(dw int, v uint64) { w.page[dw] = v }

// Owner looks a Window up in PGIDTBL: the key of its owner, and whether it has one (martini,
// section 3.2).
func (n *Hardware) Owner(window int) (key uint64, valid bool) {
	k := n.own.window(window).load(winKey)
	return k & winOwner, k&winValid != 0
}

// FlagAddress returns the virtual address at which the owner of a Window has mapped a word of its
// contflag page (martini, section 8.4).
func (n *Hardware) FlagAddress(window, flag int) uint64 {
	at, _ := n.f.Span(n.rank, fabric.Device)
	return ioBase + at + uint64(regFlags+window*pageWords+flag)*8
}

// A Frame is the result of a look-up in PATLB: a physical page (martini, section 5.1). It holds the
// entry of the page table that it came from, so that a transfer can keep the page from being
// released meanwhile.
type Frame struct {
	node  node
	at    int    // the extent
	entry *entry // the extent's entry; nil for contflag pages, which are never released
	owner *entry // contflag pages: the Window, if the look-up depends on its owner
	state uint64 // of the entry, or the Window's key
	mem   []byte // the process's memory on the page
	from  int    // offset of mem in the page
}

// Frame looks a virtual page of the owner of key up in this NIC's page table. Several buffers of
// the process may lie on one page: the result has size bytes at offset off of the page.
func (n *Hardware) Frame(key, page uint64, off, size int) (Frame, bool) {
	if f, ok := n.contPage(key, page); ok {
		return f, f.Bytes(off, size) != nil
	}
	for i := range int(min(atomic.LoadUint64(&n.own.tables[regHigh]), Extents)) {
		if f, ok := n.frameOf(i, key, page); ok && f.Bytes(off, size) != nil {
			return f, true
		}
	}
	return Frame{}, false
}

// frameOf returns the page in extent i.
func (n *Hardware) frameOf(i int, key, page uint64) (Frame, bool) {
	x := n.own.extent(i)
	f := Frame{node: n.own, at: i, entry: x, state: x.load(entState)}
	if f.state&entValid == 0 || !n.own.covers(i, key, page) {
		return Frame{}, false
	}
	start, end := page*fabric.PageBytes, (page+1)*fabric.PageBytes
	if phys := x.load(entPhys); phys&physProcess == 0 {
		f.mem = n.f.Memory((phys+page-x.load(entStart))*fabric.PageBytes, fabric.PageBytes)
		return f, f.mem != nil
	}
	lent := n.lent(n.rank, i)
	base := fabric.Address(lent)
	from, to := max(start, base), min(end, base+uint64(len(lent)))
	if lent == nil || from >= to {
		return Frame{}, false
	}
	f.mem, f.from = lent[from-base:to-base], int(from-start)
	return f, true
}

// contPage finds the contflag page of a Window. The driver enters it into the page table of the
// Window's owner when it maps the Window.
func (n *Hardware) contPage(key, page uint64) (Frame, bool) {
	first := n.FlagAddress(0, 0) / fabric.PageBytes
	if page < first || page-first >= Windows {
		return Frame{}, false
	}
	if owner, valid := n.Owner(int(page - first)); !valid || owner != key {
		return Frame{}, false
	}
	f := n.ContFrame(int(page - first))
	f.owner = n.own.window(int(page - first))
	f.state = f.owner.load(winKey)
	if f.state&(winOwner|winValid) != winValid|key {
		return Frame{}, false // withdrawn meanwhile
	}
	return f, true
}

// ContFrame looks a Window up in CONTTBL: the physical page of its contflag
// (martini, sections 3.2, 3.3).
func (n *Hardware) ContFrame(window int) Frame {
	at := n.own.window(window).load(winCont)
	return Frame{mem: n.f.Memory(at, fabric.PageBytes)}
}

// Hold keeps the page from being released until Drop, and reports whether the look-up is still
// valid.
func (f *Frame) Hold() bool {
	if f.entry == nil {
		return f.owner == nil || f.owner.load(winKey) == f.state
	}
	if !f.node.hold(f.at) {
		return false
	}
	if f.entry.load(entState) == f.state {
		return true
	}
	f.node.drop(f.at)
	return false
}

// Drop ends Hold.
func (f *Frame) Drop() {
	if f.entry != nil {
		f.node.drop(f.at)
	}
}

// Bytes returns n bytes at an offset of the page, or nil if the process does not have all of them
// there.
func (f *Frame) Bytes(off, n int) []byte {
	if off < f.from || off-f.from+n > len(f.mem) {
		return nil
	}
	return f.mem[off-f.from : off-f.from+n]
}

// Read and Write copy bytes as the DMA controller does: a program that polls the target sees the
// end of a transfer last. Both parts have the same length.
func (f *Frame) Read(b []byte, off int)  { dma.Read(b, f.Bytes(off, len(b))) }
func (f *Frame) Write(off int, b []byte) { dma.Write(f.Bytes(off, len(b)), b) }

// Store writes a word at an offset of the page in one access.
func (f *Frame) Store(off int, v uint64) {
	if b := f.Bytes(off, 8); b != nil && off%8 == 0 {
		atomic.StoreUint64(Word64(b, 0), v)
	}
}

// Find looks a segment up in the SID table for an access of size bytes at an offset. It returns the
// segment's start and length, or why the access is refused (martini, sections 5.5, 8.6).
func (n *Hardware) Find(key uint64, seg Segment, offset, size uint64) (start, length uint64, why error) {
	va, _, r := n.own.rva(key, seg, offset, size)
	if r != 0 {
		return 0, 0, r
	}
	return va - offset, n.own.segment(seg.SID()).load(entSize), nil
}

// Known reports whether a segment is still registered.
func (n *Hardware) Known(seg Segment) bool {
	return seg.SID() < Segments && n.own.segment(seg.SID()).known(seg) == 0
}

// ControlWord returns a control word for the owner of key, or the reason of a refusal.
func (n *Hardware) ControlWord(key, word uint64) (*uint64, error) {
	at := min(word, 1<<32) * 8
	if _, _, why := n.own.rva(key, makeSegment(sidControl, ioGen), at, 8); why != 0 {
		return nil, why
	}
	return &n.f.Words(n.rank, fabric.Control)[word], nil
}

// HeaderTLB looks a page of the AOTF area up in the Header TLB, by the low 16 bits of its number,
// and returns its slot in the Header Buffer (martini, section 6.2).
func (n *Hardware) HeaderTLB(page uint16) (slot int, ok bool) {
	slot = int(page % AOTFHeaders)
	return slot, atomic.LoadUint64(n.headerTLB(slot)) == tlbValid|uint64(page)
}

// HeaderBuffer returns a header of AOTF: its target as in flit FlitTarget, and
// whether the written address's low 12 bits replace the offset.
func (n *Hardware) HeaderBuffer(slot int) (target uint64, seg Segment, offset uint64, override bool) {
	e := n.own.header(slot)
	return e.load(hdrTarget), Segment(e.load(hdrSegment)), e.load(hdrOffset), e.load(hdrOverride) != 0
}

// CountIssued counts one refusal of an own request.
func (n *Hardware) CountIssued(r Reason) { count(n.own.tables[regRequests:], r) }

// CountArrived counts one refusal of a request that arrived.
func (n *Hardware) CountArrived(r Reason) { count(n.own.public[pubArrivals:], r) }

// A Withdrawal tells the NIC's caches that an entry of the page table or of the SID table has
// become invalid, before its memory is released (martini, section 8.3): pages of Key from First on,
// or else a segment.
type Withdrawal struct {
	Key, First, Pages uint64
	Segment           Segment
	Busy              func() bool // whether a transfer still holds the memory
}

// Watch has f called at each withdrawal; nil ends that. The caller of f waits for transfers in
// progress afterwards, so f may complete them.
func (n *Hardware) Watch(f func(Withdrawal)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.watch = f
}

// tell calls the watcher for extent i, or for a segment registered in it.
func (n *NIC) tell(i int, seg Segment) {
	if n.watch == nil {
		return
	}
	x, holds := n.own.extent(i), n.own.holds(i)
	n.watch(Withdrawal{
		Key: x.load(entKey), First: x.load(entStart), Pages: x.load(entSize), Segment: seg,
		Busy: func() bool { return atomic.LoadUint64(holds) != 0 },
	})
}

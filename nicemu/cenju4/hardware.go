package cenju4

import (
	"sync/atomic"

	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// Hardware is the inside of a NIC, for the stepped model (package stepped): the tables, memory,
// queues and counters of the fast path. A process cannot get it from its NIC, only from
// [Manager.Hardware].
type Hardware struct{ *NIC }

// Hardware returns the inside of a NIC of the job.
func (m *Manager) Hardware(n *NIC) (*Hardware, error) {
	if n == nil || n.f != m.f {
		return nil, errForeign
	}
	return &Hardware{n}, nil
}

// Ranks returns the number of nodes of the job.
func (h *Hardware) Ranks() int { return h.ranks }

// Closed reports whether the process has closed its NIC.
func (h *Hardware) Closed() bool { return h.closed.Load() }

// Enqueue writes a header into the task's header queue and returns its number there.
func (h *Hardware) Enqueue(p *Parcel) uint64 {
	h.enqueue(p)
	return h.own.tables[regQueue+1] - 1
}

// Header returns header number i of the task's queue, or of the remote-read header queue.
func (h *Hardware) Header(i uint64, reply bool) Parcel {
	slot := h.own.tables[regHeaders+i%QueueParcels*headerWords:]
	if reply {
		slot = h.own.public[pubReplies+i%ReplyParcels*headerWords:]
	}
	return Decode([headerWords]uint64(slot[:headerWords]))
}

// Destination returns an entry of the node table: physical node and cid.
func (h *Hardware) Destination(dest int) (node, cid int, why Reason) {
	d, why := h.own.lookUp(dest)
	return d.node, d.cid, why
}

// Cid returns the cid of the node's task.
func (h *Hardware) Cid() int { return taskCid }

// Set returns an entry of the multicast header table.
func (h *Hardware) Set(offset int) (Set, Reason) { return h.own.lookUpSet(offset) }

// Sync returns an entry of the synchronization header table, and whether the switches have its sid
// registered for this set.
func (h *Hardware) Sync(offset int) (members Set, sid int, agreed bool, why Reason) {
	bits, sid, why := h.own.lookUpSync(offset)
	return Set{Members: bits}, sid, atomic.LoadUint64(&h.table(sid)[0]) == bits, why
}

// SyncsSent returns the count of synchronization packets sent with a sid.
func (h *Hardware) SyncsSent(sid int) *uint64 { return &h.own.tables[regSyncSent+sid] }

// SyncsArrived returns the entry of the Synchronization Notification Table for a sid.
func (h *Hardware) SyncsArrived(sid int) *uint64 { return &h.own.public[pubArrived+sid] }

// A Segment is an entry of the segment table.
type Segment struct {
	First, Last uint64 // page numbers
	Shift       int    // log2 of the page size
}

// Segment returns an entry of the own segment table.
func (h *Hardware) Segment(i int) Segment {
	s := h.own.segment(i)
	return Segment{s.first, s.last, int(s.shift)}
}

// A Page is an entry of a page table.
type Page struct {
	Mapped     bool
	Never      bool // it has never been mapped
	Generation uint32
	Mapping    int
	Bytes      uint64
	Rights     Right
	InJob      bool
	entry      pte
}

// Page returns an entry of the page table of a segment; page must be within the segment's limits.
func (h *Hardware) Page(segment int, page uint64) Page {
	s := h.own.segment(segment)
	e := loadPTE(h.own.entry(&s, page))
	return Page{e.mapped(), e.state == 0, e.gen(), e.number(), e.bytes(), Right(e.state) & rights, e.inJob(), e}
}

// Maps counts changes of the page tables: a TLB entry is valid as long as it is unchanged.
func (h *Hardware) Maps() uint64 { return atomic.LoadUint64(&h.own.tables[regMaps]) }

// Memory returns size bytes at an offset in a page, or nil if they are not accessible.
func (h *Hardware) Memory(p Page, offset, size uint64) []byte {
	at := p.entry.at() + offset
	if p.InJob {
		return h.f.Memory(at, size)
	}
	return dma.Within(h.f.Borrow(h.rank, p.Mapping), at, size)
}

// Behind returns the word that physically follows the page before the page that begins at an
// address.
func (h *Hardware) Behind(a Address) (word [oddWord]byte) {
	s := span{t: h.own, seg: h.own.segment(a.Segment()), at: a.Offset(), bytes: 1}
	s.first = loadPTE(h.own.entry(&s.seg, s.at>>s.seg.shift))
	if at, n := s.behind(0); n > 0 {
		copy(word[:], (&service{nic: h.NIC}).physicalPart(&memory{span: s, node: h.rank}, at, n))
	}
	return word
}

// Register returns the content of an address register of the task.
func (h *Hardware) Register(i int) Address {
	return Address(atomic.LoadUint64(h.own.addressRegister(i)))
}

// Append appends a message of a node to a message buffer.
func (h *Hardware) Append(from, which int, data []byte) Reason {
	copy(h.packet[:], data)
	s := service{nic: h.NIC, parcel: Parcel{Length: uint32(len(data))}, source: memory{hand: true, near: data}, sender: from}
	return s.message(h.rank, h.own, which)
}

// PutLog appends a record to the log buffer.
func (h *Hardware) PutLog(r LogRecord) { h.own.log(r) }

// PutNotice writes a slot of the notification buffer.
func (h *Hardware) PutNotice(rrid int, to Notice) { h.own.setNotice(rrid, to) }

// Arrival interrupts the OS for a parcel that requests it, unless that is disabled.
func (h *Hardware) Arrival() {
	if atomic.LoadUint64(&h.own.tables[regMask]) == 0 {
		h.own.interrupt(Arrived)
	}
}

// PushReply puts a header into the remote-read header queue and returns its number there.
func (h *Hardware) PushReply(p *Parcel) uint64 { return h.own.pushReply(p) }

// Count counts an event at the Sender, for replies or for the task's parcels.
func (h *Hardware) Count(c Count, by uint64, reply bool) {
	if reply {
		atomic.AddUint64(&h.own.public[pubSent+int(c)], by)
		return
	}
	h.count(c, by)
}

// CountRefused counts a refused parcel: of this node, or of another one refused here.
func (h *Hardware) CountRefused(r Reason, other bool) {
	w := &h.own.tables[regRefused+int(r)]
	if other {
		w = &h.own.public[pubRefused+int(r)]
	}
	atomic.AddUint64(w, 1)
}

// Word returns the word of 8 bytes at an offset in a page if processors share it, or else nil.
func (h *Hardware) Word(p Page, offset uint64) *uint64 {
	b := h.Memory(p, offset, wordBytes)
	if b == nil || !dma.Aligned(b) {
		return nil
	}
	return &fabric.WordsOf(b)[0]
}

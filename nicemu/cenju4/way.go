package cenju4

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A Way is a destination that was looked up in advance: an area of the static segment of a node, to
// which a process sends remote DMA repeatedly. It keeps the results of RHM's look-up in the node
// table and of the Receiver's TLB. Each time, only the state of the page-table entry, which is
// often read and never written, and the place are checked. A parcel over a Way is like any other,
// except that its header, which nobody would read, is not written; if a check fails, it is sent as
// an ordinary parcel, which finds the reason.
type Way struct {
	nic   *NIC
	dest  int
	node  int
	at    Address
	entry *uint64
	state uint64
	mem   []byte
	lines []ring.Line
	sent  *uint64 // number of parcels of a line
}

// Way looks up the area of a node that begins at an address.
func (n *NIC) Way(dest int, area Address) (*Way, error) {
	w, why := n.way(dest, area, MayRead|MayWrite)
	if why != 0 {
		return nil, n.refuse(Refusal{Protocol: RemoteDMA, Node: n.rank, Address: area, Reason: why})
	}
	return w, nil
}

func (n *NIC) way(dest int, area Address, need Right) (*Way, Reason) {
	if n.closed.Load() {
		return nil, Closed
	}
	d, why := n.own.lookUp(dest)
	if why == 0 {
		why = n.reaches(d.node)
	}
	if why != 0 {
		return nil, why
	}
	t := nodeOf(n.f, d.node)
	s, why := t.find(area, 1, need)
	if why != 0 {
		return nil, why
	}
	if s.at&(1<<s.seg.shift-1) != 0 {
		return nil, Misplaced
	}
	mem := n.f.Memory(s.first.at(), s.first.bytes())
	if !s.first.inJob() || mem == nil || s.first.at()%ring.LineBytes != 0 {
		return nil, Fault
	}
	return &Way{
		nic: n, dest: dest, node: d.node, at: area, entry: &t.entry(&s.seg, s.at>>s.seg.shift)[pteState], state: s.first.state,
		mem: mem, lines: fabric.LinesOf(mem), sent: &n.own.tables[regLines],
	}, 0
}

// good reports whether the page is unchanged since the look-up.
func (w *Way) good() bool { return atomic.LoadUint64(w.entry) == w.state && !w.nic.closed.Load() }

// The last byte and line of an area's address range: beyond the memory of any area, but not in the
// range of another one.
const (
	farByte = 1<<staticShift - ring.LineBytes
	farLine = farByte / ring.LineBytes
)

// Line is remote DMA of a line to number at of the area. The line becomes visible as a whole, its
// first word last.
func (w *Way) Line(at uint64, l *ring.Line) error {
	if !w.good() || at >= uint64(len(w.lines)) {
		return w.nic.Write(w.dest, w.at+Address(min(at, farLine)*ring.LineBytes), fabric.LineBytes(l)[:])
	}
	ring.Publish(&w.lines[at], l)
	*w.sent++
	return nil
}

// Put is remote DMA of b.
func (w *Way) Put(at uint64, b []byte) error {
	if size := uint64(len(w.mem)); !w.good() || at > size || uint64(len(b)) > size-at || len(b) > MaxParcel {
		return w.nic.Write(w.dest, w.at+Address(min(at, farByte)), b)
	}
	copy(w.mem[at:], b)
	packets, lines := plain(at%PageBytes, uint64(len(b)))
	w.nic.count(Parcels, 1)
	w.nic.count(Packets, packets)
	w.nic.count(Coherent, lines)
	return nil
}

// Get is a remote read of the word at offset at.
func (w *Way) Get(at uint64) (uint64, error) {
	if size := uint64(len(w.mem)); !w.good() || at%wordBytes != 0 || at > size || wordBytes > size-at {
		var b [wordBytes]byte
		err := w.nic.Read(w.dest, w.at+Address(min(at, farByte)), b[:])
		return binary.NativeEndian.Uint64(b[:]), err
	}
	n := w.nic
	n.count(Parcels, 1)
	n.count(Packets, 1)
	n.count(RemoteReads, 1)
	a := Parcel{Protocol: RemoteDMA, Dest: uint16(n.rank), Length: wordBytes, Words: [3]uint64{uint64(w.at) + at, uint64(LentFor(w.at + Address(at)))}}
	nodeOf(n.f, w.node).answer(&a, cost{packets: 1, coherent: 1})
	return atomic.LoadUint64(&fabric.WordsOf(w.mem)[at/wordBytes]), nil
}

// Prefetch prefetches line number at of the area, which will be written next. It changes nothing
// but timing.
func (w *Way) Prefetch(at uint64) {
	if at < uint64(len(w.lines)) {
		ring.Prefetch(&w.lines[at])
	}
}

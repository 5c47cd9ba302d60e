package dimmnet2

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A Way leads to the small buffers in the LLCM of another process, to which a process sends packets
// repeatedly. Before each packet only one word of that process's registers, the PGID, which rarely
// changes, and the place are checked. A packet over a Way is a BOTF like any other, or several if
// it is long, whose data is copied directly from the caller's memory to its target; if a check
// fails, it is refused for the same reason as a BOTF.
type Way struct {
	nic   *NIC
	rank  int
	group *uint64
	want  uint64
	mem   []byte // the small buffers
	lines []ring.Line
}

// Way looks up the LLCM of a rank.
func (n *NIC) Way(rank int) (*Way, error) {
	if n.closed || uint(rank) >= uint(n.f.Ranks()) {
		return nil, n.refuse(Refusal{Op: OpBOTF, Rank: n.rank, Reason: map[bool]Reason{true: Closed, false: NoNode}[n.closed]})
	}
	t := n.share(rank)
	w := &Way{nic: n, rank: rank, group: &t.tables[regPower], want: groupWord(n.own.pgid()), mem: t.llcm[BuffersAt:BuffersEnd:BuffersEnd]}
	w.lines = fabric.LinesOf(w.mem)
	if why := w.check(0, 0); why != 0 {
		return nil, w.refuse(why)
	}
	return w, nil
}

// good reports whether the receiver is still in this process's group.
func (w *Way) good() bool { return atomic.LoadUint64(w.group) == w.want && !w.nic.closed }

// check returns 0 if n bytes at an offset can be accessed, or else why not.
func (w *Way) check(at, n uint64) Reason {
	switch size := uint64(len(w.mem)); {
	case w.nic.closed:
		return Closed
	case atomic.LoadUint64(w.group) != w.want:
		return WrongGroup
	case at > size || n > size-at:
		return Outside
	}
	return 0
}

func (w *Way) refuse(why Reason) error {
	if why.Arrived() {
		w.nic.share(w.rank).countRefused(why)
	}
	return w.nic.refuse(Refusal{Op: OpBOTF, Rank: w.rank, Reason: why})
}

// Line is a BOTF of a whole line, to line number at of the small buffers. The line becomes visible
// as a whole, its first word last.
func (w *Way) Line(at uint64, l *ring.Line) error {
	if !w.good() || at >= uint64(len(w.lines)) {
		return w.refuse(w.check(min(at, ownLLCM)*ring.LineBytes, ring.LineBytes))
	}
	ring.Publish(&w.lines[at], l)
	w.nic.own.tables[regSent]++
	return nil
}

// Put sends b in as many BOTFs as it takes, to an offset of the small buffers.
func (w *Way) Put(at uint64, b []byte) error {
	if why := w.check(at, uint64(len(b))); why != 0 {
		return w.refuse(why)
	}
	copy(w.mem[at:], b)
	w.nic.own.tables[regSent] += uint64(len(b)+BOTFDataBytes-1) / BOTFDataBytes
	return nil
}

// Get is a remote read of the aligned word at an offset of the small buffers.
func (w *Way) Get(at uint64) (uint64, error) {
	why := w.check(at, 8)
	if why == 0 && at%8 != 0 {
		why = BadRequest
	}
	if why != 0 {
		return 0, w.refuse(why)
	}
	w.nic.own.tables[regSent]++
	return atomic.LoadUint64(&fabric.WordsOf(w.mem)[at/8]), nil
}

// Prefetch prefetches line number at, which will be written next. It changes nothing but timing.
func (w *Way) Prefetch(at uint64) {
	if at < uint64(len(w.lines)) {
		ring.Prefetch(&w.lines[at])
	}
}

// IPUSH appends a record to the receive ring of the process: as a BOTF or, if the payload is too
// long for that, as one packet from SO-DIMM. It reports whether there was room.
func (w *Way) IPUSH(head *[3]uint64, payload []byte) (bool, error) {
	n := w.nic
	why := w.check(0, 0)
	if why == 0 && len(payload) > RecordBytes {
		why = BadRequest
	}
	if why != 0 {
		return false, w.refuse(why)
	}
	ok, err := n.share(w.rank).records.Put(n.rank, head, payload, &n.sent[w.rank])
	if err != nil {
		return false, w.refuse(RingBroken)
	}
	if ok {
		n.own.tables[regSent]++
	}
	return ok, nil
}

// RecordImage returns the data of an IPUSH packet with a record.
func RecordImage(head *[3]uint64, payload []byte) []byte {
	b := make([]byte, 0, RecordHead+len(payload))
	for _, w := range head {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return append(b, payload...)
}

// Buffers returns this process's small buffers, or nil after Close.
func (n *NIC) Buffers() []byte {
	if n.closed {
		return nil
	}
	return n.own.llcm[BuffersAt:BuffersEnd:BuffersEnd]
}

// Account returns one of the two accounts that a process keeps of what another one has sent to it;
// from it a reader finds that something was overwritten before it was read. After Close it returns
// an account that no other process sees. Our choice; the hardware would not have it.
func (n *NIC) Account(at, of, which int) ring.Account {
	if n.closed {
		return ring.NewAccount(new(ring.Line))
	}
	return n.f.Account(at, of, which)
}

package sync

import (
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A Way leads to a buffer of another RP, to which a node sends data packets repeatedly. Before each
// packet only one word of that node's tables, the job, which rarely changes, and the place in the
// buffer are checked. The data is copied directly from the memory of the caller, without a send
// buffer: the RP would copy it there and send it on.
type Way struct {
	nic   *NIC
	node  int
	job   *uint64
	mem   []byte
	lines []ring.Line
}

// Way looks up a buffer of a node.
func (n *NIC) Way(to int, b Buffer) (*Way, error) {
	t, why := n.peer(to)
	if why == 0 && uint(b) >= uint(numBuffers) {
		why = NoBuffer
	}
	if why != 0 {
		return nil, n.refuse("way", to, why)
	}
	w := &Way{nic: n, node: to, job: t.jobOf()}
	if w.mem, why = t.buffer(n.f, to, b); why != 0 {
		return nil, n.refuse("way", to, why)
	}
	w.lines = fabric.LinesOf(w.mem)
	return w, nil
}

// buffer returns the memory of a node's buffer, if its entry in the table of buffers is intact.
func (t node) buffer(f *fabric.Fabric, rank int, b Buffer) ([]byte, Reason) {
	e := t.entry(b)
	at, size := atomic.LoadUint64(&e[entStart]), atomic.LoadUint64(&e[entSize])
	mem := f.Memory(at, size)
	switch {
	case size == 0:
		return nil, NoBuffer
	case mem == nil || at%ring.LineBytes != 0 || atomic.LoadUint64(&e[entSeal]) != fabric.Seal(at, size, uint64(rank), uint64(b)):
		return nil, Overwritten
	}
	return mem, 0
}

// good reports whether the node is still in this node's job.
func (w *Way) good() bool { return atomic.LoadUint64(w.job) == w.nic.job && !w.nic.closed }

// check returns 0 if n bytes at an offset can be accessed, or else why not.
func (w *Way) check(at, n uint64) Reason {
	switch size := uint64(len(w.mem)); {
	case w.nic.closed:
		return Closed
	case atomic.LoadUint64(w.job) != w.nic.job:
		return WrongJob
	case at > size || n > size-at:
		return Outside
	}
	return 0
}

// farLine is the number of a line beyond any buffer, with an offset that does not wrap around.
const farLine = 1 << 50

// Line sends one data packet, to line number at of the buffer. The line becomes visible as a whole,
// its first word last.
func (w *Way) Line(at uint64, l *ring.Line) error {
	if !w.good() || at >= uint64(len(w.lines)) {
		return w.nic.refuse("data", w.node, w.check(min(at, farLine)*ring.LineBytes, ring.LineBytes))
	}
	ring.Publish(&w.lines[at], l)
	w.nic.own.tables[regData]++
	return nil
}

// Put sends b in as many data packets as it takes, to an offset of the buffer.
func (w *Way) Put(at uint64, b []byte) error {
	if why := w.check(at, uint64(len(b))); why != 0 {
		return w.nic.refuse("data", w.node, why)
	}
	copy(w.mem[at:], b)
	w.nic.own.tables[regData] += uint64(len(b)+DataBytes-1) / DataBytes
	return nil
}

// Get asks the node, by an event packet, for the position of a buffer's reader, and returns the
// answer: the aligned word at an offset. This is the credit from which senders know that there is
// room (sync-controller, section 8, and our choice there).
func (w *Way) Get(at uint64) (uint64, error) {
	why := w.check(at, 8)
	if why == 0 && at%8 != 0 {
		why = Misaligned
	}
	if why != 0 {
		return 0, w.nic.refuse("credit", w.node, why)
	}
	w.nic.own.tables[regEvents]++
	return atomic.LoadUint64(&fabric.WordsOf(w.mem)[at/8]), nil
}

// Prefetch prefetches line number at, which will be written next. It changes nothing but timing.
func (w *Way) Prefetch(at uint64) {
	if at < uint64(len(w.lines)) {
		ring.Prefetch(&w.lines[at])
	}
}

package tofu

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A Way is a port with a tag of a node that was looked up in advance: memory of the job to which a
// process sends many orders. Each of them is checked only against one word of the target's table,
// which is often read and rarely written, and for its place. An order over a Way is like any other;
// if these checks fail, it is posted as an ordinary order, which finds the reason.
type Way struct {
	port  *Port
	node  int
	tag   Tag
	state *uint64 // of the entry
	mem   []byte
	lines []ring.Line
	sent  *uint64 // number of packets through the network port that leads there
}

// Way looks up a tag of a node for memory of the job to which this node may put and from which it
// may get. The result is valid as long as the tag is unchanged.
func (p *Port) Way(node int, tag Tag) (*Way, error) { return p.way(node, tag, MayPut|MayGet) }

func (p *Port) way(node int, tag Tag, need Right) (*Way, error) {
	o := Order{Command: Direct, Node: node, Tag: tag}
	s := service{nic: p.nic, order: &o}
	why := p.nic.admit(&o)
	if why == 0 {
		s.target = nodeOf(p.nic.f, node)
		s.memory, why = s.target.find(tag, makeKey(uint32(p.nic.key), node), need, 0, 0)
	}
	if why == 0 && (s.memory.rights&inJob == 0 || s.memory.start%ring.LineBytes != 0) {
		why = Misplaced
	}
	w := &Way{port: p, node: node, tag: tag, sent: new(uint64)}
	if why == 0 {
		if w.mem = p.nic.f.Memory(s.memory.start, s.memory.size); w.mem == nil {
			why = Fault
		}
	}
	if why != 0 {
		return nil, p.nic.refuse(Refusal{Command: Direct, Node: node, Tag: tag, Reason: why})
	}
	w.state = &s.target.entry(tag.Number())[entState]
	w.lines = fabric.LinesOf(w.mem)
	if exit := p.nic.exit(node); exit >= 0 {
		w.sent = &p.sent[exit]
	}
	return w, nil
}

// good reports whether the tag is still the one that was looked up.
func (w *Way) good() bool {
	return atomic.LoadUint64(w.state) == w.tag.state() && !w.port.nic.closed.Load()
}

// farLine is the number of a line beyond any memory, with an offset that does not wrap around.
const farLine = 1 << 50

// Line is a Direct put of a whole line at number at of the memory. The line becomes visible as a
// whole, its first word last.
func (w *Way) Line(at uint64, l *ring.Line) error {
	if !w.good() || at >= uint64(len(w.lines)) {
		return w.post(Direct, min(at, farLine)*ring.LineBytes, fabric.LineBytes(l)[:])
	}
	ring.Publish(&w.lines[at], l)
	*w.sent++
	w.port.complete(0)
	return nil
}

// Put is a Put of b.
func (w *Way) Put(at uint64, b []byte) error {
	if size := uint64(len(w.mem)); !w.good() || at > size || uint64(len(b)) > size-at {
		return w.post(Put, at, b)
	}
	copy(w.mem[at:], b)
	*w.sent += packets(len(b))
	w.port.complete(0)
	return nil
}

// Get is a Get of the aligned word at offset at.
func (w *Way) Get(at uint64) (uint64, error) {
	if size := uint64(len(w.mem)); !w.good() || at%wordBytes != 0 || at > size || wordBytes > size-at {
		var b [wordBytes]byte
		err := w.post(Get, at, b[:])
		return binary.NativeEndian.Uint64(b[:]), err
	}
	*w.sent++
	w.port.complete(0)
	return atomic.LoadUint64(wordAt(w.mem, at)), nil
}

// Prefetch prefetches line number at of the memory, which will be written next. It changes nothing
// but timing.
func (w *Way) Prefetch(at uint64) {
	if at < uint64(len(w.lines)) {
		ring.Prefetch(&w.lines[at])
	}
}

// post posts an ordinary order.
func (w *Way) post(c Command, at uint64, b []byte) error {
	_, err := w.port.Post(&Order{Command: c, Node: w.node, Tag: w.tag, Offset: at, Local: b})
	return err
}

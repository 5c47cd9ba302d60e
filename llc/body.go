package llc

import (
	"rhinet/internal/strided"
	"rhinet/internal/vec"
	"rhinet/llc/wire"
)

// A Body is a message that does not lie in one piece of memory. It is used while
// the request is under way, by one goroutine at a time.
type Body interface {
	// Size is the bytes of the message, or of the room for one.
	Size() int
	// Gather fills dst with the bytes from number off on.
	Gather(dst []byte, off int)
	// Scatter is the inverse of Gather.
	Scatter(src []byte, off int)
	// Blocks returns the memory from the first byte to the last, and the layout, if that is blocks at equal
	// distances; otherwise nil and one piece.
	Blocks() ([]byte, strided.Blocks)
	// List appends to l, which is empty, the layout of the first n bytes in the memory that it returns; it
	// returns nil if that takes more than most pieces.
	List(l strided.List, n, most int) ([]byte, strided.List)
}

// Bytes is the size of the message to send, or of the room for one.
func (r *Request) Bytes() int {
	if r.Body != nil {
		return r.Body.Size()
	}
	return len(r.Buf)
}

// Gather fills dst with bytes of the message from number off on.
func (r *Request) Gather(dst []byte, off int) {
	if r.Body != nil {
		r.Body.Gather(dst, off)
		return
	}
	copy(dst, r.Buf[off:]) // short enough to be inlined
}

// Scatter stores bytes of a message from number off on, as far as there is room.
func (r *Request) Scatter(src []byte, off int) {
	if r.Body == nil && off == 0 {
		copy(r.Buf, src) // most often; short enough to be inlined
		return
	}
	r.scatter(src, off)
}

func (r *Request) scatter(src []byte, off int) {
	switch room := r.Bytes() - off; {
	case room <= 0:
	case r.Body != nil:
		r.Body.Scatter(src[:min(len(src), room)], off)
	default:
		vec.Copy(r.Buf[off:], src)
	}
}

// payload returns n bytes of the message from number off on, for a packet that goes. Those of a Body are
// gathered.
func (e *Engine) payload(r *Request, off, n int) []byte {
	if r.Body == nil {
		return r.Buf[off : off+n]
	}
	data := e.staged(n)
	r.Body.Gather(data, off)
	e.stage.used++
	return data
}

// staged returns memory for n bytes of a body, which is in use until the next call if nobody counts it as such.
func (e *Engine) staged(n int) []byte {
	s := &e.stage
	if s.used == len(s.bufs) {
		s.bufs = append(s.bufs, nil)
	}
	if len(s.bufs[s.used]) < n {
		s.bufs[s.used] = make([]byte, max(n, e.nics[0].fragment))
	}
	return s.bufs[s.used][:n]
}

// A stage is memory for the payloads of the packets of bodies among the commands
// that have not been posted.
type stage struct {
	bufs   [][]byte
	used   int
	spares [sparesKept][]byte // for the next copies of transfers
}

// hand copies the message of a send to this peer itself to its receive.
func (e *Engine) hand(to, from *Request) {
	if from.Body == nil {
		to.Scatter(from.Buf, 0)
		return
	}
	n := min(to.Bytes(), from.Bytes())
	for off := 0; off < n; {
		part := e.staged(min(n-off, max(e.nics[0].fragment, 1)))
		from.Body.Gather(part, off)
		to.Scatter(part, off)
		off += len(part)
	}
}

// The NIC moves blocks from a certain length on directly between their places, if it can. The offer, or the
// answer to it, describes the layout at that side; the other side needs to know no more, and shares the
// message as a contiguous one. For blocks at equal distances the packet has their length and distance, for
// others a reference to a list, which the other side reads unless it has the same list (list.go).

// movesBlocks reports whether the NIC moves blocks: only with one command at a time for each message, since
// the command says where its blocks are.
func (n *nic) movesBlocks() bool { return n.caps.Blocks > 0 && n.copies.ports == 1 }

// reaches reports whether the NIC can move the noncontiguous message of t on this side in place, and has it
// do so.
func (n *nic) reaches(t *transfer) bool {
	if !n.movesBlocks() {
		return false
	}
	if mem, in := t.r.Body.Blocks(); in.Block >= n.caps.Blocks && wire.Describable(in) {
		t.spread, t.move.Mine = mem, in
		return true
	}
	return n.lists(t)
}

// describe encodes the layout of the message on this side behind the body of a packet with word in its
// header, and returns its length.
func (t *transfer) describe(b []byte, word uint64) int {
	switch l := &t.list; {
	case t.spread == nil:
		return 0
	case t.move.Mine.List != nil && l.segment == 0 && !l.alike:
		return 0 // the message is not exposed either
	case t.move.Mine.List != nil:
		return l.describe(b, word, t.state.sending())
	}
	(*wire.BlocksBody)(b).Encode(word, t.move.Mine)
	return wire.BlocksBytes
}

// cutLayout is [wire.CutLayout] for a packet of a peer; where the NIC moves no blocks there is no layout.
func (n *nic) cutLayout(word uint64, payload []byte, body int) ([]byte, wire.Layout, error) {
	if !n.movesBlocks() {
		return payload, wire.Layout{}, nil
	}
	return wire.CutLayout(word, payload, body)
}

// blocks returns how the command for the bytes from lo to hi moves blocks, nil if there are none on either side.
func (t *transfer) blocks(lo, hi int) *strided.Move {
	m := &t.move
	if m.Mine.One() && m.Their.One() {
		return nil
	}
	m.Bytes, m.Here, m.There = hi-lo, lo, lo
	if t.spread == nil {
		m.Here = 0 // the slice that memory returns begins there
	}
	return m
}

// Other noncontiguous messages are a stream (stream.go), without a copy on either side, if both sides run: the
// peers have processors of their own, and the sender waits in a call. Otherwise the sender makes a copy,
// unless it would be too large, so that the receiver no longer depends on the sender. It also does so for long
// messages after a receiver has not run for a while during two of them, since a stream fills the ring and then
// stops. A noncontiguous receive takes memory for a copy, so that both sides share the work as for a
// contiguous one, and scatters each part while it is in the cache.

// pours reports whether a message in pieces to p that the NIC does not reach is a stream.
func (e *Engine) pours(p *peer, r *Request) bool {
	if !r.Attended || e.oversubscribed {
		return false
	}
	if n := r.Bytes(); n > longPoured && n <= mostSpare {
		if p.copies > 0 {
			p.copies--
			return false
		}
		p.stalls <<= 1
	}
	return true
}

// read notes whether p has read more of its packet ring, for which a stream may wait.
func (p *peer) read(more bool) {
	switch {
	case more || p.queues.bulk.head == nil:
		p.dry = 0
	case p.dry < slowReader:
		p.dry++
	default:
		if p.stalls |= 1; p.stalls&3 == 3 {
			p.copies = copiesForSlow
		}
	}
}

// packed has t, which sends, offer a copy of its message, if it is not too large.
func (e *Engine) packed(t *transfer) bool {
	if t.n > mostCopy {
		return false
	}
	t.copy = e.takeCopy(t.n)
	t.r.Body.Gather(t.copy, 0)
	return true
}

// receiveCopy starts to receive a message in pieces that the NIC does not reach: all of it into a copy, or one part after the
// other if that would be too large.
func (e *Engine) receiveCopy(t *transfer) {
	if t.n <= mostSpare {
		t.copy = e.takeCopy(t.n)
		t.p.nic.rowFor(uint64(t.n)).receive(e, t)
		return
	}
	t.unit = pieceBytes
	t.copy = e.takeCopy(t.unit)
	e.pull(t, 0, t.n)
}

// memory returns the memory of a transfer's message that the NIC moves: the bytes from lo to hi, or for
// blocks everything from the first byte on.
func (t *transfer) memory(lo, hi int) []byte {
	switch {
	case t.move.Mine.List != nil:
		return t.spread
	case t.spread != nil:
		_, end := t.move.Mine.Span(0, hi)
		return t.spread[:end]
	case t.copy == nil:
		return t.r.Buf[lo:hi]
	case t.state.sending():
		return t.copy[lo:hi]
	}
	// Pieces that are pulled follow each other in the first chunk's place, which the sender pushes nothing to.
	return t.copy[lo-t.piece.lo : hi-t.piece.lo]
}

// store puts the piece that has been pulled into a copy to where it belongs.
func (t *transfer) store() {
	if p := &t.piece; t.copy != nil {
		t.r.Scatter(t.memory(p.lo, p.hi), p.lo)
	}
}

// storePushed scatters the last chunks, up to so many, which the sender has pushed.
func (t *transfer) storePushed(chunks uint32) {
	for s := &t.split; t.copy != nil && s.stored < chunks; s.stored++ {
		lo := int(s.total-1-s.stored) * t.unit
		t.r.Scatter(t.copy[lo:min(lo+t.unit, t.n)], lo)
	}
}

// takeCopy returns n bytes of any content, and keepCopy takes them back.
func (e *Engine) takeCopy(n int) []byte {
	spares := &e.stage.spares
	best := -1
	for i, b := range spares {
		if cap(b) >= n && (best < 0 || cap(b) < cap(spares[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]byte, n)
	}
	b := spares[best]
	spares[best] = nil
	return b[:n]
}

func (e *Engine) keepCopy(b []byte) {
	if cap(b) > mostSpare {
		return
	}
	least := 0
	for i, spare := range &e.stage.spares {
		if cap(spare) < cap(e.stage.spares[least]) {
			least = i
		}
	}
	if cap(b) > cap(e.stage.spares[least]) {
		e.stage.spares[least] = b
	}
}

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
	// Blocks returns the memory from the first byte to the last, if they are blocks at equal distances; else nil and one piece.
	Blocks() ([]byte, strided.Blocks)
	// List adds to l, which is empty, where the first n bytes lie in the memory that it returns, nil if that takes more than most pieces.
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
	copy(dst, r.Buf[off:]) // short enough to be put in place of the call
}

// Scatter stores bytes of a message from number off on, as far as there is room.
func (r *Request) Scatter(src []byte, off int) {
	if r.Body == nil && off == 0 {
		copy(r.Buf, src) // most often; short enough to be put in place of the call
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

// payload is n bytes of the message from number off on, for a packet. Those of
// a Body are still to be gathered there, when it is sure that the packet goes.
func (e *Engine) payload(r *Request, off, n int) []byte {
	if r.Body == nil {
		return r.Buf[off : off+n]
	}
	s := &e.stage
	if s.used == len(s.bufs) {
		s.bufs = append(s.bufs, nil)
	}
	if len(s.bufs[s.used]) < n {
		s.bufs[s.used] = make([]byte, max(n, e.nics[0].fragment))
	}
	return s.bufs[s.used][:n]
}

// gather fills the payload of a packet that goes.
func (e *Engine) gather(r *Request, data []byte, off int) {
	if r.Body != nil && len(data) > 0 {
		r.Body.Gather(data, off)
		e.stage.used++
	}
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
		part := e.payload(from, off, min(n-off, max(e.nics[0].fragment, 1)))
		from.Body.Gather(part, off)
		to.Scatter(part, off)
		off += len(part)
	}
}

// Blocks of some length the NIC moves from where they lie to where they belong, if it can. The
// offer, or the answer to it, says how they lie at that side; the other one needs to know of no more than that, and a
// message is shared as one in one piece is. Of blocks at equal distances it says their length and distance, of others where there is a list of them,
// which the other side reads if it has not the same (list.go).

// movesBlocks reports whether the NIC can: one command at a time for each message, since that says where its blocks are.
func (n *nic) movesBlocks() bool { return n.caps.Blocks > 0 && n.copies.ports == 1 }

// reaches reports whether the NIC moves the message of t, in pieces on this side, from or to where it lies, and has it do so.
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

// describe encodes behind the body of a packet with word in its header how the message lies on this side, and returns the
// length of that.
func (t *transfer) describe(b []byte, word uint64) int {
	switch l := &t.list; {
	case t.spread == nil:
		return 0
	case t.move.Mine.List != nil && l.segment == 0 && !l.alike:
		return 0 // nor is the message exposed
	case t.move.Mine.List != nil:
		return l.describe(b, word, t.state.sending())
	}
	(*wire.BlocksBody)(b).Encode(word, t.move.Mine)
	return wire.BlocksBytes
}

// cutLayout is [wire.CutLayout] of a packet of a peer, which says nothing of blocks where the NIC moves none.
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
		m.Here = 0 // what memory returns begins there
	}
	return m
}

// Other messages in pieces are a stream (stream.go), without a copy on either side, if both sides run: peers that have
// processors of their own, a sender that waits in a call, and no more to move than a process does in one go. Else the sender makes a copy, unless it would be too
// large, so that the receiver needs it no more; so it does with long messages after a receiver has not run for a while, since a stream goes no further
// than the ring without. A receiver in pieces makes room for one, so that both sides share the work as they
// share that of a slice, and stores each part while it is in the cache.

// pours reports whether a message in pieces to p that the NIC does not reach is a stream.
func (e *Engine) pours(p *peer, r *Request) bool {
	if !r.Attended || e.crowded || r.Bytes() > mostPoured {
		return false
	}
	if r.Bytes() > longPoured && p.copies > 0 {
		p.copies--
		return false
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
		p.copies = copiesForSlow
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

// memory is what of a transfer's message the NIC moves: the bytes from lo to hi, of blocks all from the first byte.
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

// storePushed does that with the last chunks, up to so many, which the sender has pushed.
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

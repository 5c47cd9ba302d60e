package llc

// A Body is a message that does not lie in one piece of memory. It is used while
// the request is under way, by one goroutine at a time.
type Body interface {
	// Size is the bytes of the message, or of the room for one.
	Size() int
	// Gather fills dst with the bytes from number off on.
	Gather(dst []byte, off int)
	// Scatter is the inverse of Gather.
	Scatter(src []byte, off int)
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
	copy(dst, r.Buf[off:])
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
		copy(r.Buf[off:], src)
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
	bufs  [][]byte
	used  int
	spare []byte // for the next copy of a transfer
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

// A long message in pieces could be a stream (stream.go), without a copy on either
// side. But a stream needs both sides to run all the time: on a machine with other
// work it took three times as long as a copy that the receiver pulls. So the
// sender makes one, unless it would be too large, and a receiver in pieces pulls what
// it stores at once.

// packed has t, which sends, offer a copy of its message, if it is not too large.
func (e *Engine) packed(t *transfer) bool {
	if t.n > mostCopy {
		return false
	}
	t.copy = e.takeCopy(t.n)
	t.r.Body.Gather(t.copy, 0)
	return true
}

// pullPieces pulls a message whole, for the pieces of its receive.
func (e *Engine) pullPieces(t *transfer) {
	t.unit = min(t.n, pieceBytes)
	t.copy = e.takeCopy(t.unit)
	e.pull(t, 0, t.n)
}

// memory is what of a transfer's message the NIC moves: the bytes from lo to hi.
func (t *transfer) memory(lo, hi int) []byte {
	switch {
	case t.copy == nil:
		return t.r.Buf[lo:hi]
	case t.state.sending():
		return t.copy[lo:hi]
	}
	return t.copy[lo-t.piece.lo : hi-t.piece.lo]
}

// takeCopy returns n bytes of any content, and keepCopy takes them back.
func (e *Engine) takeCopy(n int) []byte {
	b := e.stage.spare
	if e.stage.spare = nil; cap(b) < n {
		b = make([]byte, n)
	}
	return b[:n]
}

func (e *Engine) keepCopy(b []byte) {
	if cap(b) > cap(e.stage.spare) && cap(b) <= mostSpare {
		e.stage.spare = b
	}
}

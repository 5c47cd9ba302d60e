package tcp

// A Queue is what one stream has to send: packets in order, and transfers, whose frames are sent in turn
// when no packet waits.
type Queue struct {
	packets   []Frame
	transfers []Frame
	now       Frame // what is being sent
	sent      int   // bytes of now that have been sent
	busy      bool  // now is in use
	waiting   int   // number of packets, including the one being sent
}

// Empty reports whether nothing waits.
func (q *Queue) Empty() bool { return !q.busy && len(q.packets) == 0 && len(q.transfers) == 0 }

// Packets returns how many packets wait.
func (q *Queue) Packets() int { return q.waiting }

// AddPacket adds a packet, which lies with its head in memory of a pool.
func (q *Queue) AddPacket(b []byte) {
	q.packets = append(q.packets, Frame{packet: b})
	q.waiting++
}

// Begun is AddPacket to an empty queue, of a packet whose first n bytes have been sent.
func (q *Queue) Begun(b []byte, n int) {
	q.now, q.sent, q.busy = Frame{packet: b}, n, true
	q.waiting++
}

// Transfers returns how many other frames wait.
func (q *Queue) Transfers() int { return len(q.transfers) }

// Confirm adds a frame without a body, with a number and a count of bytes. Consecutive ones of the same
// kind and number are combined.
func (q *Queue) Confirm(kind byte, number, bytes uint64) {
	if n := len(q.transfers); n > 0 {
		last := &q.transfers[n-1].Head
		if k, _ := last.About(); k == kind && last.Word(0) == number {
			last.set(1, last.Word(1)+bytes)
			return
		}
	}
	q.Add(Note(kind, 0, number, bytes))
}

// Add adds another frame.
func (q *Queue) Add(f Frame) { q.transfers = append(q.transfers, f) }

// Flush sends as much as the system accepts, and reports whether that was all. Memory of packets goes back
// to the pool.
func (q *Queue) Flush(s Socket, pool *Pool) (all bool, err error) {
	for !q.Empty() {
		if !q.busy {
			q.choose()
		}
		n, err := q.now.send(s, q.sent)
		if err != nil {
			return false, err
		}
		if q.sent += n; q.sent < q.now.size() {
			return false, nil
		}
		q.gone(pool)
	}
	return true, nil
}

// choose selects the next frame to send.
func (q *Queue) choose() {
	from := &q.packets
	if len(*from) == 0 {
		from = &q.transfers
	}
	q.now, q.sent, q.busy = (*from)[0], 0, true
	*from = append((*from)[:0], (*from)[1:]...)
}

// gone ends a frame that has been sent, and queues the rest of its transfer.
func (q *Queue) gone(pool *Pool) {
	f := &q.now
	switch {
	case f.packet != nil:
		pool.Put(f.packet)
		q.waiting--
	case f.revoked != 0:
		q.Add(Note(f.revoked, 0, f.Head.Word(0)))
	case len(f.Rest) > 0:
		f.next()
		q.Add(*f)
	}
	q.now, q.busy = Frame{}, false
}

// Revoke ends transfers of memory that must not be read any more. Instead of the rest, a frame of the given
// kind with their number is sent; 0: none. A frame that is being sent is completed from a copy, since the
// receiver would take anything else for its rest.
func (q *Queue) Revoke(which func(f *Frame) bool, instead byte) {
	if f := &q.now; q.busy && f.packet == nil && which(f) {
		if f.Body = append([]byte(nil), f.Body...); len(f.Rest) > 0 {
			f.revoked = instead
		}
		f.Rest, f.Of = nil, 0
	}
	kept := q.transfers[:0]
	for i := range q.transfers {
		if f := &q.transfers[i]; !which(f) {
			kept = append(kept, *f)
		} else if instead != 0 {
			kept = append(kept, Note(instead, 0, f.Head.Word(0)))
		}
	}
	q.transfers = kept
}

// Drop drops everything in the queue.
func (q *Queue) Drop(pool *Pool) {
	for _, f := range append(q.packets, q.now) {
		if f.packet != nil {
			pool.Put(f.packet)
		}
	}
	*q = Queue{}
}

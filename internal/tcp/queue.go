package tcp

// A Queue is what waits to be sent by one stream: packets in order, and transfers, whose frames go in turn
// when no packet waits.
type Queue struct {
	packets   []Frame
	transfers []Frame
	now       Frame // what is being sent
	sent      int   // of it
	busy      bool  // now is something
	waiting   int   // packets, that which is being sent too
}

// Empty reports whether nothing waits.
func (q *Queue) Empty() bool { return !q.busy && len(q.packets) == 0 && len(q.transfers) == 0 }

// Packets returns how many packets wait.
func (q *Queue) Packets() int { return q.waiting }

// AddPacket has a packet wait, which lies with its head in memory of a pool.
func (q *Queue) AddPacket(b []byte) {
	q.packets = append(q.packets, Frame{packet: b})
	q.waiting++
}

// Begun is AddPacket to a queue that is empty, of a packet whose first n bytes have gone.
func (q *Queue) Begun(b []byte, n int) {
	q.now, q.sent, q.busy = Frame{packet: b}, n, true
	q.waiting++
}

// Transfers returns how many other frames wait.
func (q *Queue) Transfers() int { return len(q.transfers) }

// Confirm has a frame without a body wait that says a number and how many bytes. Two of one kind and number are one.
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

// Add has another frame wait.
func (q *Queue) Add(f Frame) { q.transfers = append(q.transfers, f) }

// Flush sends as much as the system takes, and reports whether that was all. Memory of packets goes back to
// the pool.
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

// choose takes what is sent next.
func (q *Queue) choose() {
	from := &q.packets
	if len(*from) == 0 {
		from = &q.transfers
	}
	q.now, q.sent, q.busy = (*from)[0], 0, true
	*from = append((*from)[:0], (*from)[1:]...)
}

// gone ends a frame that has gone, and has the rest of its transfer wait for its turn.
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

// Revoke ends transfers of memory that is not to be read any more. Instead of the rest goes a frame of a kind
// with their number; 0: none. A frame under way goes on from a copy to its end, since what follows would be taken for it.
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

// Drop forgets all that waits.
func (q *Queue) Drop(pool *Pool) {
	for _, f := range append(q.packets, q.now) {
		if f.packet != nil {
			pool.Put(f.packet)
		}
	}
	*q = Queue{}
}

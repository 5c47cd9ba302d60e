package ib

import (
	"sync/atomic"

	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// A ReceiveQueue holds posted receives: memory for the next messages, in the order of posting. It
// belongs to one queue pair, or is shared (infiniband, section 10.2). It belongs to one goroutine
// at a time.
//
// Its owner writes the entries and their number; the sender of a message counts the entries taken.
type ReceiveQueue struct {
	hca    *HCA
	index  int
	cq     *CQ
	domain Domain
	shared bool
	qp     *QP // its queue pair, if it is not shared
	entry  *entry
}

// CreateReceiveQueue makes a receive queue of Depth entries, whose completions go to cq. A shared
// one serves several queue pairs.
func (h *HCA) CreateReceiveQueue(d Domain, cq *CQ, shared bool) (*ReceiveQueue, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed.Load() {
		return nil, ErrClosed
	}
	if cq == nil || cq.hca != h || d == 0 {
		return nil, ErrConfig
	}
	for i := range h.queues {
		if h.queues[i] == nil {
			r := &ReceiveQueue{hca: h, index: i, cq: cq, domain: d, shared: shared, entry: h.own.queue(i)}
			h.queues[i] = r
			r.entry.store(rqPosted, atomic.LoadUint64(h.own.taken(i)))
			r.entry.store(rqState, rqValid|uint64(d)<<32)
			return r, nil
		}
	}
	return nil, ErrFull
}

// word returns the bits of a receive queue in a queue pair's line.
func (r *ReceiveQueue) word() uint64 {
	if r == nil {
		return Queues
	}
	return uint64(r.index) | uint64(r.cq.index)<<16
}

// Post posts a receive into b, which is registered under k for local writing. It returns an error
// if the receive is invalid.
func (r *ReceiveQueue) Post(id uint64, b []byte, k Key) error {
	h := r.hca
	if h.closed.Load() {
		return ErrClosed
	}
	if r.qp != nil && !does[r.qp.State()%numStates].postReceive {
		return ErrState
	}
	if why := h.local(r.domain, b, k, LocalWrite); why != 0 {
		return &Failure{Receive, h.rank, LocalProtection, why, 0, nil}
	}
	n := r.entry.load(rqPosted)
	if n-atomic.LoadUint64(h.own.taken(r.index)) >= Depth {
		return ErrQueueFull
	}
	x, _ := h.own.find(k)
	w := h.own.wqe(r.index, n)
	off := fabric.Address(b) - x.start
	if x.place != processMemory {
		at, _ := h.f.Offset(b)
		off = at - x.place
	}
	for i, v := range [wqeWords]uint64{wqeID: id, wqeAddress: off, wqeLength: uint64(len(b)), wqeKey: uint64(k)} {
		atomic.StoreUint64(&w[i], v)
	}
	r.entry.store(rqPosted, n+1)
	if r.qp != nil && r.qp.State() == ERR {
		r.flush(r.qp.number)
	}
	return nil
}

// Posted returns the number of posted receives that wait for a message.
func (r *ReceiveQueue) Posted() int {
	return int(r.entry.load(rqPosted) - atomic.LoadUint64(r.hca.own.taken(r.index)))
}

// flush completes all remaining receives.
func (r *ReceiveQueue) flush(q QPN) {
	a := r.hca.own
	for {
		w, ok := a.receive(r.index)
		if !ok {
			return
		}
		if n, ok := a.take(r.cq.index); ok {
			a.complete(r.cq.index, n, &Completion{ID: w.id, Op: Receive, Status: Flushed, Reason: InError, QPN: q}, r.cq.bell)
		}
	}
}

// forget drops all remaining receives.
func (r *ReceiveQueue) forget() {
	for ok := true; ok; {
		_, ok = r.hca.own.receive(r.index)
	}
}

// A receive is an entry of a receive queue.
type receive struct {
	id, off, length uint64
	key             Key
}

// receive takes the oldest entry of a receive queue.
func (a adapter) receive(queue int) (w receive, ok bool) {
	taken := a.taken(queue)
	for {
		n, posted := dma.Pair(taken, &a.queue(queue)[rqPosted])
		if n >= posted || posted-n > Depth {
			return w, false
		}
		e := a.wqe(queue, n)
		w = receive{atomic.LoadUint64(&e[wqeID]), atomic.LoadUint64(&e[wqeAddress]), atomic.LoadUint64(&e[wqeLength]), Key(atomic.LoadUint64(&e[wqeKey]))}
		if atomic.CompareAndSwapUint64(taken, n, n+1) {
			return w, true
		}
	}
}

// peek returns the length of the next receive.
func (a adapter) peek(queue int) (length uint64, ok bool) {
	n, posted := dma.Pair(a.taken(queue), &a.queue(queue)[rqPosted])
	if n >= posted || posted-n > Depth {
		return 0, false
	}
	return atomic.LoadUint64(&a.wqe(queue, n)[wqeLength]), true
}

// headerBytes is the size of the header before a datagram in its receive: the global route header,
// of which this network uses the source's GID (infiniband, section 11.4).
const headerBytes = 40

// deliver puts a message into a receive of a queue pair, if there is one, and completes the
// receive. If the message does not fit, it takes no receive.
func (h *HCA) deliver(p *responder, m *message) Reason {
	queue, cq := int(p.entry.load(qpReceive)&0xffff), int(p.entry.load(qpReceive)>>16&0xffff)
	if queue == stridingQueue {
		return h.stride(p.rank, m.data)
	}
	if queue >= Queues || cq >= CQs || p.at.queue(queue).load(rqState)&rqValid == 0 {
		return NoReceive
	}
	skip := 0
	if m.header != nil {
		skip = headerBytes
	}
	if room, ok := p.at.peek(queue); ok && uint64(len(m.data)+skip) > room {
		return TooLong
	}
	place, ok := p.at.take(cq)
	if !ok {
		return NoReceive
	}
	c := m.completion
	w, ok := p.at.receive(queue)
	why := NoReceive
	if ok {
		c.ID = w.id
		if why = h.fill(p, Domain(p.at.queue(queue).load(rqState)>>32), &w, m, skip); why != 0 {
			c.Status, c.Reason = LocalProtection, why
		}
	} else {
		c = Completion{}
	}
	p.at.complete(cq, place, &c, h.f.Bell(p.rank))
	return why
}

// fill writes a message into the memory of a receive.
func (h *HCA) fill(p *responder, d Domain, w *receive, m *message, skip int) Reason {
	t := target{at: p.at, rank: p.rank, key: w.key}
	var why Reason
	if t.x, why = p.at.find(w.key); why != 0 {
		return why
	}
	if need := uint64(len(m.data) + skip); need > w.length {
		return TooLong
	}
	t.x.address = 0
	if t.off, why = t.x.check(d, LocalWrite, w.off, w.length); why != 0 {
		return why
	}
	if m.header != nil {
		if _, why, _ = h.carry(&t, m.header[:], true); why != 0 {
			return why
		}
		t.off += headerBytes
	}
	_, why, _ = h.carry(&t, m.data, true)
	return why
}

// A message is the data for a receive.
type message struct {
	data       []byte
	header     *[headerBytes]byte // for a datagram
	completion Completion
}

// word returns eight bytes of a target as an aligned word for an atomic operation, if this process
// has them.
func (h *HCA) word(t *target) []byte {
	if b := h.near(t, t.off, 8); dma.Aligned(b) {
		return b
	}
	return nil
}

package ib

import (
	"encoding/binary"

	"rhinet/nicemu/dma"
)

// An Opcode is the operation of a request (infiniband, section 11.4), or of a completion.
type Opcode uint8

// The opcodes.
const (
	opNone Opcode = iota
	Send
	SendImmediate
	Write // RDMA WRITE
	WriteImmediate
	Read // RDMA READ
	CompareAndSwap
	FetchAndAdd
	Receive // in completions only
	ReceiveWrite
	numOps
)

// operations describes each opcode.
var operations = [numOps]struct {
	name      string
	need      Access // right to the responder's memory
	remote    bool   // it names memory of the responder
	receive   Opcode // opcode of the responder's completion: the operation takes a receive
	immediate bool
	reads     bool // the answer is written to own memory
	atomic    bool
	datagram  bool // available to unreliable datagrams
}{
	Send:           {name: "SEND", receive: Receive, datagram: true},
	SendImmediate:  {name: "SEND with immediate", receive: Receive, immediate: true, datagram: true},
	Write:          {name: "RDMA WRITE", need: RemoteWrite, remote: true},
	WriteImmediate: {name: "RDMA WRITE with immediate", need: RemoteWrite, remote: true, receive: ReceiveWrite, immediate: true},
	Read:           {name: "RDMA READ", need: RemoteRead, remote: true, reads: true},
	CompareAndSwap: {name: "CMP_SWAP", need: RemoteAtomic, remote: true, reads: true, atomic: true},
	FetchAndAdd:    {name: "FETCH_ADD", need: RemoteAtomic, remote: true, reads: true, atomic: true},
	Receive:        {name: "RECV"},
	ReceiveWrite:   {name: "RECV of RDMA WRITE with immediate"},
}

// String returns the specification's name.
func (o Opcode) String() string {
	if o < numOps {
		return operations[o].name
	}
	return "opcode"
}

// Limits of messages, in bytes (infiniband, sections 9.7 and 9.8).
const (
	MaxMessage  = 1 << 31
	MaxDatagram = 2048 // MTU
	MaxInline   = 256  // our choice
)

// A WorkRequest is one request. Memory that it names belongs to the adapter until it has completed.
// Our choice: one piece of own memory, not a list of pieces.
type WorkRequest struct {
	ID     uint64 // returned in the completion
	Op     Opcode
	Silent bool // no completion if it succeeds

	Local  []byte // own memory; atomic operations write the old word there
	Key    Key    // key of its registration
	Inline bool   // it is copied when the request is posted, and need not be registered

	Address   uint64 // of memory of the responder
	Remote    Key    // key of its registration
	Immediate uint32
	Compare   uint64
	Swap      uint64 // FetchAndAdd: the summand

	LID  LID // datagrams: the target
	QPN  QPN
	QKey uint32

	copied [MaxInline]byte
	size   int
}

// PostSend posts a request and rings the doorbell.
func (q *QP) PostSend(w *WorkRequest) error {
	if err := q.Queue(w); err != nil {
		return err
	}
	q.Doorbell()
	return nil
}

// Queue puts a request at the end of the send queue. An error says that it has not: the state does
// not allow it, the queue is full, or the request is invalid.
func (q *QP) Queue(w *WorkRequest) error {
	s := q.State()
	switch {
	case q.hca.closed.Load():
		return ErrClosed
	case s >= numStates || !does[s].postSend:
		return ErrState
	case len(q.work)-q.first >= Depth:
		return ErrQueueFull
	case w.Op == opNone || w.Op >= Receive, q.service == UD && !operations[w.Op].datagram, w.Inline && (len(w.Local) > MaxInline || operations[w.Op].reads):
		return ErrRequest
	}
	if q.first > 0 && len(q.work) == cap(q.work) {
		q.work = q.work[:copy(q.work, q.work[q.first:])]
		q.first = 0
	}
	q.work = append(q.work, *w)
	if last := &q.work[len(q.work)-1]; w.Inline {
		last.size = copy(last.copied[:], w.Local)
		last.Local = nil
	}
	return nil
}

// Doorbell has the adapter carry out the requests in the send queue, as far as the state allows and
// there is room for completions.
func (q *QP) Doorbell() {
	for q.first < len(q.work) {
		s := q.State()
		if s != ERR && !does[s].send || q.send.hca.own.full(q.send.index) {
			return
		}
		w := &q.work[q.first]
		q.first++
		q.carryOut(w)
	}
	q.work, q.first = q.work[:0], 0
}

// carryOut carries out one request and completes it. A request that fails puts the queue pair into
// ERR (infiniband, section 10.3), and all later ones are flushed.
func (q *QP) carryOut(w *WorkRequest) {
	c := Completion{ID: w.ID, Op: w.Op, QPN: q.number}
	failed := q.State() == ERR
	if failed {
		c.Status, c.Reason = Flushed, InError
	} else {
		var at adapter
		c.Status, c.Reason, c.Bytes, c.cause = q.execute(w, &at)
		if failed = c.Status != Success; failed {
			q.hca.count(c.Reason, &at)
		}
	}
	if failed || !w.Silent {
		own := q.send.hca.own
		if n, ok := own.take(q.send.index); ok {
			q.send.cause = c.cause
			own.complete(q.send.index, n, &c, q.send.bell)
		}
	}
	if failed && q.State() != ERR {
		changeState(q.entry, ERR)
		if q.queue != nil && !q.queue.shared {
			q.queue.flush(q.number)
		}
	}
}

// execute carries out a request from end to end.
func (q *QP) execute(w *WorkRequest, at *adapter) (s Status, why Reason, moved int, cause error) {
	h, op := q.hca, &operations[w.Op]
	local, why := q.local(w)
	if why != 0 {
		return LocalProtection, why, 0, nil
	}
	if len(local) > MaxMessage || op.atomic && len(local) != 8 || q.service == UD && len(local) > MaxDatagram {
		return LocalLength, TooLong, 0, nil
	}
	if q.service == UD {
		h.datagram(q, w, local)
		return Success, 0, len(local), nil
	}
	var p responder
	if why = h.reach(&p, q); why == 0 {
		*at = p.at
		moved, why, cause = h.respond(&p, q, w, local)
	}
	return reasons[why].status, why, moved, cause
}

// local returns the own memory of a request.
func (q *QP) local(w *WorkRequest) ([]byte, Reason) {
	if w.Inline {
		return w.copied[:w.size], 0
	}
	if len(w.Local) == 0 {
		return nil, 0
	}
	need := Access(0)
	if operations[w.Op].reads {
		need = LocalWrite
	}
	return w.Local, q.hca.local(q.domain, w.Local, w.Key, need)
}

// A responder is the queue pair at the other side, with its adapter.
type responder struct {
	at    adapter
	rank  int
	entry *entry
}

// reach finds the responder of a connected queue pair: it must be connected to this one, and ready.
func (h *HCA) reach(p *responder, q *QP) Reason {
	peer := q.entry.load(qpPeer)
	if why := h.lookUp(p, LID(peer), QPN(peer>>32)); why != 0 {
		return why
	}
	state := p.entry.load(qpState)
	switch {
	case Service(state>>8) != RC:
		return NoQP
	case stateOf(state) >= numStates || !does[stateOf(state)].receive:
		return NotReady
	case p.entry.load(qpPeer) != uint64(h.rank+1)|uint64(q.number)<<32:
		return OtherPeer
	}
	return 0
}

// lookUp finds a queue pair by port and number.
func (h *HCA) lookUp(p *responder, lid LID, n QPN) Reason {
	var ok bool
	if p.at, p.rank, ok = h.at(lid); !ok {
		return NoPort
	}
	p.entry = p.at.qp(int(n & indexMask))
	switch {
	case p.entry.load(qpState)&qpInUse == 0 || QPN(p.entry.load(qpNumber))&qpnMask != n || n == 0:
		return NoQP
	case stateOf(p.entry.load(qpState)) > INIT && !sealedQP(p.entry):
		return Overwritten
	}
	return 0
}

// respond carries out a request as the responder does (infiniband, section 9.7). Our choice: a
// request that the responder refuses puts the requester's queue pair into ERR and not its own, so
// that no process can end the connection of another one.
func (h *HCA) respond(p *responder, q *QP, w *WorkRequest, local []byte) (moved int, why Reason, cause error) {
	op := &operations[w.Op]
	t := target{at: p.at, rank: p.rank, key: w.Remote}
	if op.remote && (len(local) > 0 || op.atomic) {
		if why = h.aim(&t, p, op.need, w.Address, uint64(len(local))); why != 0 {
			return 0, why, nil
		}
	}
	if op.atomic {
		return h.atomic(&t, w, local)
	}
	if op.remote && len(local) > 0 {
		if moved, why, cause = h.carry(&t, local, !op.reads); why != 0 {
			return moved, why, cause
		}
	}
	if op.receive != opNone {
		m := message{completion: Completion{Op: op.receive, Bytes: len(local), QPN: QPN(p.entry.load(qpNumber)) & qpnMask, Immediate: w.Immediate, HasImm: op.immediate}}
		if !op.remote {
			m.data = local
		}
		if why = h.deliver(p, &m); why != 0 {
			return 0, why, nil
		}
	}
	return len(local), 0, nil
}

// aim leads t to memory of a responder, if its queue pair and the region allow this use.
func (h *HCA) aim(t *target, p *responder, need Access, address, n uint64) (why Reason) {
	if Access(p.entry.load(qpReceive)>>32)&need != need {
		return NoRight
	}
	if t.x, why = p.at.find(t.key); why != 0 {
		return why
	}
	t.off, why = t.x.check(Domain(p.entry.load(qpNumber)>>32), need, address, n)
	return why
}

// atomic carries out an atomic operation, which is also atomic with respect to those of the
// processor. Our choice: it reaches only memory that this process has mapped, which excludes memory
// of other processes.
func (h *HCA) atomic(t *target, w *WorkRequest, local []byte) (int, Reason, error) {
	if (t.x.start+t.off)%8 != 0 {
		return 0, Misaligned, nil
	}
	b := h.word(t)
	if b == nil {
		return 0, Fault, nil
	}
	var old uint64
	if w.Op == FetchAndAdd {
		old = dma.FetchAdd(b, w.Swap)
	} else {
		old = dma.CompareSwap(b, w.Compare, w.Swap)
	}
	binary.NativeEndian.PutUint64(local, old)
	return 8, 0, nil
}

// datagram sends without a connection: a datagram that no queue pair takes is dropped (infiniband,
// section 9.8).
func (h *HCA) datagram(q *QP, w *WorkRequest, local []byte) {
	op := &operations[w.Op]
	var p responder
	why := h.lookUp(&p, w.LID, w.QPN&qpnMask)
	if why == 0 {
		state := p.entry.load(qpState)
		switch {
		case Service(state>>8) != UD:
			why = NoQP
		case stateOf(state) >= numStates || !does[stateOf(state)].receive:
			why = NotReady
		case uint32(p.entry.load(qpPeer)) != w.QKey:
			why = WrongQKey
		}
	}
	if why == 0 {
		header, gid := &q.header, h.GID()
		binary.BigEndian.PutUint64(header[8:], gid[0])
		binary.BigEndian.PutUint64(header[16:], gid[1])
		why = h.deliver(&p, &message{data: local, header: header, completion: Completion{
			Op: op.receive, Bytes: len(local) + headerBytes, QPN: w.QPN & qpnMask, Immediate: w.Immediate, HasImm: op.immediate, Source: h.LID(), SourceQPN: q.number,
		}})
	}
	if why != 0 {
		h.count(why, &p.at)
	}
}

package ib

import (
	"errors"
	"fmt"

	"rhinet/nicemu/fabric"
)

// A State is the state of a queue pair (infiniband, section 10.3).
//
//	RESET ---> INIT ---> RTR ---> RTS <--> SQD
//	  ^                                      any state ---> ERR, RESET
//
// Our choice: SQE is left out, since no send of an unreliable queue pair fails here.
type State uint8

// The states.
const (
	RESET State = iota // created; does nothing
	INIT               // receives can be posted
	RTR                // ready to receive
	RTS                // ready to send
	SQD                // send queue drained: receives, does not send
	ERR                // work is flushed
	numStates
)

// transitions are the transitions of Modify.
var transitions = [numStates][numStates]bool{
	RESET: {INIT: true, ERR: true, RESET: true},
	INIT:  {INIT: true, RTR: true, ERR: true, RESET: true},
	RTR:   {RTS: true, ERR: true, RESET: true},
	RTS:   {RTS: true, SQD: true, ERR: true, RESET: true},
	SQD:   {SQD: true, RTS: true, ERR: true, RESET: true},
	ERR:   {ERR: true, RESET: true},
}

// does lists what a queue pair does in each state (infiniband, section 10.3).
var does = [numStates]struct {
	name        string
	postReceive bool // receives can be posted
	receive     bool // arriving requests are carried out
	postSend    bool // requests can be posted,
	send        bool // and are carried out
}{
	RESET: {name: "RESET"},
	INIT:  {name: "INIT", postReceive: true},
	RTR:   {name: "RTR", postReceive: true, receive: true},
	RTS:   {name: "RTS", postReceive: true, receive: true, postSend: true, send: true},
	SQD:   {name: "SQD", postReceive: true, receive: true, postSend: true},
	ERR:   {name: "ERR", postReceive: true, postSend: true}, // and flushed
}

// String returns the specification's name.
func (s State) String() string {
	if s < numStates {
		return does[s].name
	}
	return fmt.Sprintf("state %d", uint8(s))
}

// A Service is the transport service of a queue pair (infiniband, section 3).
type Service uint8

// The services.
const (
	RC Service = 1 // reliable connection
	UD Service = 2 // unreliable datagram
)

// Attributes are the arguments of Modify; each state needs those of its transition (infiniband,
// section 11.2).
type Attributes struct {
	Access Access // INIT: the rights of the other side to memory
	QKey   uint32 // INIT of UD: what datagrams must carry
	LID    LID    // RTR of RC: port of the other side
	QPN    QPN    // RTR of RC: its number
}

// QPConfig is the configuration of a queue pair.
type QPConfig struct {
	Service Service
	Domain  Domain
	Send    *CQ           // completions of requests
	Receive *ReceiveQueue // may be shared; nil: the queue pair receives nothing
}

// A QP is a queue pair. It belongs to one goroutine at a time.
type QP struct {
	hca     *HCA
	entry   *entry
	number  QPN
	service Service
	domain  Domain
	send    *CQ
	queue   *ReceiveQueue
	work    []WorkRequest // the send queue
	first   int           // index of the first request that has not been carried out
	access  Access
	peer    uint64
	header  [headerBytes]byte // of an outgoing datagram; a local variable would be allocated on the heap
}

// Errors of calls that have done nothing.
var (
	ErrTransition = errors.New("ib: no such transition of a queue pair")
	ErrState      = errors.New("ib: the queue pair is in no state for that")
	ErrQueueFull  = errors.New("ib: the queue is full")
	ErrConfig     = errors.New("ib: a queue pair needs a service, a domain and a completion queue of its own adapter, and a receive queue that no other has or that is shared")
	ErrRequest    = errors.New("ib: no request of this service, or too long for inline data")
)

// CreateQP makes a queue pair, in RESET.
func (h *HCA) CreateQP(c QPConfig) (*QP, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed.Load() {
		return nil, ErrClosed
	}
	if c.Service != RC && c.Service != UD || c.Domain == 0 || c.Send == nil || c.Send.hca != h || c.Receive != nil && (c.Receive.hca != h || c.Receive.qp != nil) {
		return nil, ErrConfig
	}
	for i := h.f.Ranks(); i < QPs; i++ {
		e := h.own.qp(i)
		if e.load(qpState)&qpInUse != 0 {
			continue
		}
		gen := (QPN(e.load(qpNumber))&qpnMask>>indexBits + 1) & (qpnMask >> indexBits)
		q := h.handle(i, QPN(max(gen, 1)<<indexBits|QPN(i)), c)
		e.store(qpNumber, uint64(q.number)|uint64(c.Domain)<<32)
		e.store(qpState, (e.load(qpState)>>32+1)<<32|qpInUse|uint64(c.Service)<<8)
		if c.Receive != nil && !c.Receive.shared {
			c.Receive.qp = q
		}
		return q, nil
	}
	return nil, ErrFull
}

func (h *HCA) handle(i int, n QPN, c QPConfig) *QP {
	q := &QP{hca: h, entry: h.own.qp(i), number: n, service: c.Service, domain: c.Domain, send: c.Send, queue: c.Receive}
	h.qps[i] = q
	return q
}

// Number returns the QPN.
func (q *QP) Number() QPN { return q.number }

// State returns the state.
func (q *QP) State() State { return stateOf(q.entry.load(qpState)) }

func stateOf(word uint64) State { return State(word) }

// changeState enters a state and increments the count of changes.
func changeState(e *entry, s State) {
	w := e.load(qpState)
	e.store(qpState, (w>>32+1)<<32|w&0xffffff00|uint64(s))
}

// sealQP seals a line after all its words except the state have been written.
func sealQP(e *entry) {
	e.store(qpSeal, fabric.Seal(e.load(qpNumber), e.load(qpPeer), e.load(qpReceive)))
}

func sealedQP(e *entry) bool {
	return e.load(qpSeal) == fabric.Seal(e.load(qpNumber), e.load(qpPeer), e.load(qpReceive))
}

// Modify makes a transition. Transitions to ERR and RESET empty the queues: remaining work is
// flushed by ERR and dropped by RESET (infiniband, section 10.3).
func (q *QP) Modify(to State, a Attributes) error {
	if q.hca.closed.Load() {
		return ErrClosed
	}
	from := q.State()
	if from >= numStates || to >= numStates || !transitions[from][to] {
		return fmt.Errorf("%w: %v to %v", ErrTransition, from, to)
	}
	switch to {
	case INIT:
		q.access, q.peer = a.Access, uint64(a.QKey)
	case RTR:
		if q.service == RC {
			q.peer = uint64(a.LID) | uint64(a.QPN&qpnMask)<<32
		}
	case ERR:
		q.fail()
		return nil
	case RESET:
		q.work, q.first = q.work[:0], 0
		if q.queue != nil && !q.queue.shared {
			q.queue.forget()
		}
	}
	if to == INIT || to == RTR {
		q.entry.store(qpPeer, q.peer)
		q.entry.store(qpReceive, q.queue.word()|uint64(q.access)<<32)
		sealQP(q.entry)
	}
	if changeState(q.entry, to); to == RTS {
		q.Doorbell()
	}
	return nil
}

// fail enters ERR: posted requests that have not been carried out complete as flushed (infiniband,
// section 10.3). A shared receive queue keeps its receives.
func (q *QP) fail() {
	changeState(q.entry, ERR)
	q.Doorbell()
	if q.queue != nil && !q.queue.shared {
		q.queue.flush(q.number)
	}
}

// Destroy destroys the queue pair; remaining work is dropped.
func (q *QP) Destroy() {
	h := q.hca
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := int(q.number & indexMask); h.qps[i] == q {
		h.qps[i] = nil
		if q.queue != nil && q.queue.qp == q {
			q.queue.forget()
			q.queue.qp = nil
		}
		q.entry.store(qpState, (q.entry.load(qpState)>>32+1)<<32)
	}
}

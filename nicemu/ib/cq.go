package ib

import (
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// A Completion is an entry of a completion queue: it reports a request that has been carried out,
// or a receive (infiniband, section 11.4).
type Completion struct {
	ID        uint64 // of the request
	Op        Opcode
	Status    Status
	Reason    Reason
	Bytes     int // received; for a request, moved
	QPN       QPN // the queue pair of the request
	Immediate uint32
	HasImm    bool
	Source    LID // of a datagram, with the number of the queue pair that has sent it
	SourceQPN QPN
	cause     error
}

// A CQ is a completion queue. The adapter that carries out a request reserves an entry, if there is
// one, and fills it; the owner polls. A CQ belongs to one goroutine at a time.
type CQ struct {
	hca   *HCA
	index int
	own   *entry // state, and number of consumed completions
	all   *entry // words that all adapters write
	bell  *fabric.Doorbell
	cause error // the kernel's error, of the latest completion
}

// CreateCQ makes a completion queue of CQDepth entries.
func (h *HCA) CreateCQ() (*CQ, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed.Load() {
		return nil, ErrClosed
	}
	for i := range h.cqs {
		if h.cqs[i] == nil {
			c := &CQ{hca: h, index: i, own: h.own.cq(i), all: h.own.shared(i), bell: h.f.Bell(h.rank)}
			h.cqs[i] = c
			c.own.store(cqConsumed, c.all.load(cqProduced))
			c.own.store(cqState, cqValid)
			return c, nil
		}
	}
	return nil, ErrFull
}

// Arm requests an event: the next completion rings the doorbell of the rank, once (infiniband,
// section 11.4). Earlier completions do not, so poll after Arm.
func (c *CQ) Arm() { c.all.store(cqArmed, 1) }

// Events returns how many times an armed queue has been notified.
func (c *CQ) Events() uint64 { return c.all.load(cqEvents) }

// Poll fills c with the next completion and reports whether there was one.
func (c *CQ) Poll(out *Completion) bool {
	for {
		n := c.own.load(cqConsumed)
		e := c.hca.own.completion(c.index, n)
		lead := ring.Lead((*ring.Line)(e))
		if uint32(lead) != ring.Seq(n) {
			return false
		}
		ok := out.read(lead, e)
		if c.cause != nil && ok {
			out.cause, c.cause = c.cause, nil
		}
		c.own.store(cqConsumed, n+1)
		if ok {
			return true
		}
	}
}

// full reports whether a completion queue has no free entry.
func (a adapter) full(cq int) bool {
	produced, consumed := dma.Pair(&a.shared(cq)[cqProduced], &a.cq(cq)[cqConsumed])
	return produced-consumed >= CQDepth
}

// take reserves an entry of a completion queue.
func (a adapter) take(cq int) (n uint64, ok bool) {
	produced := &a.shared(cq)[cqProduced]
	for {
		var consumed uint64
		n, consumed = dma.Pair(produced, &a.cq(cq)[cqConsumed])
		if a.cq(cq).load(cqState) != cqValid || n-consumed >= CQDepth {
			return 0, false
		}
		if atomic.CompareAndSwapUint64(produced, n, n+1) {
			return n, true
		}
	}
}

// complete fills a reserved entry, and notifies the owner if it has armed the queue.
func (a adapter) complete(cq int, n uint64, c *Completion, bell *fabric.Doorbell) {
	l := c.line(n)
	ring.Publish((*ring.Line)(a.completion(cq, n)), &l)
	all := a.shared(cq)
	if atomic.LoadUint64(&all[cqArmed]) != 0 && atomic.SwapUint64(&all[cqArmed], 0) != 0 {
		atomic.AddUint64(&all[cqEvents], 1)
		bell.Ring()
	}
}

// Bits of a completion's first word besides the sequence.
const (
	cqeOp     = 32
	cqeStatus = 40
	cqeReason = 48
	cqeImm    = 1 << 56
)

// line returns a completion in the form that it has in the queue. An entry that was reserved and
// not needed has no opcode.
func (c *Completion) line(n uint64) ring.Line {
	lead := uint64(ring.Seq(n)) | uint64(c.Op)<<cqeOp | uint64(c.Status)<<cqeStatus | uint64(c.Reason)<<cqeReason
	if c.HasImm {
		lead |= cqeImm
	}
	return ring.Line{lead, c.ID, uint64(c.Bytes), uint64(c.QPN) | uint64(c.Immediate)<<32, uint64(c.Source) | uint64(c.SourceQPN)<<32}
}

// read is the inverse of line. It reports whether the line holds a valid completion.
func (c *Completion) read(lead uint64, e *entry) bool {
	*c = Completion{
		Op: Opcode(lead >> cqeOp), Status: Status(lead >> cqeStatus), Reason: Reason(lead >> cqeReason), HasImm: lead&cqeImm != 0,
		ID: e[1], Bytes: int(e[2]), QPN: QPN(e[3]) & qpnMask, Immediate: uint32(e[3] >> 32), Source: LID(e[4]), SourceQPN: QPN(e[4]>>32) & qpnMask,
	}
	return c.Op != opNone && c.Op < numOps && c.Status < numStatuses && c.Reason < numReasons && c.Bytes >= 0
}

// Err returns why the request failed, or nil. rank is the rank at the other side.
func (c *Completion) Err(rank int) error {
	if c.Status == Success {
		return nil
	}
	return &Failure{c.Op, rank, c.Status, c.Reason, c.Bytes, c.cause}
}

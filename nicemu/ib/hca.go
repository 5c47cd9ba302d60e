package ib

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// A LID is the local identifier of a port, by which packets are routed within a
// subnet (infiniband, section 4). 0 is none.
type LID uint16

// A GID is the global identifier of a port: subnet prefix and GUID (infiniband,
// section 4).
type GID [2]uint64

// subnetPrefix is that of a subnet without routers.
const subnetPrefix = 0xfe80 << 48

// A QPN is the number of a queue pair: 24 bits (infiniband, section 3). Our
// choice: the low 11 bits name the place in the table, the others how often it was
// used, so that a number outlives its queue pair without naming the next.
type QPN uint32

// A Key names a memory region, to its owner (lkey) and to others (rkey). Our
// choice: the two are the same number; the low 11 bits name the place in the table, the others
// the generation of the registration. 0 names nothing.
type Key uint32

// The low bits of a QPN and of a Key.
const (
	indexBits = 11
	indexMask = 1<<indexBits - 1
	qpnMask   = 1<<24 - 1
)

// A Domain is a protection domain (infiniband, section 10.2): a queue pair uses the
// regions of its own only.
type Domain uint32

// Options of an adapter.
type Options struct {
	Attach fabric.Attach // how the memory of other processes is reached
}

// An HCA is the host channel adapter of one rank, as its process has it. After
// Close every operation is refused. Queue pairs and completion queues belong to one
// goroutine at a time; memory may be registered by any, and a [Link] be used by any.
type HCA struct {
	f      *fabric.Fabric
	rank   int
	own    adapter
	engine *dma.Engine
	rings  fabric.RingPool
	closed atomic.Bool

	mu      sync.Mutex
	memory  *memory
	free    []int32      // places of regions
	drains  fabric.Drain // of what is withdrawn
	qps     []*QP        // by place, nil: the subnet manager's, or none
	queues  [Queues]*ReceiveQueue
	cqs     [CQs]*CQ
	domains Domain
	links   []*Link
	linkCQ  *CQ
}

// ErrClosed reports an adapter that has been closed.
var ErrClosed = errors.New("ib: the adapter is closed")

// ErrFull reports a table without room.
var ErrFull = errors.New("ib: the adapter has no more of these")

// Open gives this process the adapter of a rank, whose port the subnet manager has
// brought up ([Manage]); where ranks are goroutines of one process and there is no
// manager, the first adapter that is opened stands in for it.
func Open(f *fabric.Fabric, rank int, o Options) (*HCA, error) {
	if err := admit(f); err != nil {
		return nil, err
	}
	if err := f.Enter(rank); err != nil {
		return nil, err
	}
	h := &HCA{f: f, rank: rank, own: adapterOf(f, rank), memory: newMemory(), rings: f.RingPool(), qps: make([]*QP, QPs), domains: jobDomain}
	err := h.open(o)
	if err != nil {
		f.Leave(rank)
		return nil, err
	}
	return h, nil
}

func (h *HCA) open(o Options) (err error) {
	if !h.own.up() || stateOf(h.own.qp(h.rank).load(qpState)) != RTS {
		return fmt.Errorf("ib: the port of rank %d is down: a process has had and closed the adapter already", h.rank)
	}
	if h.engine, err = dma.Open(h.f, h.rank, o.Attach); err != nil {
		return err
	}
	for i := Regions - 1; i >= firstRegion; i-- {
		h.free = append(h.free, int32(i))
	}
	h.links = make([]*Link, h.f.Ranks())
	h.linkCQ, err = h.CreateCQ()
	return err
}

// Close withdraws what this process has created and registered. The job's own
// connections only cease to send (SQD): what the regions are that they lead to stays
// with the job, so that late packets for this rank land there.
func (h *HCA) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed.Swap(true) {
		return errors.New("ib: closed twice")
	}
	for i := range h.f.Ranks() {
		e := h.own.qp(i)
		changeState(e, SQD)
	}
	for _, q := range h.qps {
		if q != nil && q.number&indexMask >= QPN(h.f.Ranks()) {
			q.entry.store(qpState, (q.entry.load(qpState)>>32+1)<<32)
		}
	}
	err := h.withdrawAll()
	h.f.Leave(h.rank)
	return err
}

// Rank returns the rank.
func (h *HCA) Rank() int { return h.rank }

// LID returns the local identifier of the port.
func (h *HCA) LID() LID { return LID(h.own.tables[regAddress]) }

// GID returns the global identifier of the port.
func (h *HCA) GID() GID { return GID{subnetPrefix, h.own.tables[regGUID]} }

// Remote reports whether the memory of other processes is reached.
func (h *HCA) Remote() bool { return h.engine.Attached() }

// AllocDomain returns a protection domain that nobody else has.
func (h *HCA) AllocDomain() Domain {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.domains++
	return Domain(h.rank+1)<<16 | h.domains
}

// at returns the adapter of the port with a LID.
func (h *HCA) at(lid LID) (a adapter, rank int, ok bool) {
	rank = int(lid) - 1
	if uint(rank) >= uint(h.f.Ranks()) {
		return adapter{}, rank, false
	}
	a = adapterOf(h.f, rank)
	return a, rank, a.up() && LID(a.tables[regAddress]) == lid
}

// Failures returns how many requests of this adapter failed, and how many that
// arrived here were refused, for one reason.
func (h *HCA) Failures(r Reason) (own, arrived uint64) {
	if r >= numReasons {
		return 0, 0
	}
	return atomic.LoadUint64(&h.own.tables[regFailures+int(r)]), atomic.LoadUint64(&h.own.public[pubRefusals+int(r)])
}

// count notes a failure here and, if the responder found it, there.
func (h *HCA) count(r Reason, at *adapter) {
	atomic.AddUint64(&h.own.tables[regFailures+int(r)], 1)
	if at != nil && at.public != nil {
		atomic.AddUint64(&at.public[pubRefusals+int(r)], 1)
	}
}

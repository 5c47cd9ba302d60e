package ib

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// A LID is the local identifier of a port, by which packets are routed within a subnet (infiniband,
// section 4). 0 is no port.
type LID uint16

// A GID is the global identifier of a port: subnet prefix and GUID (infiniband,
// section 4).
type GID [2]uint64

// subnetPrefix is that of a subnet without routers.
const subnetPrefix = 0xfe80 << 48

// A QPN is the number of a queue pair: 24 bits (infiniband, section 3). Our choice: the low 11 bits
// are the index in the table, the others count its uses, so that a number that outlives its queue
// pair does not name the next one.
type QPN uint32

// A Key names a memory region, to its owner (lkey) and to others (rkey). Our choice: both are the
// same number; the low 11 bits are the index in the table, the others the generation of the
// registration. 0 names no region.
type Key uint32

// The low bits of a QPN and of a Key.
const (
	indexBits = 11
	indexMask = 1<<indexBits - 1
	qpnMask   = 1<<24 - 1
)

// A Domain is a protection domain (infiniband, section 10.2): a queue pair uses only the regions of
// its own domain.
type Domain uint32

// Options of an adapter.
type Options struct {
	Attach fabric.Attach // how the memory of other processes is reached
}

// An HCA is the host channel adapter of one rank, as its process sees it. After Close every
// operation is refused. Queue pairs and completion queues belong to one goroutine at a time; any
// goroutine may register memory and use a [Link].
type HCA struct {
	f      *fabric.Fabric
	rank   int
	own    adapter
	engine *dma.Engine
	rings  fabric.RingPool
	closed atomic.Bool

	mu      sync.Mutex
	memory  *memory
	free    []int32      // unused regions
	drains  fabric.Drain // waits for transfers in withdrawn memory
	qps     []*QP        // by index; nil: none, or the subnet manager's
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

// Open gives this process the adapter of a rank, whose port the subnet manager has brought up
// ([Manage]); where ranks are goroutines of one process and there is no manager, the first adapter
// that is opened acts as the manager.
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

// Close withdraws everything that this process has created and registered. The job's own
// connections only stop sending (SQD): the regions to which they lead stay with the job, so that
// late packets for this rank arrive there.
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

// Remote reports whether the adapter reaches the memory of other processes.
func (h *HCA) Remote() bool { return h.engine.Attached() }

// AllocDomain returns an unused protection domain.
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

// Failures returns the numbers of failures for one reason: of requests of this adapter, and of
// refused requests that arrived here.
func (h *HCA) Failures(r Reason) (own, arrived uint64) {
	if r >= numReasons {
		return 0, 0
	}
	return atomic.LoadUint64(&h.own.tables[regFailures+int(r)]), atomic.LoadUint64(&h.own.public[pubRefusals+int(r)])
}

// count counts a failure here and, if the responder found it, there.
func (h *HCA) count(r Reason, at *adapter) {
	atomic.AddUint64(&h.own.tables[regFailures+int(r)], 1)
	if at != nil && at.public != nil {
		atomic.AddUint64(&at.public[pubRefusals+int(r)], 1)
	}
}

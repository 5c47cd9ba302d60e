package cenju4

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// Options of a NIC. The zero value is what ranks use.
type Options struct {
	Attach fabric.Attach
}

// A NIC is the NIC of one rank, as its process sees it. After Close every operation is refused.
// Parcels, ways and message buffers belong to one goroutine at a time; any goroutine may make the
// system calls (Map, Unmap, RegisterMulticast, RegisterSynchronization).
type NIC struct {
	f      *fabric.Fabric
	rank   int
	ranks  int // of the job
	own    node
	engine *dma.Engine
	queues [2][]*ring.SharedWriter // message buffers, by node
	sent   []ring.Tally            // message 0, by node
	other  ring.Tally              // message 1
	head   [3]uint64               // of the line before a message: always 0
	packet [MaxPacket]byte         // the message in progress
	under  service                 // the parcel in progress
	closed atomic.Bool             // set under mu

	mu         sync.Mutex
	maps       *mappings
	free       []int // unused numbers of mappings
	pages      pagePool
	mapped     segment // as the OS wrote it; others may have overwritten the table since
	generation uint32
	spareSets  []uint16 // returned entries of header tables
	spareSyncs []uint16
	drains     fabric.Drain // waits for transfers in unmapped memory
}

// Open gives this process the NIC of a rank, which the job's manager has started. Where ranks are
// goroutines of one process and there is no manager, the first NIC that is opened acts as the
// manager.
func Open(f *fabric.Fabric, rank int, o Options) (*NIC, error) {
	if err := enough(f); err != nil {
		return nil, err
	}
	if err := admit(f); err != nil {
		return nil, err
	}
	if err := f.Enter(rank); err != nil {
		return nil, err
	}
	n := &NIC{f: f, rank: rank, ranks: f.Ranks(), own: nodeOf(f, rank), sent: make([]ring.Tally, f.Ranks()), maps: newMappings()}
	var err error
	if n.engine, err = dma.Open(f, rank, o.Attach); err != nil {
		f.Leave(rank)
		return nil, fmt.Errorf("cenju4: %w", err)
	}
	for i := range n.queues {
		n.queues[i] = make([]*ring.SharedWriter, n.ranks)
	}
	for number := maxMappings - 1; number >= 0; number-- {
		n.free = append(n.free, number)
	}
	n.mapped = mappedSegment(n.own)
	n.pages.give(n.mapped.first, n.mapped.last-n.mapped.first+1)
	return n, nil
}

// Close unmaps everything that this process has mapped. The static segment stays with the job: late
// packets arrive there.
func (n *NIC) Close() (err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed.Swap(true) {
		return errors.New("cenju4: closed twice")
	}
	for number := range n.maps {
		if n.maps[number].used && !n.release(number) {
			err = n.refuse(Refusal{Node: n.rank, Bytes: len(n.maps[number].buf), Reason: InUse})
		}
	}
	n.f.Leave(n.rank)
	return err
}

// Rank returns the rank, which is both the physical and the logical number of the node.
func (n *NIC) Rank() int { return n.rank }

// Remote reports whether parcels reach the private memory of other processes.
func (n *NIC) Remote() bool { return n.engine.Attached() }

// Sent returns a count of the Sender, for parcels of the task and for replies.
func (n *NIC) Sent(c Count) uint64 {
	if uint(c) >= uint(numCounts) {
		return 0
	}
	sent := atomic.LoadUint64(&n.own.tables[regSent+int(c)]) + atomic.LoadUint64(&n.own.public[pubSent+int(c)])
	if c <= Coherent {
		sent += atomic.LoadUint64(&n.own.tables[regLines])
	}
	return sent
}

// count counts an event at this node's Sender.
func (n *NIC) count(c Count, by uint64) {
	w := &n.own.tables[regSent+int(c)]
	atomic.StoreUint64(w, *w+by)
}

// Interrupts returns how many times the Receiver has interrupted the OS.
func (n *NIC) Interrupts(c Cause) uint64 {
	if uint(c) >= uint(numCauses) {
		return 0
	}
	return atomic.LoadUint64(&n.own.public[pubInterrupts+int(c)])
}

// MaskArrivals disables or enables the interrupts for parcels that have arrived.
func (n *NIC) MaskArrivals(off bool) {
	var v uint64
	if off {
		v = 1
	}
	atomic.StoreUint64(&n.own.tables[regMask], v)
}

// Bootstrap returns this node's bootstrap area, which begins on a page, or nil after Close.
func (n *NIC) Bootstrap() []byte {
	if n.closed.Load() {
		return nil
	}
	return n.f.Bytes(n.rank, fabric.Public)[publicSize:]
}

// Rings returns the memory of this node's packet rings, or nil after Close.
func (n *NIC) Rings() []byte {
	if n.closed.Load() {
		return nil
	}
	return n.f.Bytes(n.rank, fabric.Rings)
}

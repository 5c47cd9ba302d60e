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

// A NIC is that of one rank, as its process has it. After Close every operation is refused. Parcels,
// ways and message buffers belong to one goroutine at a time; the system calls (Map, Unmap,
// RegisterMulticast, RegisterSynchronization) may be used by any.
type NIC struct {
	f      *fabric.Fabric
	rank   int
	ranks  int // of the job
	own    node
	engine *dma.Engine
	queues [2][]*ring.SharedWriter // message buffers, by node
	sent   []ring.Tally            // message 0, by node
	other  ring.Tally              // message 1
	head   [3]uint64               // of the line before a message: nothing
	packet [MaxPacket]byte         // the message under way
	under  service                 // the parcel under way
	closed atomic.Bool             // set under mu

	mu         sync.Mutex
	maps       *mappings
	free       []int // numbers of mappings
	pages      pagePool
	mapped     segment // as the OS wrote it, whatever others have done to it since
	generation uint32
	spareSets  []uint16 // entries of header tables that were given back
	spareSyncs []uint16
	drains     fabric.Drain // of what is unmapped
}

// Open gives this process the NIC of a rank, which the job's manager has started. Where ranks
// are goroutines of one process and there is no manager, the first NIC that is opened stands in for it.
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

// Close unmaps all that this process has mapped. The static segment stays with the job: late
// packets land there.
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

// Rank returns the rank, which is the node's physical and its logical number.
func (n *NIC) Rank() int { return n.rank }

// Remote reports whether parcels reach the own memory of other processes.
func (n *NIC) Remote() bool { return n.engine.Attached() }

// Sent returns what the Sender has counted, for parcels of the task and for replies.
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

// count counts at the own Sender.
func (n *NIC) count(c Count, by uint64) {
	w := &n.own.tables[regSent+int(c)]
	atomic.StoreUint64(w, *w+by)
}

// Interrupts returns how often the Receiver has interrupted the OS.
func (n *NIC) Interrupts(c Cause) uint64 {
	if uint(c) >= uint(numCauses) {
		return 0
	}
	return atomic.LoadUint64(&n.own.public[pubInterrupts+int(c)])
}

// MaskArrivals disables interrupts of parcels that have arrived, or enables them.
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

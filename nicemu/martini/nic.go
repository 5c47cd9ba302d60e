package martini

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// An Attach says whether cross-memory attach is used as the NIC's DMA into the
// memory of other processes.
type Attach = fabric.Attach

// The choices.
const (
	Auto = fabric.AttachAuto
	On   = fabric.AttachOn
	Off  = fabric.AttachOff
)

// Options of a NIC. The zero value is what ranks use.
type Options struct {
	Attach Attach
	// Job is the PGID with which the process expects to be registered, or 0 for any that the
	// manager has registered ([Manager.Admit]).
	Job uint32
}

// A NIC is the Martini of one rank as its process sees it, with the operations of a user (martini,
// section 8.1). The [Manager] assigns Windows, and [Hardware] is the inside of the controller;
// neither can be had from a NIC. After Close every operation is refused. Windows, channels and
// other handles belong to one goroutine at a time; any goroutine may pin and register memory.
type NIC struct {
	f          *fabric.Fabric
	rank       int
	own        node
	key        uint64
	engine     *dma.Engine
	ranks      int    // of the job
	nodes      []node // the tables of all ranks
	flagArrays int    // number of flag arrays of each rank
	windows    [Windows]Window
	turn       int // for Next: the Window used last
	rings      fabric.RingPool
	allow      [8]byte // payload of a Lock Allow: 1

	mu     sync.Mutex
	pins   *pinTable    // by extent
	empty  []int32      // free extents
	sids   []int32      // free segments
	live   int          // number of pins and segments in use
	last   int          // extent entered last
	used   int          // extent that local found last
	guess  []uint16     // by segment of other nodes: its extent when a straight request last used it
	high   int          // highest number of extents so far; the word in the table is for other nodes
	drains fabric.Drain // waits for transfers in withdrawn memory
	hints  []int        // the extents that contain the own segments
	closed atomic.Bool  // set under mu
	aotf   *aotf        // nil before the first header
	watch  func(Withdrawal)

	stepper Stepper // runs unusual cases; nil: the fast path handles them itself
}

// Open gives this process the NIC of a rank. The job's manager has registered the process with it
// ([Manage]); where ranks are goroutines of one process and there is no manager, the first NIC that
// is opened acts as the manager. A process cannot choose PGID and PID of its Windows (martini,
// sections 3.4, 8.5).
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
	n := &NIC{f: f, rank: rank, own: nodeOf(f, rank), ranks: f.Ranks(), flagArrays: f.Geometry().FlagArrays, rings: f.RingPool()}
	err := n.registered(o)
	if err == nil {
		n.engine, err = dma.Open(f, rank, o.Attach)
	}
	if err != nil {
		f.Leave(rank)
		return nil, err
	}
	binary.NativeEndian.PutUint64(n.allow[:], 1)
	n.pins, n.high, n.hints = newPinTable(), ownExtents, make([]int, Segments)
	n.guess, n.nodes = make([]uint16, Segments), make([]node, n.ranks)
	for i := range n.nodes {
		n.nodes[i] = nodeOf(f, i)
	}
	for i := Extents - 1; i >= ownExtents; i-- {
		n.empty = append(n.empty, int32(i))
	}
	for sid := Segments - 1; sid >= firstSID; sid-- {
		n.sids = append(n.sids, int32(sid))
	}
	for i := range n.windows {
		n.windows[i].open(n, i)
	}
	return n, nil
}

// registered reads the job and the PID with which this process was registered.
func (n *NIC) registered(o Options) error {
	key := n.own.window(0).load(winKey)
	if key&winValid == 0 {
		return fmt.Errorf("martini: no Window is registered for rank %d: a process has had and closed its NIC already", n.rank)
	}
	if o.Job != 0 && o.Job != uint32(key) {
		return fmt.Errorf("martini: rank %d is registered for job %#x, not %#x", n.rank, uint32(key), o.Job)
	}
	n.key = key & winOwner
	return nil
}

// Close withdraws everything that this process registered, as the driver does when the device file
// is closed (martini, section 8.3). The NIC's own memory, its rings, stays with the job: late
// packets for this rank arrive there.
func (n *NIC) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed.Swap(true) {
		return errors.New("martini: closed twice")
	}
	for i := range n.windows {
		n.own.invalidate(i)
	}
	n.withdrawHeaders()
	err := n.withdrawAll()
	n.f.Leave(n.rank)
	return err
}

// Rank returns the rank, which is the NIC's node number and its process's PID.
func (n *NIC) Rank() int { return n.rank }

// Remote reports whether PUSH and PULL reach the memory of other processes.
func (n *NIC) Remote() bool { return n.engine.Attached() }

// node returns the tables of another NIC and reports whether it is up.
func (n *NIC) node(rank int) (node, bool) {
	if uint(rank) >= uint(n.ranks) {
		return node{}, false
	}
	t := n.nodes[rank]
	return t, t.up()
}

// Window returns Window i.
func (n *NIC) Window(i int) *Window { return &n.windows[i] }

// Next returns the Windows in turn, so that a request need not wait for the previous one (martini,
// section 3.3).
func (n *NIC) Next() *Window {
	n.turn++
	return &n.windows[n.turn%Windows]
}

package martini

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// An Attach says whether cross-memory attach is used as the NIC's DMA into the
// memory of other processes.
type Attach uint8

// The choices. Auto tries it at set-up; On insists; Off does without, as on
// a kernel that refuses.
const (
	Auto Attach = iota
	On
	Off
)

// ParseAttach reads auto, on or off; empty means auto.
func ParseAttach(s string) (Attach, error) {
	switch s {
	case "", "auto":
		return Auto, nil
	case "on":
		return On, nil
	case "off":
		return Off, nil
	}
	return Auto, fmt.Errorf("martini: cross-memory attach %q; it is auto, on or off", s)
}

// Options of a NIC. The zero value is what ranks use.
type Options struct {
	Attach Attach
	// Job is the PGID that the manager registers for this process, 0 for the
	// fabric's own. Another one belongs to another job, which this NIC's
	// peers refuse (martini, section 1.9).
	Job uint32
}

// A NIC is the Martini of one rank. Windows, channels and the like belong to
// one goroutine at a time; pinning and registration may be done by any.
type NIC struct {
	f       *fabric.Fabric
	rank    int
	own     node
	key     uint64
	attach  bool
	ranks   int // of the job
	boards  int // of each rank
	windows [Windows]Window
	turn    int     // which Window is used next
	ready   int     // packet rings with all pages in place
	allow   [8]byte // payload of a Lock Allow: 1

	mu    sync.Mutex
	pins  *pinTable // by extent
	empty []int32   // free extents
	sids  []int32   // free segments
	live  int       // pins and segments in use
	last  int       // extent entered last
	used  int       // extent that local answered last
	shut  bool
	aotf  *aotf // nil before the first header
	watch func(Withdrawal)

	stepper Stepper // runs what is unusual; nil: the fast path does it itself
}

// Open brings up the NIC of a rank for this process, which is registered with
// it by the job's manager ([Register]) or, where there is none, registers
// itself: PGID and PID of its Windows are fixed from here on (martini, sections
// 3.4, 8.5).
func Open(f *fabric.Fabric, rank int, o Options) (*NIC, error) {
	if have := f.Geometry().Device; have < MemoryBytes {
		return nil, fmt.Errorf("martini: %d bytes of NIC memory; it takes %d", have, MemoryBytes)
	}
	if err := f.Enter(rank); err != nil {
		return nil, err
	}
	own, ok := start(f, rank)
	if !ok {
		f.Leave(rank)
		return nil, fmt.Errorf("martini: the NIC of rank %d does not start", rank)
	}
	n := &NIC{f: f, rank: rank, own: own, ranks: f.Ranks(), boards: f.Geometry().Boards}
	if err := n.probe(o.Attach); err != nil {
		f.Leave(rank)
		return nil, err
	}
	key, err := n.admitted(o)
	if err != nil {
		f.Leave(rank)
		return nil, err
	}
	managed := key != 0
	if n.key = key; !managed {
		n.key = makeKey(f.Job(), rank)
		if o.Job != 0 {
			n.key = makeKey(o.Job, rank)
		}
	}
	binary.NativeEndian.PutUint64(n.allow[:], 1)
	n.pins = newPinTable()
	for i := Extents - 1; i >= ownExtents; i-- {
		n.empty = append(n.empty, int32(i))
	}
	for sid := Segments - 1; sid >= firstSID; sid-- {
		n.sids = append(n.sids, int32(sid))
	}
	for i := range n.windows {
		n.windows[i].open(n, i)
		if !managed {
			n.Assign(i, uint32(n.key), rank)
		}
	}
	return n, nil
}

// Answers to whether the ranks of a job use cross-memory attach.
const (
	attachYes = 1
	attachNo  = 2
)

// probe decides whether cross-memory attach is used. All ranks of a job must
// agree, so the first to come decides for those that leave it open.
func (n *NIC) probe(a Attach) error {
	refusal := n.reach(a)
	if a == On && refusal != nil {
		return fmt.Errorf("martini: cross-memory attach is on but refused: %w", refusal)
	}
	mine := uint64(attachYes)
	if a == Off || refusal != nil {
		mine = attachNo
	}
	all := n.f.Decide(mine)
	if all != mine && a != Auto {
		return fmt.Errorf("martini: cross-memory attach must be auto, on or off for all ranks alike; rank %d differs", n.rank)
	}
	n.attach = all == attachYes
	return nil
}

// reach tries the memory of ranks that are likely to have started, this one
// included, and returns what the kernel says.
func (n *NIC) reach(a Attach) error {
	if a == Off || !n.f.Shared() {
		return nil
	}
	if err := fabric.AttachPolicy(); err != nil {
		return err
	}
	for _, peer := range [...]int{n.rank, n.rank - 1, n.rank + 1, 0} {
		if peer < 0 || peer >= n.f.Ranks() {
			continue
		}
		if err := n.f.Probe(peer); err != nil && !errors.Is(err, fabric.ErrAbsent) {
			return err
		}
	}
	return nil
}

// Close withdraws all that this process registered, as the driver does when
// the device file is closed (martini, section 8.3). The NIC's own memory,
// its rings, stays with the job: late packets for this rank land there.
func (n *NIC) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.shut {
		return errors.New("martini: closed twice")
	}
	n.shut = true
	for i := range n.windows {
		n.Invalidate(i)
	}
	n.withdrawHeaders()
	err := n.withdrawAll()
	n.f.Leave(n.rank)
	return err
}

// Rank returns the rank, which is the NIC's node number and its process's PID.
func (n *NIC) Rank() int { return n.rank }

// Fabric returns the memory that the NIC lies in.
func (n *NIC) Fabric() *fabric.Fabric { return n.f }

// Remote reports whether PUSH and PULL reach the memory of other processes.
func (n *NIC) Remote() bool { return n.attach }

// node returns the tables of another NIC and reports whether it is up.
func (n *NIC) node(rank int) (node, bool) {
	if uint(rank) >= uint(n.f.Ranks()) {
		return nil, false
	}
	return start(n.f, rank)
}

// Assign registers the owner of a Window: the driver's privilege, used by the
// manager before the process runs (martini, sections 3.2, 8.5).
func (n *NIC) Assign(window int, pgid uint32, pid int) {
	atomic.StoreUint64(&n.own.window(window)[winKey], winValid|makeKey(pgid, pid))
}

// Invalidate withdraws a Window from its owner.
func (n *NIC) Invalidate(window int) { atomic.StoreUint64(&n.own.window(window)[winKey], 0) }

// Window returns Window i.
func (n *NIC) Window(i int) *Window { return &n.windows[i] }

// Next returns the Windows in turn, so that a request need not wait for the
// one before it (martini, section 3.3).
func (n *NIC) Next() *Window {
	n.turn++
	return &n.windows[n.turn%Windows]
}

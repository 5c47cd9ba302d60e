package dimmnet2

import (
	"errors"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A NIC is the half of a board that belongs to one process. After Close every access is refused. It
// belongs to one goroutine at a time.
type NIC struct {
	f       *fabric.Fabric
	rank    int
	own     *share
	shares  []*share // by rank, opened on first use
	closed  bool
	status  uint64 // number of entries of the status ring that Poll has returned
	cached  uint32 // bit set of the lines of the Prefetch Windows in the processor's cache
	cache   [prefetched]byte
	local   vector // for the present command
	asked   vector // for the present request to read
	ask     [(ListElements + 1) * 4]byte
	scratch [PacketBytes]byte
	sent    []ring.Tally // IPUSH records, by rank
}

// A share is the memory of a process's half of a board, as a NIC accesses it.
type share struct {
	tables, public       []uint64
	written              []byte // Write Windows
	llcm, window, module []byte
	records              *ring.SharedWriter // for the receive ring
}

func shareOf(f *fabric.Fabric, rank int) *share {
	b := f.Bytes(rank, fabric.Public)
	s := &share{
		tables: f.Words(rank, fabric.Device), written: f.Bytes(rank, fabric.Device)[regWindows*8 : tableBytes], public: fabric.WordsOf(b[:llcmAt]),
		llcm: b[llcmAt:windowsAt:windowsAt], window: b[windowsAt : windowsAt+prefetched : windowsAt+prefetched], module: b[moduleAt:],
	}
	s.records = ring.NewSharedWriter(s.llcm[ipushAt:], ipush())
	return s
}

// Open gives this process the NIC of a rank, which the job's manager has entered. Where ranks are
// goroutines of one process and there is no manager, the first NIC that is opened acts as the
// manager.
func Open(f *fabric.Fabric, rank int) (*NIC, error) {
	if err := enough(f); err != nil {
		return nil, err
	}
	if err := admit(f); err != nil {
		return nil, err
	}
	if err := f.Enter(rank); err != nil {
		return nil, err
	}
	return &NIC{f: f, rank: rank, own: shareOf(f, rank), shares: make([]*share, f.Ranks()), sent: make([]ring.Tally, f.Ranks())}, nil
}

// Close ends the use of the NIC. Its memory stays with the job: late packets arrive there.
func (n *NIC) Close() error {
	if n.closed {
		return errors.New("dimmnet2: closed twice")
	}
	n.closed = true
	n.f.Leave(n.rank)
	return nil
}

// Rank returns the rank.
func (n *NIC) Rank() int { return n.rank }

// Node returns the number of the board.
func (n *NIC) Node() int { return n.rank / Processes }

// Process returns 0 or 1, for the first or second process of the board.
func (n *NIC) Process() int { return n.rank % Processes }

// WriteWindow returns the address of this process's Write Window i, 0 or 1.
func (n *NIC) WriteWindow(i int) Address { return WriteWindow(n.Process()*ownWrite + i) }

// PrefetchWindow returns the address of this process's Prefetch Window i, 0 to 3.
func (n *NIC) PrefetchWindow(i int) Address { return PrefetchWindow(n.Process()*ownPrefetch + i) }

// Base returns the first SO-DIMM address of the process, and its size in bytes: process p has
// SO-DIMM p (our choice).
func (n *NIC) Base() (at, size uint32) { return base(n.rank), uint32(n.own.tables[regLimit]) }

// base is the first SO-DIMM address of a rank.
func base(rank int) uint32 { return uint32(rank%Processes) * ModuleBytes }

// share returns the memory of a rank.
func (n *NIC) share(rank int) *share {
	if n.shares[rank] == nil {
		n.shares[rank] = shareOf(n.f, rank)
	}
	return n.shares[rank]
}

// group returns the register with the PGID, as other processes see it.
func (s *share) group() uint64 { return atomic.LoadUint64(&s.tables[regPower]) }

// pgid returns the PGID that the register holds.
func (s *share) pgid() uint16 { return uint16(s.group() >> 32) }

// dimm returns n bytes at an address of the SO-DIMM of a rank; s is the rank's share.
func (s *share) dimm(rank int, at uint64, n int) (b []byte, ok bool) {
	from := at - uint64(base(rank)) // wraps if at is below the base
	if size := uint64(len(s.module)); from > size || uint64(n) > size-from {
		return nil, false
	}
	return s.module[from : from+uint64(n) : from+uint64(n)], true
}

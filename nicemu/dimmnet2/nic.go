package dimmnet2

import (
	"errors"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A NIC is the half of a board that one process has. After Close every access is
// refused. It belongs to one goroutine at a time.
type NIC struct {
	f       *fabric.Fabric
	rank    int
	own     *share
	shares  []*share // by rank, opened on first use
	closed  bool
	status  uint64 // entries of the status ring that Poll has returned
	cached  uint32 // lines of the Prefetch Windows that the processor's cache holds
	cache   [prefetched]byte
	local   vector // of the command under way
	asked   vector // of the request to read under way
	ask     [(ListElements + 1) * 4]byte
	scratch [PacketBytes]byte
	sent    []ring.Tally // IPUSH records, by rank
}

// A share is the memory of a process's half of a board, as a NIC sees it.
type share struct {
	tables, public       []uint64
	written              []byte // Write Windows
	llcm, window, module []byte
	records              *ring.SharedWriter // of the receive ring
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

// Open gives this process the NIC of a rank, which the job's manager has entered.
// Where ranks are goroutines of one process and there is no manager, the first NIC
// that is opened stands in for it.
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

// Close ends the use of the NIC. Its memory stays with the job: late packets land there.
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

// Node returns the number of the board, Process which of its two processes this is.
func (n *NIC) Node() int { return n.rank / Processes }

// Process returns which of the two processes of the board this is.
func (n *NIC) Process() int { return n.rank % Processes }

// WriteWindow returns the address of the own Write Window i, 0 or 1.
func (n *NIC) WriteWindow(i int) Address { return WriteWindow(n.Process()*ownWrite + i) }

// PrefetchWindow returns the address of the own Prefetch Window i, 0 to 3.
func (n *NIC) PrefetchWindow(i int) Address { return PrefetchWindow(n.Process()*ownPrefetch + i) }

// Base returns the first SO-DIMM address of the process, and how many bytes it has: process p
// has SO-DIMM p (our choice).
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

// group returns the register with the PGID, as others see it.
func (s *share) group() uint64 { return atomic.LoadUint64(&s.tables[regPower]) }

// pgid returns the PGID that the register holds.
func (s *share) pgid() uint16 { return uint16(s.group() >> 32) }

// dimm returns n bytes at an address of the SO-DIMM of a rank, whose memory s is.
func (s *share) dimm(rank int, at uint64, n int) (b []byte, ok bool) {
	from := at - uint64(base(rank)) // wraps below the base
	if size := uint64(len(s.module)); from > size || uint64(n) > size-from {
		return nil, false
	}
	return s.module[from : from+uint64(n) : from+uint64(n)], true
}

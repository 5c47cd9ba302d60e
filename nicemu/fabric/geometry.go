package fabric

import (
	"fmt"

	"rhinet/internal/ring"
)

// PageBytes is the unit of layout and of protection (martini, section 5.1).
const PageBytes = 4096

// Bounds of a job. MaxRanks is the number of peers that the protocol engine supports; the others
// keep sizes far from overflow.
const (
	MaxRanks      = 1024
	maxRings      = 1 << 12
	maxLines      = 1 << 16
	maxBytes      = 1 << 26
	maxFlagArrays = 1 << 8
	maxWords      = 1 << 16
	minCommon     = chunks * PageBytes
	maxCommon     = 1 << 44
)

// FlagLines is the number of lines of a rank in a shared flag array. A rank uses them in turn, so
// that it may be ahead of its readers. A power of two.
const FlagLines = 512

// A Geometry gives the sizes of one rank's slice.
type Geometry struct {
	Rings      int               // packet rings in the pool
	Ring       ring.Layout       // shape of each
	Shared     ring.SharedLayout // shape of the ring that all ranks write
	FlagArrays int               // shared flag arrays, FlagLines lines per array and rank, common to the job
	Words      int               // 64-bit words for compare-and-swap
	Device     int               // bytes of NIC memory that only the rank itself writes
	Public     int               // bytes of NIC memory that the NICs of all ranks write
	Common     int               // bytes of memory from which ranks reserve blocks, common to the job: see Fabric.Reserve
}

// Default returns the geometry of a job of processes. Most of it stays untouched: a rank that talks
// to few others costs a few hundred KiB. In a ring of 128 KiB, sender and receiver of a window of
// long messages work on the same lines most of the time: 64 messages of 16 KiB take 98 us there,
// and 61 us in 256 KiB. A ring twice as large gains nothing.
func Default() Geometry {
	return Geometry{
		Rings:      64,
		Ring:       ring.Layout{Slots: 256, Bytes: 256 << 10, Spread: true},
		Shared:     ring.SharedLayout{Lines: 4096},
		FlagArrays: 16,
		Words:      256,
		Device:     512 << 10,
		Public:     136 << 10,
		Common:     defaultCommon,
	}
}

// defaultCommon is far more than the memory of a machine: memory that is not reserved costs only
// addresses, of which small 64-bit systems have twice as many.
const defaultCommon = 1 << 38

// Small returns a geometry for ranks that are goroutines of one process: plain memory is cleared
// when it is allocated, so the areas are smaller.
func Small() Geometry {
	return Geometry{
		Rings:      16,
		Ring:       ring.Layout{Slots: 64, Bytes: 32 << 10, Spread: true},
		Shared:     ring.SharedLayout{Lines: 1024},
		FlagArrays: 4,
		Words:      64,
		Device:     512 << 10,
		Public:     136 << 10,
	}
}

// Check reports whether ranks slices of geometry g can be laid out.
func (g Geometry) Check(ranks int) error {
	power := func(n, low, high int) bool { return n >= low && n <= high && n&(n-1) == 0 }
	switch {
	case ranks < 1 || ranks > MaxRanks:
		return fmt.Errorf("fabric: %d ranks; a job has 1 to %d", ranks, MaxRanks)
	case g.Rings < 1 || g.Rings > maxRings:
		return fmt.Errorf("fabric: %d packet rings; a rank has 1 to %d", g.Rings, maxRings)
	case !power(g.Ring.Slots, 2, maxLines) || !power(g.Ring.Bytes, ring.LineBytes, maxBytes):
		return fmt.Errorf("fabric: packet rings of %d lines and %d bytes; both must be powers of two, 2 to %d and %d to %d",
			g.Ring.Slots, g.Ring.Bytes, maxLines, ring.LineBytes, maxBytes)
	case !power(g.Shared.Lines, 64, maxLines):
		return fmt.Errorf("fabric: a shared ring of %d lines; it must be a power of two, 64 to %d", g.Shared.Lines, maxLines)
	case g.FlagArrays < 0 || g.FlagArrays > maxFlagArrays:
		return fmt.Errorf("fabric: %d flag arrays; a rank has 0 to %d", g.FlagArrays, maxFlagArrays)
	case g.Words < 0 || g.Words > maxWords:
		return fmt.Errorf("fabric: %d control words; a rank has 0 to %d", g.Words, maxWords)
	case g.Device < 0 || g.Device > maxBytes:
		return fmt.Errorf("fabric: %d bytes of NIC memory; a rank has 0 to %d", g.Device, maxBytes)
	case g.Public < 0 || g.Public > maxBytes:
		return fmt.Errorf("fabric: %d bytes of public NIC memory; a rank has 0 to %d", g.Public, maxBytes)
	case g.Common != 0 && !power(g.Common, minCommon, maxCommon):
		return fmt.Errorf("fabric: %d bytes to reserve; it is 0, or a power of two, %d to %d", g.Common, minCommon, maxCommon)
	}
	return nil
}

// An Area is one part of the memory of a rank.
type Area int

// The areas, in the order in which they lie. Those before Public are the rank's tables: other ranks
// map them for reading only (see [Fabric.Enter]). The comments on the others say why all ranks must
// be able to write them.
const (
	Front    Area = iota // process, status line
	Device               // tables of the rank's NIC
	Public               // transfers in progress, refusals, acquisitions of locks: a peer's NIC counts them while it serves its own rank
	Control              // peers compare and swap these words
	Shared               // the NICs of all ranks place packets there
	Accounts             // two lines for each peer, where it says what it has sent: see [ring.Account]
	Rings                // the peer that a ring is granted to writes it, and grants change
	numAreas
)

// A layout is a geometry in bytes.
type layout struct {
	ranks      int
	geo        Geometry
	start      [numAreas]int // offset in the rank's tables or in its slice
	size       [numAreas]int
	ring       int // distance between packet rings
	flags      int // in all flag arrays
	flagArrays int // bytes of both, lines and rests
	tables     int // offset of the first rank's tables
	entries    int // distance between tables
	slices     int // offset of the first slice
	stride     int // distance between slices
	chunks     int // offset of the table of chunks
	common     int // offset of the memory for reserved blocks
}

// bells returns how many lines the doorbells of ranks take: an even number, so that the two lines with which a
// flag begins are a pair that the processor fetches together.
func bells(ranks int) int { return (ranks + 1) &^ 1 }

func pages(n int) int { return (n + PageBytes - 1) &^ (PageBytes - 1) }

func layOut(ranks int, g Geometry) layout {
	l := layout{ranks: ranks, geo: g, ring: pages(g.Ring.Size())}
	l.size = [numAreas]int{
		Front:   PageBytes,
		Device:  g.Device,
		Public:  g.Public,
		Control: g.Words * 8,
		Shared:  g.Shared.Size(),
		Rings:   g.Rings * l.ring,

		Accounts: 2 * ranks * ring.LineBytes, // of the packet ring, and of the shared one
	}
	for a := range l.size {
		if Area(a) < Public {
			l.start[a] = l.entries
			l.entries += pages(l.size[a])
		} else {
			l.start[a] = l.stride
			l.stride += pages(l.size[a])
		}
	}
	l.flags = g.FlagArrays * ranks * FlagLines
	l.flagArrays = l.flags * (FlagFront + restLines) * ring.LineBytes
	l.tables = bellsAt + pages(bells(ranks)*ring.LineBytes+l.flagArrays)
	l.slices = l.tables + ranks*l.entries
	l.chunks = l.slices + ranks*l.stride
	l.common = l.chunks
	if g.Common > 0 {
		l.common += chunks * 8
	}
	return l
}

// Offsets in the region of the parts that all ranks read.
const (
	headerAt = 0
	commonAt = PageBytes
	bellsAt  = 2 * PageBytes
)

// Bytes returns the size of the memory of a job with that many ranks, most of which is never
// touched.
func (g Geometry) Bytes(ranks int) int {
	l := layOut(ranks, g)
	return l.total()
}

// total returns the size of the whole region in bytes.
func (l *layout) total() int { return l.common + l.geo.Common }

// at returns the offset in the region of an area of a rank.
func (l *layout) at(rank int, a Area) int {
	if a < Public {
		return l.tables + rank*l.entries + l.start[a]
	}
	return l.slices + rank*l.stride + l.start[a]
}

package fabric

import (
	"errors"
	"sync"
	"sync/atomic"

	"rhinet/internal/ring"
)

// A Fabric is a job's memory as one process sees it. Any number of goroutines may call its methods;
// the rings, flag arrays and NICs in it define which goroutine may touch which words.
type Fabric struct {
	layout
	mem    []byte
	job    uint32
	base   uint64 // address of mem in this process
	unmap  func([]byte) error
	bells  []Doorbell
	loans  []loans
	shared bool          // ranks are processes
	mine   []atomic.Bool // ranks that this process has entered as
	house  atomic.Int32  // how many ranks it has entered as; never decreases
	guard  guard
	fences fences
	blocks blocks
	pages  pageMap
}

// Heap returns the memory of a job whose ranks are goroutines of this process.
func Heap(ranks int, g Geometry) (*Fabric, error) {
	if err := g.Check(ranks); err != nil {
		return nil, err
	}
	g.Common = 0 // reserved memory comes from the heap
	l := layOut(ranks, g)
	all := ring.Memory(l.total() + PageBytes)
	skip := int(-Address(all) & (PageBytes - 1))
	mem := all[skip : skip+l.total() : skip+l.total()]
	l.write(mem, newJob())
	return view(mem, l, false), nil
}

// view returns the fabric that lies in mem.
func view(mem []byte, l layout, shared bool) *Fabric {
	f := &Fabric{layout: l, mem: mem, base: Address(mem), shared: shared}
	f.job = uint32(words(mem[:PageBytes])[wordJob])
	f.loans = make([]loans, l.ranks)
	f.pages = l.openPages(shared)
	f.mine = make([]atomic.Bool, l.ranks)
	f.bells = make([]Doorbell, l.ranks)
	naps := f.napsAtFirst()
	for i := range f.bells {
		f.bells[i].open(f, i, naps)
	}
	return f
}

// Close unmaps the memory; the memory and views of it must not be used any more.
func (f *Fabric) Close() error {
	if f.mem == nil {
		return errors.New("fabric: closed twice")
	}
	f.fences.end()
	mem := f.mem
	f.mem, f.bells = nil, nil
	if f.unmap != nil && !f.blocks.taken() {
		return f.unmap(mem)
	}
	return nil
}

// Ranks returns the number of ranks of the job.
func (f *Fabric) Ranks() int { return f.ranks }

// Geometry returns the sizes of a slice.
func (f *Fabric) Geometry() Geometry { return f.geo }

// Job returns the number that identifies the job, which is its process group identifier (PGID;
// martini, section 1.9). It is never 0.
func (f *Fabric) Job() uint32 { return f.job }

// Shared reports whether ranks are processes, rather than goroutines of this one.
func (f *Fabric) Shared() bool { return f.shared }

// Decide settles a question that all ranks must answer alike: the first caller in the job does it,
// and all get its proposal, which is not 0.
func (f *Fabric) Decide(proposal uint64) uint64 {
	w := &words(f.mem[commonAt:bellsAt])[wordDecided]
	atomic.CompareAndSwapUint64(w, 0, proposal)
	return atomic.LoadUint64(w)
}

// Bytes returns an area of a rank. It starts on a page.
func (f *Fabric) Bytes(rank int, a Area) []byte {
	at, n := f.at(rank, a), f.size[a]
	return f.mem[at : at+n : at+n]
}

// Words returns an area of a rank as 64-bit words.
func (f *Fabric) Words(rank int, a Area) []uint64 { return words(f.Bytes(rank, a)) }

// Lines returns an area of a rank as lines.
func (f *Fabric) Lines(rank int, a Area) []ring.Line { return lines(f.Bytes(rank, a)) }

// Span returns the offset in the region and the size of an area of a rank.
func (f *Fabric) Span(rank int, a Area) (offset, size uint64) {
	return uint64(f.at(rank, a)), uint64(f.size[a])
}

// Flags returns the lines of the shared flag arrays, one array after the other: each has FlagLines
// groups of FlagFront lines for each rank, which that rank writes. Lines that are written together lie
// together. The rests of the flags follow all arrays, in the same order.
func (f *Fabric) Flags() []ring.Line {
	at, n := f.FlagSpan()
	return lines(f.mem[at : at+n : at+n])
}

// FlagSpan returns the offset in the region and the size of the shared flag arrays.
func (f *Fabric) FlagSpan() (offset, size uint64) {
	return uint64(bellsAt + bells(f.ranks)*ring.LineBytes), uint64(f.flagArrays)
}

// RingStride returns the distance in bytes between packet rings of the pool.
func (f *Fabric) RingStride() int { return f.ring }

// Memory returns n bytes at an offset of the region, or nil if they are not all in it. The header,
// and the tables of ranks that this process has not entered as, are never returned, whatever a peer
// says of its memory: a store there would end the process.
func (f *Fabric) Memory(offset, n uint64) []byte {
	if size := uint64(len(f.mem)); offset > size || n > size-offset || !f.open(offset, n) {
		return nil
	}
	return f.mem[offset : offset+n : offset+n]
}

// open reports whether all ranks may write n bytes at an offset, which lie in the region, or
// whether they lie in the tables of a rank that this process is.
func (f *Fabric) open(offset, n uint64) bool {
	if offset >= uint64(f.slices) {
		return true
	}
	end := offset + n
	if offset < uint64(f.tables) {
		return offset >= commonAt && end <= uint64(f.tables)
	}
	if end > uint64(f.slices) {
		return false
	}
	first, last := (offset-uint64(f.tables))/uint64(f.entries), (max(end, offset+1)-1-uint64(f.tables))/uint64(f.entries)
	return first == last && f.mine[first].Load()
}

// Offset returns the offset of b in the region, if b lies in it.
func (f *Fabric) Offset(b []byte) (uint64, bool) {
	at := Address(b)
	if size := uint64(len(f.mem)); at < f.base || at-f.base > size || uint64(len(b)) > size-(at-f.base) {
		return 0, false
	}
	return at - f.base, true
}

// loans is what one rank lends to the other ranks of this process.
type loans struct {
	mu  sync.Mutex
	all [][]byte
}

// Lend makes b available, as loan i of rank, to ranks of this process, which can access it without
// a system call; nil ends the loan. In a process that is Alone only the rank itself borrows.
func (f *Fabric) Lend(rank, i int, b []byte) {
	l := &f.loans[rank]
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.all) <= i {
		l.all = append(l.all, nil)
	}
	l.all[i] = b
}

// Alone reports whether ranks are processes, and this one has been at most one of them. If it
// becomes another rank later, memory that it has not lent until then is reached like memory of
// other processes.
func (f *Fabric) Alone() bool { return f.shared && f.house.Load() < 2 }

// Borrow returns loan i of rank, or nil if there is no such loan in this process.
func (f *Fabric) Borrow(rank, i int) []byte {
	l := &f.loans[rank]
	l.mu.Lock()
	defer l.mu.Unlock()
	if i < 0 || i >= len(l.all) {
		return nil
	}
	return l.all[i]
}

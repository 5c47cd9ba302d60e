package fabric

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/internal/ring"
)

// chunks is the number of parts of the common memory. A chunk belongs to one block at a time. Its
// word in the table of chunks holds the length in chunks of the block that begins there, inBlock in
// the middle of a block, or 0 if the chunk is free.
const chunks = 1 << 14

const inBlock = ^uint64(0)

// ErrFull reports that no more memory can be reserved.
var ErrFull = errors.New("the job's memory for blocks is in use")

// blocks is what this process knows of reserved memory.
type blocks struct {
	used atomic.Bool  // memory of the mapping was handed out
	hint atomic.Int32 // the chunk after the last reserved block, where the search begins

	mu   sync.Mutex // for ranks that are goroutines: guards the blocks themselves
	next uint64
	all  map[uint64][]byte
}

// taken reports whether somebody may still hold memory of the mapping.
func (b *blocks) taken() bool { return b.used.Load() }

// Reserve takes n bytes, zeroed, of the memory that all ranks can load from and store to. Any rank
// passes the result to [Fabric.Reserved] to get the memory. Any goroutine may call it. The error is
// [ErrFull] if n bytes in a row are not free.
func (f *Fabric) Reserve(n int) (at uint64, err error) {
	if n < 1 {
		return 0, fmt.Errorf("fabric: reserve %d bytes; a block has at least 1", n)
	}
	if !f.shared {
		return f.blocks.reserve(n), nil
	}
	if n > f.geo.Common {
		return 0, fmt.Errorf("fabric: reserve %d bytes of %d: %w", n, f.geo.Common, ErrFull)
	}
	unit := f.geo.Common / chunks
	need := (n + unit - 1) / unit
	table := f.chunkTable()
	hint := int(f.blocks.hint.Load())
	first := find(table[hint:], need)
	if first >= 0 {
		first += hint
	} else if first = find(table, need); first < 0 {
		return 0, fmt.Errorf("fabric: reserve %d bytes of %d: %w", n, f.geo.Common, ErrFull)
	}
	f.blocks.hint.Store(int32((first + need) % chunks))
	return uint64(f.common + first*unit), nil
}

// find claims the first need free chunks in a row, and returns the index of the first one, or -1.
func find(table []uint64, need int) int {
	for first := 0; first+need <= len(table); {
		free := claim(table[first : first+need])
		if free == need {
			return first
		}
		first += free + 1
	}
	return -1
}

// claim takes the chunks of table if all are free, and returns how many there were before the first
// used one. It writes the word of the first chunk last: until then the block has no owner.
func claim(table []uint64) int {
	for i := range table {
		if !atomic.CompareAndSwapUint64(&table[i], 0, inBlock) {
			giveBack(table[:i])
			return i
		}
	}
	atomic.StoreUint64(&table[0], uint64(len(table)))
	return len(table)
}

func giveBack(table []uint64) {
	for i := range table {
		atomic.StoreUint64(&table[i], 0)
	}
}

func (f *Fabric) chunkTable() []uint64 {
	return words(f.mem[f.chunks:f.common])
}

// Reserved returns the n bytes at offset at of reserved memory, or nil if they are not all in one
// block. They stay mapped after Close.
func (f *Fabric) Reserved(at, n uint64) []byte {
	if !f.shared {
		return f.blocks.view(at, n)
	}
	first, size := f.block(at)
	if size == 0 || n > size-(at-first) {
		return nil
	}
	f.blocks.used.Store(true)
	return f.mem[at : at+n : at+n]
}

// Common reports whether the processors of all ranks can access b: it is memory of the job,
// reserved or not.
func (f *Fabric) Common(b []byte) bool {
	_, in := f.Offset(b)
	return in || !f.shared && f.blocks.holds(b)
}

// block returns the offset and the size of the block that contains offset at; the size is 0 if
// there is none.
func (f *Fabric) block(at uint64) (first, size uint64) {
	if f.geo.Common == 0 || at < uint64(f.common) || at >= uint64(f.total()) {
		return 0, 0
	}
	unit, table := uint64(f.geo.Common/chunks), f.chunkTable()
	i := (at - uint64(f.common)) / unit
	for ; i > 0 && atomic.LoadUint64(&table[i]) == inBlock; i-- {
	}
	first = uint64(f.common) + i*unit
	size = min(atomic.LoadUint64(&table[i]), chunks-i) * unit // another process may have written a length that exceeds the memory
	if at-first >= size {
		return 0, 0
	}
	return first, size
}

// Release returns the block that begins at offset at. It must not be used any more.
func (f *Fabric) Release(at uint64) error {
	if !f.shared {
		return f.blocks.release(at)
	}
	first, size := f.block(at)
	if size == 0 || first != at {
		return fmt.Errorf("fabric: no block begins at %#x", at)
	}
	if err := discard(f.mem[first : first+size]); err != nil {
		return fmt.Errorf("fabric: give back %d bytes: %w", size, err)
	}
	unit := uint64(f.geo.Common / chunks)
	i := (first - uint64(f.common)) / unit
	giveBack(f.chunkTable()[i : i+size/unit])
	return nil
}

// blockGap separates the blocks of goroutines, so that bytes after a block are not taken for part
// of it.
const blockGap = PageBytes

func (b *blocks) reserve(n int) uint64 {
	mem := ring.Memory(pages(n) + PageBytes)
	skip := int(-Address(mem) & (PageBytes - 1))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all == nil {
		b.all, b.next = map[uint64][]byte{}, blockGap
	}
	at := b.next
	b.all[at] = mem[skip : skip+n : skip+n]
	b.next += uint64(pages(n)) + blockGap
	return at
}

func (b *blocks) view(at, n uint64) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for first, mem := range b.all {
		if at >= first && at-first <= uint64(len(mem)) && n <= uint64(len(mem))-(at-first) {
			return mem[at-first : at-first+n : at-first+n]
		}
	}
	return nil
}

// holds reports whether mem is part of a block of goroutines.
func (b *blocks) holds(mem []byte) bool {
	at := Address(mem)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, block := range b.all {
		if first, size := Address(block), uint64(len(block)); at >= first && at-first <= size && uint64(len(mem)) <= size-(at-first) {
			return true
		}
	}
	return false
}

func (b *blocks) release(at uint64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all[at] == nil {
		return fmt.Errorf("fabric: no block begins at %#x", at)
	}
	delete(b.all, at)
	return nil
}

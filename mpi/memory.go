package mpi

import (
	"strconv"
	"sync"
)

// KeyAlignment is the key of [AllocMem] for the alignment of the memory in bytes: a
// power of two. The default is a cache line, 64.
//
// MPI 4.1, section 9.2.
const KeyAlignment = "mpi_minimum_memory_alignment"

// AllocMem returns n elements, all 0, which the library keeps until [FreeMem]. No call
// needs such memory: any slice serves as a buffer. It is for programs that want
// alignment. [WinAllocate] makes the memory of windows.
//
// MPI 4.1, section 9.2 (MPI_Alloc_mem).
func AllocMem[T any](c *Comm, n int, info ...Info) (_ []T, err error) {
	defer c.raised(&err)
	s := at("AllocMem")
	e, err := elemForWin[T](c, s)
	if err != nil {
		return nil, err
	}
	line := 64
	for _, i := range info {
		if text, ok := i[KeyAlignment]; ok {
			if line, err = strconv.Atoi(text); err != nil || line < 1 || line > maxAlignment || line&(line-1) != 0 {
				return nil, c.errorAt(s, ErrInfoValue, "%s is %q; it must be a power of two, %d at most", KeyAlignment, text, maxAlignment)
			}
		}
	}
	switch {
	case n < 0:
		return nil, c.errorAt(s, ErrCount, "%d elements; there must be 0 or more", n)
	case n > maxAlloc/e.size:
		return nil, c.errorAt(s, ErrNoMem, "%d elements of %d bytes are more than any memory holds", n, e.size)
	}
	return elements[T](c.w.memory.take(n*e.size, max(line, 64))), nil
}

const (
	maxAlignment = 1 << 30
	maxAlloc     = 1 << 46 // bytes, within what Go can address
)

// FreeMem frees memory that [AllocMem] has returned; pass the whole slice. It must not
// be used any more.
//
// MPI 4.1, section 9.2 (MPI_Free_mem).
func FreeMem[T any](c *Comm, buf []T) (err error) {
	defer c.raised(&err)
	s := at("FreeMem")
	if err := c.check(s); err != nil {
		return err
	}
	if b := view(buf); len(b) > 0 && !c.w.memory.give(b) {
		return c.errorAt(s, ErrBase, "the memory does not begin where AllocMem has begun it, or has been given back")
	}
	return nil
}

// A memoryKeeper holds the memory that AllocMem has returned.
type memoryKeeper struct {
	mu   sync.Mutex
	held map[*byte]int // lengths, by the first byte
}

// take returns n bytes that begin at a multiple of line.
func (k *memoryKeeper) take(n, line int) []byte {
	if n == 0 {
		return nil
	}
	b := make([]byte, n+line)
	from := (line - misaligned(b, line)) % line
	b = b[from : from+n : from+n]
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held == nil {
		k.held = map[*byte]int{}
	}
	k.held[&b[0]] = n
	return b
}

// give forgets b, and reports whether take has returned it.
func (k *memoryKeeper) give(b []byte) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held[&b[0]] != len(b) {
		return false
	}
	delete(k.held, &b[0])
	return true
}

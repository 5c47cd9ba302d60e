// Package strided is about bytes that lie in blocks of one length at equal distances, such as a column of a
// matrix, or in the pieces of a list: where each byte is, and how to copy bytes between two such places.
package strided

import (
	"math"

	"rhinet/internal/vec"
)

// Blocks says how bytes lie in memory that begins with the first of them: in blocks of Block bytes whose
// starts are Stride bytes apart, or as List says, if that is not nil. The zero value is one piece.
type Blocks struct {
	Block, Stride int
	List          List // must pass [List.Holds]
}

// One reports whether all bytes lie in one piece.
func (b *Blocks) One() bool { return b.Block == 0 && b.List == nil }

// Valid reports whether b is valid: one piece, blocks that do not overlap, or a list.
func (b *Blocks) Valid() bool {
	if b.Block == 0 {
		return b.Stride == 0
	}
	return b.List == nil && b.Block > 0 && b.Stride >= b.Block
}

// Place returns the position of byte number i.
func (b *Blocks) Place(i int) int {
	at, _ := b.run(i, new(int))
	return at
}

// Span returns where n bytes from number from on begin and end. It returns -1, -1 if no memory can be as
// large.
func (b *Blocks) Span(from, n int) (lo, hi int) {
	if b.List != nil {
		return b.List.span(from, n)
	}
	last := from + max(n, 1) - 1
	if from < 0 || n < 0 || last < from || b.Block != 0 && last/b.Block > (math.MaxInt-b.Block)/b.Stride {
		return -1, -1
	}
	if lo = b.Place(from); n == 0 {
		return lo, lo
	}
	return lo, b.Place(last) + 1
}

// Stretch finds how many of the n bytes from number from on lie in blocks that are close together: each block
// begins behind the one before, at most near bytes after its beginning, and all end within most bytes. It
// returns where the first begins and the last ends, and how many bytes and blocks there are, at least part of
// one block. All n bytes must exist.
func (b *Blocks) Stretch(from, n, near, most int) (lo, hi, bytes, blocks int) {
	piece := 0
	for last := 0; bytes < n; blocks++ {
		at, k := b.run(from+bytes, &piece)
		if blocks == 0 {
			lo, hi, last = at, at, at
		}
		k = min(k, n-bytes, lo+most-at)
		if at < hi || at-last > near || k <= 0 {
			break
		}
		last, hi, bytes = at, at+k, bytes+k
	}
	return lo, hi, bytes, blocks
}

// run returns the position of byte number i, and how many bytes from it on lie in one piece. For a list,
// near is the piece that was found before, and is set to that of i.
func (b *Blocks) run(i int, near *int) (at, n int) {
	switch l := b.List; {
	case l != nil:
		k := l.find(i, *near)
		*near = k
		return l.at(k) + i - l.start(k), l.end(k) - i
	case b.Block == 0:
		return i, math.MaxInt
	}
	return i/b.Block*b.Stride + i%b.Block, b.Block - i%b.Block
}

// A Move is a transfer of Bytes bytes between memory with one layout and memory with another one, in either
// direction: the bytes from number Here on of this side correspond to those from number There on of the
// other side.
type Move struct {
	Bytes       int
	Here, There int
	Mine, Their Blocks

	mine, their int // pieces of lists that Next found last
}

// Next takes the first bytes that lie in one piece on both sides, at most most, and returns their
// positions.
func (m *Move) Next(most int) (here, there, n int) {
	here, i := m.Mine.run(m.Here, &m.mine)
	there, k := m.Their.run(m.There, &m.their)
	n = min(m.Bytes, i, k, most)
	m.Skip(n)
	return here, there, n
}

// Skip takes n bytes without returning their positions.
func (m *Move) Skip(n int) { m.Bytes, m.Here, m.There = m.Bytes-n, m.Here+n, m.There+n }

// Part returns the first n bytes of m, or all if there are fewer.
func (m Move) Part(n int) Move {
	m.Bytes = min(m.Bytes, n)
	return m
}

// FitsHere reports whether the bytes that m uses on this side are within the first n; FitsThere does so for
// the other side.
func (m *Move) FitsHere(n int) bool { return m.Mine.fits(m.Here, m.Bytes, n) }

// FitsThere is FitsHere for the other side.
func (m *Move) FitsThere(n int) bool { return m.Their.fits(m.There, m.Bytes, n) }

func (b *Blocks) fits(from, n, size int) bool {
	if !b.Valid() {
		return false
	}
	lo, hi := b.Span(from, n)
	return lo >= 0 && hi <= size
}

// Copy performs m between memory of this process: here, and there, which begins at position base. If out is
// set, it copies from here to there. All bytes must lie within both.
func (m Move) Copy(here []byte, base int, there []byte, out bool) {
	for m.Bytes > 0 {
		size, count := m.alike()
		i, k, n := m.Next(math.MaxInt)
		dst, src, to, from := here[i:], there[k-base:], &m.Mine, &m.Their
		if out {
			dst, src, to, from = src, dst, from, to
		}
		if count > 1 {
			vec.CopyBlocks(dst, to.step(size), src, from.step(size), size, count)
			m.Skip((count - 1) * size)
		} else {
			vec.Copy(dst[:n], src[:n])
		}
	}
}

// alike returns how many pieces of the same size come next that are equally far apart on each side: whole blocks of
// one side that are whole blocks of the other, or lie in one piece there.
func (m *Move) alike() (size, count int) {
	a, b := &m.Mine, &m.Their
	if size = max(a.Block, b.Block); size == 0 || a.List != nil || b.List != nil ||
		a.Block != 0 && (a.Block != size || m.Here%size != 0) || b.Block != 0 && (b.Block != size || m.There%size != 0) {
		return 0, 0
	}
	return size, m.Bytes / size
}

// step returns how far apart pieces of the given size are: blocks, or pieces that lie in one.
func (b *Blocks) step(size int) int {
	if b.Block == 0 {
		return size
	}
	return b.Stride
}

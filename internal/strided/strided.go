// Package strided is about bytes that lie in blocks of one length at equal distances, such as a column of a
// matrix, or in pieces that a list tells of: where each of them is, and how to move them between two such places.
package strided

import (
	"math"

	"rhinet/internal/vec"
)

// Blocks says how bytes lie in memory that begins with the first of them: in blocks of Block bytes, Stride bytes from
// one to the next; or as List says, if that is not nil. The zero value is one piece.
type Blocks struct {
	Block, Stride int
	List          List // which [List.Holds] something
}

// One reports whether all bytes lie in one piece.
func (b *Blocks) One() bool { return b.Block == 0 && b.List == nil }

// Valid reports whether bytes can lie so: in one piece, in blocks that do not overlap, or as a list says.
func (b *Blocks) Valid() bool {
	if b.Block == 0 {
		return b.Stride == 0
	}
	return b.List == nil && b.Block > 0 && b.Stride >= b.Block
}

// Place returns where byte number i is.
func (b *Blocks) Place(i int) int {
	at, _ := b.run(i, new(int))
	return at
}

// Span returns where n bytes from number from on begin and end. It is -1, -1 if no memory is as large.
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

// run returns where byte number i is, and how many from it on lie in one piece. Of a list, near is the piece that was
// found before, and becomes that of i.
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

// A Move is bytes that go from memory that holds them one way to memory that holds them another way, or back: Bytes of them, from number
// Here on of this side, which are those from number There on of the other one.
type Move struct {
	Bytes       int
	Here, There int
	Mine, Their Blocks

	mine, their int // pieces of lists that Next has found
}

// Next takes the first bytes that lie in one piece on both sides, at most most, and returns where they are.
func (m *Move) Next(most int) (here, there, n int) {
	here, i := m.Mine.run(m.Here, &m.mine)
	there, k := m.Their.run(m.There, &m.their)
	n = min(m.Bytes, i, k, most)
	m.Skip(n)
	return here, there, n
}

// Skip takes n bytes.
func (m *Move) Skip(n int) { m.Bytes, m.Here, m.There = m.Bytes-n, m.Here+n, m.There+n }

// Part is the first n bytes of m, or all if they are fewer.
func (m Move) Part(n int) Move {
	m.Bytes = min(m.Bytes, n)
	return m
}

// FitsHere reports whether n bytes are all that m names on this side, FitsThere whether they are on the other one.
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

// Copy carries m out between memory that this process has: here, and there from place base on. Out goes from
// here to there. All must lie in both.
func (m Move) Copy(here []byte, base int, there []byte, out bool) {
	for m.Bytes > 0 {
		i, k, n := m.Next(math.MaxInt)
		if k -= base; out {
			vec.Copy(there[k:k+n], here[i:i+n])
		} else {
			vec.Copy(here[i:i+n], there[k:k+n])
		}
	}
}

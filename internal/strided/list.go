package strided

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A List says where pieces of any lengths lie, in the order of their bytes. It is stored as it is sent to
// peers:
//
//	 0    8     16
//	| at | end | ...
//
// at is the position of a piece's first byte, end the number of bytes up to and including its last one.
type List []byte

// PieceBytes is the size of a piece in a List.
const PieceBytes = 16

// Pieces returns the number of pieces.
func (l List) Pieces() int { return len(l) / PieceBytes }

// Bytes returns the number of bytes that l describes.
func (l List) Bytes() int {
	if len(l) == 0 {
		return 0
	}
	return l.end(l.Pieces() - 1)
}

// Add returns l with n more bytes from at on; they are joined to the last piece if they are adjacent.
func (l List) Add(at, n int) List {
	end := l.Bytes() + n
	if i := l.Pieces() - 1; i >= 0 && l.at(i)+l.end(i)-l.start(i) == at {
		binary.LittleEndian.PutUint64(l[i*PieceBytes+8:], uint64(end))
		return l
	}
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(l, uint64(at)), uint64(end))
}

// Sum returns a checksum of l: lists that differ in one word never have the same, and others hardly ever.
func (l List) Sum() uint64 {
	const odd = 0xff51afd7ed558ccd
	x := uint64(len(l))
	for ; len(l) >= 8; l = l[8:] {
		x = x*odd ^ binary.LittleEndian.Uint64(l)
		x ^= x >> 32
	}
	return x * odd
}

// Holds reports whether l describes n bytes in non-empty pieces at valid addresses. A list must not be used
// otherwise.
func (l List) Holds(n int) bool {
	end := 0
	for i := range l.Pieces() {
		if l.end(i) <= end || l.at(i) < 0 || l.at(i) > math.MaxInt-(l.end(i)-end) {
			return false
		}
		end = l.end(i)
	}
	return end == n && n > 0 && len(l)%PieceBytes == 0
}

// String returns the numbers of bytes and pieces.
func (l List) String() string { return fmt.Sprintf("%d bytes in %d pieces", l.Bytes(), l.Pieces()) }

func (l List) at(i int) int  { return int(binary.LittleEndian.Uint64(l[i*PieceBytes:])) }
func (l List) end(i int) int { return int(binary.LittleEndian.Uint64(l[i*PieceBytes+8:])) }

// start returns how many bytes there are before piece i.
func (l List) start(i int) int {
	if i == 0 {
		return 0
	}
	return l.end(i - 1)
}

// find returns the piece with byte number i, which must exist. It looks at piece near first, and then at
// the next one.
func (l List) find(i, near int) int {
	for k := near; k < near+2 && k < l.Pieces() && l.start(k) <= i; k++ {
		if i < l.end(k) {
			return k
		}
	}
	lo, hi := 0, l.Pieces()-1
	for lo < hi {
		if mid := (lo + hi) / 2; i < l.end(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// span is Span for a list.
func (l List) span(from, n int) (lo, hi int) {
	if from < 0 || n < 0 || n > l.Bytes()-from {
		return -1, -1
	}
	if n == 0 {
		return 0, 0
	}
	lo = math.MaxInt
	for k := l.find(from, 0); n > 0; k++ {
		skip := from - l.start(k)
		part := min(n, l.end(k)-from)
		at := l.at(k) + skip
		lo, hi = min(lo, at), max(hi, at+part)
		from, n = from+part, n-part
	}
	return lo, hi
}

package strided_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"pgregory.net/rapid"
	_ "rhinet/internal/rapidseed"
	"rhinet/internal/strided"
)

func TestValid(t *testing.T) {
	list := strided.List(nil).Add(0, 8)
	for _, b := range []strided.Blocks{{}, {Block: 1, Stride: 1}, {Block: 8, Stride: 9}, {List: list}} {
		if !b.Valid() {
			t.Errorf("%+v is not valid", b)
		}
	}
	for _, b := range []strided.Blocks{
		{Block: 8, Stride: 7}, {Stride: 8}, {Block: -8, Stride: 8}, {Block: 8, Stride: -8}, {Block: 8, Stride: 8, List: list}, {Stride: 8, List: list},
	} {
		if b.Valid() {
			t.Errorf("%+v is valid", b)
		}
	}
}

func TestSpan(t *testing.T) {
	most := strided.Blocks{Block: 8, Stride: math.MaxInt - 8}
	for _, c := range []struct {
		in      strided.Blocks
		from, n int
		lo, hi  int
	}{
		{strided.Blocks{}, 5, 10, 5, 15},
		{strided.Blocks{}, 5, 0, 5, 5},
		{strided.Blocks{}, math.MaxInt, 2, -1, -1},
		{strided.Blocks{}, -1, 2, -1, -1},
		{strided.Blocks{}, 1, -2, -1, -1},
		{strided.Blocks{Block: 4, Stride: 10}, 0, 4, 0, 4},
		{strided.Blocks{Block: 4, Stride: 10}, 0, 5, 0, 11},
		{strided.Blocks{Block: 4, Stride: 10}, 3, 6, 3, 21},
		{strided.Blocks{Block: 4, Stride: 10}, 8, 0, 20, 20},
		{most, 8, 8, math.MaxInt - 8, math.MaxInt},
		{most, 8, 9, -1, -1},
	} {
		if lo, hi := c.in.Span(c.from, c.n); lo != c.lo || hi != c.hi {
			t.Errorf("%+v, %d from %d: %d to %d, want %d to %d", c.in, c.n, c.from, lo, hi, c.lo, c.hi)
		}
	}
}

func TestFits(t *testing.T) {
	in := strided.Blocks{Block: 4, Stride: 10}
	m := strided.Move{Bytes: 8, Here: 2, Mine: in, Their: in}
	if m.FitsHere(21) || !m.FitsHere(22) || m.FitsThere(13) || !m.FitsThere(14) {
		t.Errorf("%+v fits what is too short, or not what is long enough", m)
	}
	m.Mine.Stride, m.There = 3, -1
	if m.FitsHere(1000) || m.FitsThere(1000) {
		t.Errorf("%+v fits", m)
	}
}

// drawn is the number of bytes of a list that draw returns.
const drawn = 130

// draw returns random blocks, a single piece, or a list.
func draw(r *rapid.T, name string) (b strided.Blocks) {
	if rapid.Bool().Draw(r, name+" list") {
		for b.List.Bytes() < drawn {
			at := rapid.IntRange(0, 40).Draw(r, name+" at") * 20 // some are adjacent, some overlap
			b.List = b.List.Add(at, min(20, drawn-b.List.Bytes()))
		}
		return b
	}
	block := rapid.IntRange(0, 20).Draw(r, name+" block")
	if block == 0 {
		return strided.Blocks{}
	}
	return strided.Blocks{Block: block, Stride: block + rapid.IntRange(0, 20).Draw(r, name+" gap")}
}

// Moving copies each byte to where Place says, in any parts, and changes nothing else.
func TestMovesWhatItNames(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := strided.Move{
			Bytes: rapid.IntRange(0, 100).Draw(r, "bytes"), Here: rapid.IntRange(0, 30).Draw(r, "here"), There: rapid.IntRange(0, 30).Draw(r, "there"),
			Mine: draw(r, "mine"), Their: draw(r, "their"),
		}
		_, mine := m.Mine.Span(m.Here, m.Bytes)
		base, their := m.Their.Span(m.There, m.Bytes)
		here, there := rapid.SliceOfN(rapid.Byte(), mine, mine+5).Draw(r, "memory here"), rapid.SliceOfN(rapid.Byte(), their, their+5).Draw(r, "memory there")
		out := rapid.Bool().Draw(r, "out")
		wantHere, wantThere := bytes.Clone(here), bytes.Clone(there)
		for i := range m.Bytes {
			a, b := m.Mine.Place(m.Here+i), m.Their.Place(m.There+i)
			if out {
				wantThere[b] = here[a]
			} else {
				wantHere[a] = there[b]
			}
		}
		if !m.FitsHere(len(here)) || !m.FitsThere(len(there)) {
			r.Fatalf("%+v does not fit %d and %d", m, len(here), len(there))
		}
		for part := rapid.IntRange(1, 100).Draw(r, "part"); m.Bytes > 0; {
			now := m.Part(part)
			now.Copy(here, base, there[base:], out)
			m.Skip(now.Bytes)
		}
		if !bytes.Equal(here, wantHere) || !bytes.Equal(there, wantThere) {
			r.Fatalf("%v and %v, want %v and %v", here, there, wantHere, wantThere)
		}
	})
}

// Blocks that match, or lie in one piece on one side, are copied by one call, as others are one by one.
func TestMovesMatchingBlocks(t *testing.T) {
	for _, size := range []int{1, 8, 40, 64, 1000, 4 << 10} {
		one, some, sparse, other := strided.Blocks{}, strided.Blocks{Block: size, Stride: size + 8}, strided.Blocks{Block: size, Stride: 3 * size}, strided.Blocks{Block: size + 2, Stride: size + 5}
		for _, in := range [][2]strided.Blocks{{one, one}, {one, some}, {some, one}, {some, some}, {some, sparse}, {sparse, some}, {some, other}, {other, some}} {
			for _, from := range [][2]int{{0, 0}, {size, 0}, {0, 2 * size}, {size / 2, 0}, {size, size/2 + 1}} {
				for _, n := range []int{0, size - 1, size, 3 * size, 4*size + size/2} {
					for _, out := range []bool{false, true} {
						m := strided.Move{Bytes: n, Here: from[0], There: from[1], Mine: in[0], Their: in[1]}
						_, mine := m.Mine.Span(m.Here, n)
						base, their := m.Their.Span(m.There, n)
						here, there := make([]byte, mine+9), make([]byte, their-base+9)
						for i := range here {
							here[i] = byte(1 + i%101)
						}
						for i := range there {
							there[i] = byte(128 + i%103)
						}
						wantHere, wantThere := bytes.Clone(here), bytes.Clone(there)
						for i := range n {
							a, b := m.Mine.Place(m.Here+i), m.Their.Place(m.There+i)-base
							if out {
								wantThere[b] = here[a]
							} else {
								wantHere[a] = there[b]
							}
						}
						if m.Copy(here, base, there, out); !bytes.Equal(here, wantHere) || !bytes.Equal(there, wantThere) {
							t.Fatalf("%+v, out %v: copied something else", m, out)
						}
					}
				}
			}
		}
	}
}

// A stretch has the bytes that it names, in blocks that follow each other closely, and cannot be longer.
func TestStretch(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		b := draw(r, "blocks")
		from := rapid.IntRange(0, 50).Draw(r, "from")
		n := rapid.IntRange(1, drawn-from).Draw(r, "bytes")
		near, most := rapid.IntRange(0, 50).Draw(r, "near"), rapid.IntRange(1, 100).Draw(r, "most")
		lo, hi, bytes, blocks := b.Stretch(from, n, near, most)
		if lo != b.Place(from) || bytes < 1 || bytes > n || hi-lo > most || hi-lo < bytes {
			r.Fatalf("%d bytes of %d in %d blocks, %d to %d", bytes, n, blocks, lo, hi)
		}
		count, begin, place := 1, lo, lo
		fits := func(i int) bool { // and counts
			at := b.Place(from + i)
			apart := at != place+1 || b.Block != 0 && (from+i)%b.Block == 0 || b.List != nil && at%20 == 0
			if at < place+1 || at >= lo+most || apart && at-begin > near {
				return false
			}
			if place = at; apart {
				count, begin = count+1, at
			}
			return true
		}
		for i := 1; i < bytes; i++ {
			if !fits(i) {
				r.Fatalf("byte %d of %d, at %d, is not close to the one before, at %d", i, bytes, b.Place(from+i), place)
			}
		}
		if hi != place+1 || b.List == nil && count != blocks {
			r.Fatalf("it ends at %d and has %d blocks, not %d and %d", hi, blocks, place+1, count)
		}
		if bytes < n && b.List == nil && fits(bytes) {
			r.Fatalf("byte %d is as close, %d of %d", bytes, bytes, n)
		}
	})
}

// A list has pieces of any lengths; adjacent ones are joined, and impossible lists are refused.
func TestLists(t *testing.T) {
	l := strided.List(nil).Add(100, 10).Add(110, 5).Add(40, 7).Add(0, 40).Add(47, 1)
	if l.Pieces() != 4 || l.Bytes() != 63 || l.String() != "63 bytes in 4 pieces" || strided.List(nil).Bytes() != 0 {
		t.Errorf("%v", l)
	}
	b := strided.Blocks{List: l}
	for i, want := range map[int]int{0: 100, 14: 114, 15: 40, 21: 46, 22: 0, 61: 39, 62: 47} {
		if at := b.Place(i); at != want {
			t.Errorf("byte %d is at %d, not %d", i, at, want)
		}
	}
	for _, c := range [][4]int{
		{0, 63, 0, 115}, {0, 15, 100, 115}, {0, 16, 40, 115}, {3, 5, 103, 108}, {14, 2, 40, 115}, {20, 10, 0, 47}, {62, 1, 47, 48}, {63, 0, 0, 0},
		{0, 64, -1, -1}, {63, 1, -1, -1}, {-1, 2, -1, -1}, {1, -1, -1, -1}, {math.MaxInt, math.MaxInt, -1, -1},
	} {
		if lo, hi := b.Span(c[0], c[1]); lo != c[2] || hi != c[3] {
			t.Errorf("%d bytes from %d: %d to %d, want %d to %d", c[1], c[0], lo, hi, c[2], c[3])
		}
	}
	bad := func(i int, word uint64) strided.List {
		l := bytes.Clone(l)
		binary.LittleEndian.PutUint64(l[8*i:], word)
		return l
	}
	if !l.Holds(63) || !bad(0, math.MaxInt-15).Holds(63) {
		t.Errorf("%v is refused", l)
	}
	for name, l := range map[string]strided.List{
		"another size": append(bytes.Clone(l), 1), "a place that wraps": bad(0, math.MaxInt-14), "a place below 0": bad(4, 1<<63),
		"a piece of nothing": bad(3, 15), "a piece of less": bad(3, 14), "none": {}, "fewer bytes": bad(7, 62), "more bytes": bad(7, 64), "far too many": bad(7, 1<<63),
	} {
		if l.Holds(63) {
			t.Errorf("a list with %s holds", name)
		}
	}
	if strided.List(nil).Holds(0) {
		t.Error("nothing holds nothing")
	}
	for i := range len(l) * 8 {
		other := bytes.Clone(l)
		if other[i/8] ^= 1 << (i % 8); strided.List(other).Sum() == l.Sum() {
			t.Errorf("bit %d does not show in the sum", i)
		}
	}
}

// What Next returns is contiguous on both sides, and as long as possible.
func TestPiecesAreWhole(t *testing.T) {
	in := strided.Blocks{Block: 6, Stride: 10}
	m := strided.Move{Bytes: 14, Here: 2, There: 5, Mine: in, Their: strided.Blocks{Block: 8, Stride: 8}}
	for _, want := range [][3]int{{2, 5, 3}, {5, 8, 1}, {10, 9, 6}, {20, 15, 1}, {21, 16, 3}} {
		if here, there, n := m.Next(6); [3]int{here, there, n} != want {
			t.Fatalf("%d bytes from %d to %d, want %v", n, here, there, want)
		}
	}
	if m.Bytes != 0 {
		t.Errorf("%d bytes are left", m.Bytes)
	}
}

package strided_test

import (
	"bytes"
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

// draw draws blocks, or one piece.
func draw(r *rapid.T, name string) strided.Blocks {
	block := rapid.IntRange(0, 20).Draw(r, name+" block")
	if block == 0 {
		return strided.Blocks{}
	}
	return strided.Blocks{Block: block, Stride: block + rapid.IntRange(0, 20).Draw(r, name+" gap")}
}

// A move goes byte by byte where Place says, in any parts, and nothing else changes.
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

// What Next returns lies in one piece on both sides, and is as long as can be.
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

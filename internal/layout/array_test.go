package layout

import (
	"slices"
	"testing"
)

// A dimension that is dealt out in blocks takes no more memory the more blocks there are, with a shorter last
// block or without.
func TestCyclicDimensionsAreNotListed(t *testing.T) {
	leaf := Leaf(1, 1, SignatureOf(Run{1, 1, 1}))
	for _, c := range []struct {
		n, block, size, coord int
		bytes, first, last    int // first and last: displacements
	}{
		{1 << 48, 1, 2, 1, 1 << 47, 1, 1<<48 - 1},
		{1 << 40, 3, 4, 0, 1<<38 + 2, 0, 1<<40 - 2},
		{1<<40 + 5, 4, 2, 1, 1<<39 + 1, 4, 1<<40 + 4},
	} {
		mine, err := Distributed(c.n, c.block, c.size, c.coord)
		if err != nil {
			t.Fatal(err)
		}
		var l *Type
		if n := testing.AllocsPerRun(1, func() { l, err = Array([]int{c.n}, []Indices{mine}, leaf) }); n > 40 {
			t.Errorf("%+v: %v allocations", c, n)
		}
		if err != nil {
			t.Fatal(err)
		}
		if l.Size() != c.bytes || l.Extent() != c.n || l.TrueLB() != c.first || l.TrueLB()+l.TrueExtent()-1 != c.last {
			t.Errorf("%+v: %d bytes, extent %d, from %d, %d long", c, l.Size(), l.Extent(), l.TrueLB(), l.TrueExtent())
		}
		var got [][2]int
		for at, n := range l.Segments(l.Size()-c.block-1, l.Size()) {
			got = append(got, [2]int{at, n})
		}
		if end := got[len(got)-1]; end[0]+end[1]-1 != c.last {
			t.Errorf("%+v: ends with %v", c, got)
		}
		if l.Overlaps() {
			t.Errorf("%+v: overlaps", c)
		}
	}
}

// The same with a second dimension inside.
func TestNestedCyclicDimensions(t *testing.T) {
	rows, err := Distributed(1<<20+1, 2, 3, 0)
	if err != nil {
		t.Fatal(err)
	}
	columns, err := Distributed(1<<20+3, 4, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Array([]int{1<<20 + 1, 1<<20 + 3}, []Indices{rows, columns}, Leaf(1, 1, SignatureOf(Run{1, 1, 1})))
	if err != nil {
		t.Fatal(err)
	}
	const mine, width = (1<<20-4)/3 + 2, 1<<19 + 3 // 1<<20 + 1 = 6k + 5
	if l.Size() != mine*width {
		t.Errorf("%d bytes, want %d of %d", l.Size(), mine, width)
	}
	var got [][2]int
	for at, n := range l.Segments(2*width-3, 2*width+4) {
		got = append(got, [2]int{at, n})
	}
	line := 1<<20 + 3
	if want := [][2]int{{line + line - 3, 3}, {6 * line, 4}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

package layout

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "rhinet/internal/rapidseed"
	"rhinet/internal/strided"
)

// A slow is a type map as in the standard: the displacement of each byte, and its kind (MPI 4.1, section
// 5.1).
type slow struct {
	at     []int
	codes  []uint32
	lb, ub int
	marked bool // the bounds are an lb_marker and a ub_marker
}

func (s slow) moved(by int) slow {
	m := slow{codes: s.codes, lb: s.lb + by, ub: s.ub + by, marked: s.marked}
	for _, at := range s.at {
		m.at = append(m.at, at+by)
	}
	return m
}

// void reports whether s has no entries: neither data nor markers.
func (s slow) void() bool { return len(s.at) == 0 && !s.marked && s.lb == s.ub }

// all concatenates type maps, with the bounds of MPI 4.1, section 5.1.6: if there are markers, nothing else
// counts.
func all(list []slow) (s slow) {
	list = slices.DeleteFunc(slices.Clone(list), slow.void)
	for _, m := range list {
		s.at, s.codes, s.marked = append(s.at, m.at...), append(s.codes, m.codes...), s.marked || m.marked
	}
	first := true
	for _, m := range list {
		if m.marked != s.marked {
			continue
		}
		if first {
			s.lb, s.ub = m.lb, m.ub
		}
		s.lb, s.ub, first = min(s.lb, m.lb), max(s.ub, m.ub), false
	}
	return s
}

func (s slow) times(n, stride int) slow {
	var list []slow
	for i := range n {
		list = append(list, s.moved(i*stride))
	}
	return all(list)
}

// drawn returns a random layout in both forms.
func drawn(t *rapid.T, depth int) (*Type, slow) {
	number := func(from, to int) int { return rapid.IntRange(from, to).Draw(t, "n") }
	must := func(l *Type, err error) *Type {
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if depth == 0 {
		unit := rapid.SampledFrom([]int{1, 2, 4, 8, 16, 24}).Draw(t, "unit")
		s := slow{ub: unit}
		for i := range unit {
			s.at, s.codes = append(s.at, i), append(s.codes, uint32(unit))
		}
		return Leaf(unit, 1, SignatureOf(Run{uint32(unit), unit, unit})), s
	}
	l, s := drawn(t, depth-1)
	switch number(0, 4) {
	case 0:
		lb, extent := number(-20, 20), number(-40, 60)
		s.lb, s.ub, s.marked = lb, lb+extent, true
		return must(Resized(l, lb, extent)), s
	case 1:
		count, n, stride := number(0, 4), number(0, 3), number(-60, 60)
		return must(Hvector(count, n, stride, l)), s.times(n, s.ub-s.lb).times(count, stride)
	case 2:
		var lens, displs []int
		var list []slow
		for range number(0, 4) {
			n, at := number(0, 3), number(-50, 50)
			lens, displs = append(lens, n), append(displs, at)
			if n > 0 {
				list = append(list, s.times(n, s.ub-s.lb).moved(at))
			}
		}
		return must(Hindexed(lens, displs, l)), all(list)
	case 3:
		var members []Member
		var list []slow
		for range number(0, 3) {
			m, r := drawn(t, depth-1)
			at := number(-50, 50)
			members, list = append(members, Member{at, m}), append(list, r.moved(at))
		}
		return must(Struct(members)), all(list)
	}
	n := number(0, 5)
	return must(Contiguous(n, l)), s.times(n, s.ub-s.lb)
}

// A layout has the size, bounds, bytes and signature of its type map (MPI 4.1, section 5.1).
func TestLayoutsAreTheirTypeMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, s := drawn(t, rapid.IntRange(0, 4).Draw(t, "depth"))
		lo, hi := 0, 0
		if s.void() {
			s.lb, s.ub = l.LB(), l.LB() // an empty layout has no meaningful bounds
		}
		if len(s.at) > 0 {
			lo, hi = slices.Min(s.at), slices.Max(s.at)+1
		}
		if l.Size() != len(s.at) || l.LB() != s.lb || l.Extent() != s.ub-s.lb || l.TrueLB() != lo || l.TrueExtent() != hi-lo {
			t.Fatalf("size %d lb %d extent %d true %d %d, want %d %d %d %d %d", l.Size(), l.LB(), l.Extent(), l.TrueLB(), l.TrueExtent(),
				len(s.at), s.lb, s.ub-s.lb, lo, hi-lo)
		}
		if first, in := l.Blocks(); !in.One() {
			for i, at := range s.at {
				if first+in.Place(i) != at {
					t.Fatalf("byte %d lies at %d; %+v from %d on have it at %d", i, at, in, first, first+in.Place(i))
				}
			}
		}
		off := rapid.IntRange(0, len(s.at)).Draw(t, "from")
		end := rapid.IntRange(off, len(s.at)).Draw(t, "to")
		var at []int
		for from, n := range l.Segments(off, end) {
			if n <= 0 {
				t.Fatalf("a piece of %d bytes", n)
			}
			for i := range n {
				at = append(at, from+i)
			}
		}
		if !slices.Equal(at, s.at[off:end]) {
			t.Fatalf("bytes %d to %d lie at %v, want %v", off, end, at, s.at[off:end])
		}
		checkStretches(t, l, s)
		checkList(t, l, s, off, end)
		checkMoves(t, l, s, off, end)
		checkSignature(t, l, s)
		seen := map[int]bool{}
		for _, a := range s.at {
			seen[a] = true
		}
		if overlaps := len(seen) < len(s.at); l.Overlaps() != overlaps {
			t.Fatalf("overlaps: %v, want %v", !overlaps, overlaps)
		}
	})
}

// checkStretches checks that stretches contain exactly the bytes, and are as few as the form of the layout
// allows.
func checkStretches(t *rapid.T, l *Type, s slow) {
	var at []int
	stretches, pieces := 0, 0
	for x := range l.Stretches() {
		if stretches++; x.Bytes <= 0 || !x.In.Valid() {
			t.Fatalf("a stretch %+v", x)
		}
		for i := range x.Bytes {
			at = append(at, x.At+x.In.Place(i))
		}
	}
	for range l.Segments(0, l.Size()) {
		pieces++
	}
	if _, in := l.Blocks(); !slices.Equal(at, s.at) || !in.One() && stretches != 1 || stretches > pieces {
		t.Fatalf("%d stretches for %d pieces have the bytes at %v, want %v", stretches, pieces, at, s.at)
	}
	if stretches > 1 {
		stretches = 0
		for range l.Stretches() {
			if stretches++; stretches == 2 {
				break
			}
		}
	}
}

// checkList checks that a list of bytes off to end has as few pieces as possible, and that no list with
// fewer is returned.
func checkList(t *rapid.T, l *Type, s slow, off, end int) {
	pieces, last := 0, 0
	for i, at := range s.at[off:end] {
		if i == 0 || at != last+1 {
			pieces++
		}
		last = at
	}
	if end == off {
		return
	}
	list := l.List(nil, off, end-off, 3*(end-off)+1) // enough even for single bytes
	if !list.Holds(end-off) || list.Pieces() != pieces {
		t.Fatalf("bytes %d to %d of %d are %v, not %d", off, end, len(s.at), list, pieces)
	}
	in := strided.Blocks{List: list}
	for i, at := range s.at[off:end] {
		if l.TrueLB()+in.Place(i) != at {
			t.Fatalf("byte %d of %v lies at %d, not %d", i, list, l.TrueLB()+in.Place(i), at)
		}
	}
	if fewer := l.List(nil, off, end-off, pieces-1); fewer != nil {
		t.Fatalf("%v, at most %d pieces", fewer, pieces-1)
	}
}

func checkMoves(t *rapid.T, l *Type, s slow, off, end int) {
	origin := -l.TrueLB()
	mem := make([]byte, l.TrueExtent())
	for i := range mem {
		mem[i] = byte(i*7 + 1)
	}
	packed := make([]byte, end-off)
	if n := l.Gather(packed, mem, origin, off); n != len(packed) {
		t.Fatalf("gathered %d of %d", n, len(packed))
	}
	into, want := make([]byte, len(mem)), make([]byte, len(mem))
	for i, at := range s.at[off:end] {
		if packed[i] != mem[origin+at] {
			t.Fatalf("byte %d is gathered wrong", off+i)
		}
		packed[i] = byte(i)
		want[origin+at] = byte(i)
	}
	if n := l.Scatter(into, origin, packed, off); n != len(packed) || !slices.Equal(into, want) {
		t.Fatalf("scattered %d: %v, want %v", n, into, want)
	}
}

func TestArraysAreTheirIndices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sizes []int
		var indices []Indices
		want := []int{0}
		for range rapid.IntRange(1, 4).Draw(t, "dimensions") {
			n := rapid.OneOf(rapid.IntRange(1, 7), rapid.IntRange(60, 150)).Draw(t, "size")
			if len(want) > 1000 {
				n = 2
			}
			p := rapid.IntRange(1, 3).Draw(t, "processes")
			block := rapid.OneOf(rapid.IntRange(1, 4), rapid.IntRange(1<<61, 1<<63-1)).Draw(t, "block")
			coord := rapid.IntRange(0, p-1).Draw(t, "coord")
			mine, err := Distributed(n, block, p, coord)
			if err != nil || block > n && coord > 0 && mine != (Indices{}) {
				t.Fatalf("%v, %v", mine, err)
			}
			sizes, indices = append(sizes, n), append(indices, mine)
			var next []int
			for _, at := range want {
				for i := range n {
					if i/block%p == coord {
						next = append(next, at*n+i)
					}
				}
			}
			want = next
		}
		l, err := Array(sizes, indices, Leaf(1, 1, SignatureOf(Run{1, 1, 1})))
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for at, n := range l.Segments(0, l.Size()) {
			for i := range n {
				got = append(got, at+i)
			}
		}
		total := 1
		for _, n := range sizes {
			total *= n
		}
		if !slices.Equal(got, want) || l.Extent() != total {
			t.Fatalf("indices %v, extent %d; want %v, %d", got, l.Extent(), want, total)
		}
	})
}

// Layouts with the same form in memory have the same form here, however they were made.
func TestLayoutsAreSimplified(t *testing.T) {
	leaf := Leaf(8, 1, SignatureOf(Run{1, 8, 8}))
	vector, _ := Hvector(5, 1, 8, leaf)
	indexed, _ := Hindexed([]int{1, 2, 1}, []int{0, 8, 24}, leaf)
	for _, l := range []*Type{vector, indexed} {
		if at, dense := l.Dense(); at != 0 || !dense {
			t.Errorf("%+v is not one run", l.root)
		}
	}
	column, _ := Hindexed([]int{1, 1, 1}, []int{0, 100, 200}, leaf)
	if column.root.kind != loop || column.root.stride != 100 {
		t.Errorf("%+v is not a loop", column.root)
	}
	plane, _ := Hvector(4, 1, 300, column)
	if plane.root.count != 12 || plane.root.child.kind != run {
		t.Errorf("%+v is not one loop", plane.root)
	}
}

// Blocks at equal distances are found however a layout was made; nothing else is taken for them.
func TestBlocks(t *testing.T) {
	byte8 := Leaf(8, 1, nil)
	must := func(l *Type, err error) *Type {
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	column := must(Hvector(5, 2, 50, byte8))
	for name, c := range map[string]struct {
		l    *Type
		at   int
		want strided.Blocks
	}{
		"a column":        {column, 0, strided.Blocks{Block: 16, Stride: 50}},
		"moved":           {must(Struct([]Member{{30, column}})), 30, strided.Blocks{Block: 16, Stride: 50}},
		"several":         {must(Contiguous(3, must(Resized(column, 0, 250)))), 0, strided.Blocks{Block: 16, Stride: 50}},
		"a regular list":  {must(Hindexed([]int{2, 2, 2}, []int{7, 47, 87}, byte8)), 7, strided.Blocks{Block: 16, Stride: 40}},
		"one piece":       {must(Contiguous(9, byte8)), 0, strided.Blocks{}},
		"backwards":       {must(Hvector(5, 2, -50, byte8)), 0, strided.Blocks{}},
		"overlapping":     {must(Hvector(5, 2, 10, byte8)), 0, strided.Blocks{}},
		"an uneven list":  {must(Hindexed([]int{2, 2, 2}, []int{7, 47, 88}, byte8)), 0, strided.Blocks{}},
		"columns of both": {must(Hvector(3, 1, 999, column)), 0, strided.Blocks{}},
	} {
		if at, in := c.l.Blocks(); at != c.at || !reflect.DeepEqual(in, c.want) {
			t.Errorf("%s: %+v from %d on, want %+v from %d on", name, in, at, c.want, c.at)
		}
	}
}

// A list is made only if its pieces are long enough on average; for a layout of many short pieces it is
// known at once that there is none.
func TestListsOfLongPieces(t *testing.T) {
	leaf := Leaf(8, 1, SignatureOf(Run{1, 8, 8}))
	long, err := Hindexed([]int{100, 50, 1, 49}, []int{0, 1000, 1500, 1508}, leaf) // two of them are adjacent
	if err != nil {
		t.Fatal(err)
	}
	nested, err := Hvector(3, 1, 5000, long)
	if err != nil {
		t.Fatal(err)
	}
	column, err := Hvector(100, 1, 16, leaf)
	if err != nil {
		t.Fatal(err)
	}
	short, err := Hvector(3, 1, 5000, column)
	if err != nil {
		t.Fatal(err)
	}
	space := strided.List(nil)
	for _, c := range []struct {
		l      *Type
		off, n int
		most   int
		want   int // pieces, 0 for none
		why    string
	}{
		{long, 0, 1600, 3, 3, "some follow each other"},
		{long, 0, 1600, 2, 0, "too many"},
		{nested, 0, 4800, 9, 9, "at two distances"},
		{nested, 1600, 1600, 3, 3, "a part"},
		{short, 0, 2400, 100, 0, "too short"},
		{short, 0, 2400, 0, 0, "none allowed"},
		{Empty(), 0, 0, 5, 0, "nothing"},
	} {
		if got := c.l.List(nil, c.off, c.n, c.most); got.Pieces() != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
	unwalked := &Type{size: 2400, root: node{kind: list, size: 2400, ats: make([]int, 300)}} // it has no ends, which a walk would need
	if l := unwalked.List(nil, 0, 2400, 100); l != nil {
		t.Errorf("%v", l)
	}
	if n := testing.AllocsPerRun(20, func() { space = nested.List(space[:0], 0, 4800, 9) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Cases that random layouts rarely have: pieces that share a byte, data that begins after the first piece
// of an irregular list, and a period that begins within a run.
func TestEdgesOfLists(t *testing.T) {
	leaf := Leaf(4, 1, SignatureOf(Run{1, 4, 4}))
	for displ, overlaps := range map[int]bool{16: false, 15: true, 12: true} {
		l, err := Hindexed([]int{1, 2, 1}, []int{0, 8, displ}, leaf)
		if err != nil || l.Overlaps() != overlaps {
			t.Errorf("a piece at %d behind one that ends at 16: overlaps %v, %v", displ, l.Overlaps(), err)
		}
	}
	list, err := Hindexed([]int{1, 2, 1}, []int{0, 8, 40}, leaf)
	if err != nil {
		t.Fatal(err)
	}
	if i, before := list.root.find(4); i != 1 || before != 4 {
		t.Errorf("byte 4 is in piece %d, behind %d bytes", i, before)
	}
	once := SignatureOf(Run{1, 4, 4}, Run{2, 8, 8}, Run{1, 4, 4})
	twice := SignatureOf(Run{1, 4, 4}, Run{2, 8, 8}, Run{1, 4, 8}, Run{2, 8, 8}, Run{1, 4, 4})
	if got := twice.reduced(); !slices.Equal(got.Runs, once.Runs) {
		t.Errorf("two periods are %v, want %v", got, once)
	}
}

func TestLayoutsThatCannotBe(t *testing.T) {
	leaf := Leaf(8, 1, SignatureOf(Run{1, 8, 8}))
	big, _ := Contiguous(1<<40, leaf)
	for name, f := range map[string]func() (*Type, error){
		"negative count":  func() (*Type, error) { return Hvector(-1, 1, 1, leaf) },
		"negative length": func() (*Type, error) { return Hindexed([]int{-1}, []int{0}, leaf) },
		"one length":      func() (*Type, error) { return Hindexed([]int{1}, nil, leaf) },
		"too many":        func() (*Type, error) { return Contiguous(1<<46, leaf) },
		"overflow":        func() (*Type, error) { return Contiguous(1<<62, leaf) },
		"far":             func() (*Type, error) { return Hvector(3, 1, -1<<48, leaf) },
		"far block":       func() (*Type, error) { return Hindexed([]int{1}, []int{1 << 60}, leaf) },
		"long blocks":     func() (*Type, error) { return Hindexed([]int{1 << 50}, []int{0}, leaf) },
		"large sum":       func() (*Type, error) { return Struct(slices.Repeat([]Member{{0, big}}, 40)) },
		"far bound":       func() (*Type, error) { return Resized(leaf, 0, 1<<50) },
		"large array":     func() (*Type, error) { return Array([]int{1 << 46}, []Indices{{0, 1, 1, 0, 0}}, leaf) },
		"array too far":   func() (*Type, error) { return Array([]int{1 << 60}, []Indices{{1 << 55, 1, 1, 0, 0}}, leaf) },
	} {
		if l, err := f(); err == nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
	if _, err := Subarray([]int{3}, []int{2}, []int{2}); err == nil {
		t.Error("a subarray beyond its end")
	}
	if _, err := Subarray(nil, nil, nil); err == nil {
		t.Error("a subarray without dimensions")
	}
}

func TestMovesDoNotAllocate(t *testing.T) {
	leaf := Leaf(8, 1, SignatureOf(Run{1, 8, 8}))
	l, _ := Hvector(10, 2, 100, leaf)
	list, _ := Hindexed([]int{1, 3}, []int{0, 1000}, l)
	mem, buf := make([]byte, 1<<14), make([]byte, list.Size())
	if n := testing.AllocsPerRun(10, func() {
		list.Gather(buf, mem, 0, 0)
		list.Scatter(mem, 0, buf, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Nothing is truncated beyond 2 and 4 GiB.
func TestLargeLayouts(t *testing.T) {
	l, err := Hvector(1<<33, 1, 16, Leaf(8, 1, SignatureOf(Run{1, 8, 8})))
	if err != nil || l.Size() != 1<<36 || l.TrueExtent() != 1<<37-8 {
		t.Fatalf("%+v, %v", l, err)
	}
	var got [][2]int
	for at, n := range l.Segments(1<<35+4, 1<<35+18) {
		got = append(got, [2]int{at, n})
	}
	if want := [][2]int{{1<<36 + 4, 4}, {1<<36 + 16, 8}, {1<<36 + 32, 2}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if l.Overlaps() {
		t.Error("overlaps")
	}
}

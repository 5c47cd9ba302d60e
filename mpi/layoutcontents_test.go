package mpi

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "rhinet/internal/rapidseed"
)

type contentsField struct {
	A int32
	B float64
	C int8
}

// MPI 4.1, section 5.1.13: the contents of a layout are the call that made it, with its
// arguments.
func TestContentsOfLayouts(t *testing.T) {
	inner := Vector(2, 1, 3)
	dup, err := inner.Dup()
	if err != nil {
		t.Fatal(err)
	}
	zero, of := []Layout{{}}, []Layout{inner}
	two, three := []int{1, 2}, []int{4, 0}
	dists := []Dist{{DistCyclic, 2}}
	for _, c := range []struct {
		l    Layout
		want LayoutContents
	}{
		{Layout{}, LayoutContents{}},
		{dup, LayoutContents{Combiner: CombinerDup, Inner: of}},
		{dup.Of(Contiguous(2)), LayoutContents{Combiner: CombinerVector, Count: 2, Blocklen: 1, Stride: 3, Inner: []Layout{Contiguous(2)}}},
		{Contiguous(5), LayoutContents{Combiner: CombinerContiguous, Count: 5, Inner: zero}},
		{Contiguous(5).Named("five"), LayoutContents{Combiner: CombinerContiguous, Count: 5, Inner: zero}},
		{Contiguous(5).Of(inner), LayoutContents{Combiner: CombinerContiguous, Count: 5, Inner: of}},
		{Vector(1, 2, 3).Of(inner), LayoutContents{Combiner: CombinerVector, Count: 1, Blocklen: 2, Stride: 3, Inner: of}},
		{Hvector(1, 2, 3), LayoutContents{Combiner: CombinerHvector, Count: 1, Blocklen: 2, Stride: 3, Inner: zero}},
		{Indexed(two, three), LayoutContents{Combiner: CombinerIndexed, Blocklens: two, Displs: three, Inner: zero}},
		{Hindexed(two, three), LayoutContents{Combiner: CombinerHindexed, Blocklens: two, Displs: three, Inner: zero}},
		{IndexedBlock(7, three), LayoutContents{Combiner: CombinerIndexedBlock, Blocklen: 7, Displs: three, Inner: zero}},
		{HindexedBlock(7, three), LayoutContents{Combiner: CombinerHindexedBlock, Blocklen: 7, Displs: three, Inner: zero}},
		{Subarray([]int{4}, []int{3}, []int{1}), LayoutContents{Combiner: CombinerSubarray, Sizes: []int{4}, Subsizes: []int{3}, Starts: []int{1}, Inner: zero}},
		{Darray(3, 2, []int{9}, dists, []int{3}), LayoutContents{Combiner: CombinerDarray, Size: 3, Rank: 2, Sizes: []int{9}, Dists: dists, Psizes: []int{3}, Inner: zero}},
		{inner.Resized(-8, 40), LayoutContents{Combiner: CombinerResized, LB: -8, Extent: 40, Inner: of}},
		{Struct(Member{8, inner}, Member{0, Layout{}}), LayoutContents{Combiner: CombinerStruct, Displs: []int{8, 0}, Inner: []Layout{inner, {}}}},
		{Struct(), LayoutContents{Combiner: CombinerStruct}},
		{Fields[contentsField]("C", "A"), LayoutContents{Combiner: CombinerFields, Type: reflect.TypeFor[contentsField](), Names: []string{"C", "A"}}},
		{Fields[contentsField]().Of(inner), LayoutContents{Combiner: CombinerFields, Type: reflect.TypeFor[contentsField]()}},
	} {
		got := c.l.Contents()
		sameContents(t, got, c.want)
		for _, list := range [][]int{got.Blocklens, got.Displs, got.Sizes, got.Subsizes, got.Starts, got.Psizes} {
			for i := range list {
				list[i] = 99 // does not change the layout
			}
		}
		clear(got.Dists)
		clear(got.Names)
		for i := range got.Inner {
			got.Inner[i] = Contiguous(77)
		}
		sameContents(t, c.l.Contents(), c.want)
	}
	if l := (LayoutContents{}).Layout(); l.args != nil {
		t.Errorf("no contents make %v", l)
	}
	if a, b := CombinerHindexedBlock.String(), LayoutCombiner(50).String(); a != "HindexedBlock" || b != "combiner 50" {
		t.Errorf("names %s, %s", a, b)
	}
}

// sameContents compares the contents of layouts, and of those that they are made of.
func sameContents(t *testing.T, got, want LayoutContents) {
	t.Helper()
	a, b := got.Inner, want.Inner
	got.Inner, want.Inner = nil, nil
	if !reflect.DeepEqual(got, want) || len(a) != len(b) {
		t.Fatalf("contents %+v of %v, want %+v of %v", got, a, want, b)
	}
	for i := range a {
		sameContents(t, a[i].Contents(), b[i].Contents())
	}
}

// A layout that is made again from its contents, by the calls that they name, is the
// same layout (MPI 4.1, section 5.1.13).
func TestLayoutsMadeAgainFromTheirContents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawnLayout(t, rapid.IntRange(0, 4).Draw(t, "depth"))
		typ := reflect.TypeFor[contentsField]()
		want, wrong := l.build(typ)
		for name, again := range map[string]Layout{"by calls": madeAgain(l), "Layout": l.Contents().Layout()} {
			got, err := again.build(typ)
			if (err == nil) != (wrong == nil) {
				t.Fatalf("%s: %v: %v; %v: %v", name, l, wrong, again, err)
			}
			if err != nil {
				continue
			}
			if again.String() != l.String() {
				t.Fatalf("%s: %v made again is %v", name, l, again)
			}
			if got.Size() != want.Size() || got.LB() != want.LB() || got.Extent() != want.Extent() || !got.Signature().Same(want.Signature()) ||
				!slices.Equal(piecesOf(got.Segments(0, got.Size())), piecesOf(want.Segments(0, want.Size()))) {
				t.Fatalf("%s: %v is another layout when it is made again", name, l)
			}
		}
	})
}

func piecesOf(seq func(func(int, int) bool)) (list [][2]int) {
	for at, n := range seq {
		list = append(list, [2]int{at, n})
	}
	return list
}

// madeAgain calls the constructors that contents name.
func madeAgain(l Layout) Layout {
	c := l.Contents()
	var inner []Layout
	for _, m := range c.Inner {
		inner = append(inner, madeAgain(m))
	}
	switch c.Combiner {
	case CombinerContiguous:
		return Contiguous(c.Count).Of(inner[0])
	case CombinerVector:
		return Vector(c.Count, c.Blocklen, c.Stride).Of(inner[0])
	case CombinerHvector:
		return Hvector(c.Count, c.Blocklen, c.Stride).Of(inner[0])
	case CombinerIndexed:
		return Indexed(c.Blocklens, c.Displs).Of(inner[0])
	case CombinerHindexed:
		return Hindexed(c.Blocklens, c.Displs).Of(inner[0])
	case CombinerIndexedBlock:
		return IndexedBlock(c.Blocklen, c.Displs).Of(inner[0])
	case CombinerHindexedBlock:
		return HindexedBlock(c.Blocklen, c.Displs).Of(inner[0])
	case CombinerSubarray:
		return Subarray(c.Sizes, c.Subsizes, c.Starts).Of(inner[0])
	case CombinerDarray:
		return Darray(c.Size, c.Rank, c.Sizes, c.Dists, c.Psizes).Of(inner[0])
	case CombinerResized:
		return inner[0].Resized(c.LB, c.Extent)
	case CombinerDup:
		d, _ := inner[0].Dup()
		return d
	case CombinerFields:
		return Fields[contentsField](c.Names...)
	case CombinerStruct:
		var members []Member
		for i, at := range c.Displs {
			members = append(members, Member{at, inner[i]})
		}
		return Struct(members...)
	}
	return Layout{}
}

// drawnLayout draws a layout, whose arguments are mostly valid.
func drawnLayout(t *rapid.T, depth int) Layout {
	number := func(from, to int) int { return rapid.IntRange(from, to).Draw(t, "n") }
	list := func(n, from, to int) []int {
		return rapid.SliceOfN(rapid.IntRange(from, to), n, n).Draw(t, "list")
	}
	if depth == 0 {
		if number(0, 3) == 0 {
			return Fields[contentsField](rapid.SliceOfN(rapid.SampledFrom([]string{"A", "B", "C"}), 0, 3).Draw(t, "names")...)
		}
		return Layout{}
	}
	inner, n := drawnLayout(t, depth-1), number(0, 3)
	switch LayoutCombiner(number(int(CombinerDup), int(numCombiners)-1)) {
	case CombinerDup:
		d, _ := inner.Dup()
		return d
	case CombinerContiguous:
		return Contiguous(number(-1, 4)).Of(inner)
	case CombinerVector:
		return Vector(number(0, 4), number(0, 3), number(-9, 9)).Of(inner)
	case CombinerHvector:
		return Hvector(number(0, 4), number(0, 3), number(-99, 99)).Of(inner)
	case CombinerIndexed:
		return Indexed(list(n, 0, 3), list(n, -9, 9)).Of(inner)
	case CombinerHindexed:
		return Hindexed(list(n, 0, 3), list(n, -99, 99)).Of(inner)
	case CombinerIndexedBlock:
		return IndexedBlock(number(0, 3), list(n, -9, 9)).Of(inner)
	case CombinerHindexedBlock:
		return HindexedBlock(number(0, 3), list(n, -99, 99)).Of(inner)
	case CombinerSubarray:
		return Subarray([]int{5, 3}, list(2, 1, 3), list(2, 0, 2)).Of(inner)
	case CombinerDarray:
		dist := func() Dist { return Dist{DistKind(number(0, 1)), number(0, 4)} }
		return Darray(6, number(0, 5), []int{5, 7}, []Dist{dist(), dist()}, []int{2, 3}).Of(inner)
	case CombinerResized:
		return inner.Resized(number(-40, 40), number(-40, 80))
	case CombinerStruct:
		var members []Member
		for range n {
			members = append(members, Member{number(-50, 50), drawnLayout(t, depth-1)})
		}
		return Struct(members...)
	}
	return Fields[contentsField]()
}

package mpi

import (
	"slices"
	"testing"
)

// MPI 4.1, section 12.3: the fast path of windows in shared memory leaves every access that the general path
// refuses to it, with nothing moved.
func TestDirectMovesByLayoutsAreThoseOfTheGeneralPath(t *testing.T) {
	twice := Indexed([]int{3, 2}, []int{0, 2}) // element 2 twice
	for _, c := range []struct {
		name   string
		parts  int // elements of the part; below 0: none that can be reached
		disp   int
		l      Layout
		own    int // elements of the own memory
		puts   bool
		moves  bool
		places []int // of the part, in the order of the own memory
	}{
		{"put", 10, 1, Vector(5, 1, 2), 5, true, true, []int{1, 3, 5, 7, 9}},
		{"get", 10, 1, Vector(5, 1, 2), 5, false, true, []int{1, 3, 5, 7, 9}},
		{"backwards", 10, 4, Vector(5, 1, -1), 5, true, true, []int{4, 3, 2, 1, 0}},
		{"to the end", 10, 5, Contiguous(5), 5, true, true, []int{5, 6, 7, 8, 9}},
		{"an element twice, got", 10, 0, twice, 5, false, true, []int{0, 1, 2, 2, 3}},
		{"an element twice, put", 10, 0, twice, 5, true, false, nil},
		{"no part", -1, 0, Contiguous(5), 5, true, false, nil},
		{"beyond the end", 10, 2, Vector(5, 1, 2), 5, true, false, nil},
		{"beyond the end, got", 10, 6, Contiguous(5), 5, false, false, nil},
		{"before the beginning", 10, 3, Vector(5, 1, -1), 5, true, false, nil},
		{"from behind the end", 10, 11, Contiguous(0), 0, true, false, nil},
		{"from before the beginning", 10, -1, Contiguous(1), 1, true, false, nil},
		{"own memory longer", 10, 0, Contiguous(4), 5, true, false, nil},
		{"own memory shorter", 10, 0, Contiguous(5), 4, false, false, nil},
		{"no layout", 10, 0, Contiguous(-1), 5, false, false, nil},
	} {
		var part []int
		if c.parts >= 0 {
			all := make([]int, c.parts+8) // what lies behind a part stays as it is, too
			for i := range all {
				all[i] = i
			}
			part = all[:c.parts]
		}
		own := make([]int, c.own)
		for i := range own {
			own[i] = 100 + i
		}
		wantPart, wantOwn := slices.Clone(part[:cap(part)]), slices.Clone(own)
		for i, at := range c.places {
			if c.puts {
				wantPart[at] = own[i]
			} else {
				wantOwn[i] = part[at]
			}
		}
		if moved := moveDirect(part, c.disp, c.l, own, c.puts); moved != c.moves {
			t.Errorf("%s: moved %t", c.name, moved)
		}
		if !slices.Equal(part[:cap(part)], wantPart) || !slices.Equal(own, wantOwn) {
			t.Errorf("%s: the part holds %v, the own memory %v; want %v and %v", c.name, part[:cap(part)], own, wantPart, wantOwn)
		}
	}
}

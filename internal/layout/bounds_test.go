package layout

import "testing"

// Explicit bounds prevail over those of other members, also if they lie within the data, or have none (MPI 4.1,
// section 5.1.6).
func TestExplicitBoundsPrevail(t *testing.T) {
	four := Leaf(4, 1, SignatureOf(Run{1, 4, 4}))
	resized := func(l *Type, lb, extent int) *Type {
		r, err := Resized(l, lb, extent)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	marks := resized(Empty(), 0, 2)
	for name, tc := range map[string]struct {
		members    []Member
		lb, extent int
	}{
		"data below":            {[]Member{{-8, four}, {0, resized(four, 0, 12)}}, 0, 12},
		"data beyond":           {[]Member{{0, resized(four, 0, 12)}, {40, four}}, 0, 12},
		"two resized":           {[]Member{{0, resized(four, -1, 6)}, {-20, four}, {10, resized(four, 1, 2)}}, -1, 14},
		"nothing but bounds":    {[]Member{{0, four}, {1, marks}}, 1, 2},
		"bounds without extent": {[]Member{{3, resized(Empty(), 0, 0)}, {0, four}}, 3, 0},
		"a negative extent":     {[]Member{{0, four}, {0, resized(four, 6, -9)}}, 6, -9},
		"a value's own":         {[]Member{{0, Within(four, 8)}, {8, four}}, 0, 12},
		"none":                  {[]Member{{4, four}, {-4, four}}, -4, 12},
	} {
		l, err := Struct(tc.members)
		if err != nil {
			t.Fatal(err)
		}
		if l.LB() != tc.lb || l.Extent() != tc.extent {
			t.Errorf("%s: lb %d extent %d, want %d %d", name, l.LB(), l.Extent(), tc.lb, tc.extent)
		}
	}
}

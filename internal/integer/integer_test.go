package integer

import "testing"

func TestGCD(t *testing.T) {
	for _, c := range [][3]uint64{{12, 18, 6}, {18, 12, 6}, {7, 5, 1}, {0, 9, 9}, {9, 0, 9}, {0, 0, 0}, {1 << 63, 3 << 62, 1 << 62}} {
		if got := GCD(c[0], c[1]); got != c[2] {
			t.Errorf("GCD(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestRanges(t *testing.T) {
	for want, v := range map[string][]int{"": nil, "4": {4}, "0-3": {0, 1, 2, 3}, "0,2-3,9": {0, 2, 3, 9}} {
		if got := Ranges(v); got != want {
			t.Errorf("%v: %q", v, got)
		}
	}
}

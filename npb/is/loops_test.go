package is

import (
	"slices"
	"testing"
)

// Every key is counted once, for any number of keys.
func TestCount(t *testing.T) {
	const lo, values = 7, 3
	for n := range int32(20) {
		keys := make([]int32, n)
		got, want := []int32{5, 0, 0}, []int32{5, 0, 0}
		for i := range keys {
			v := int32(i) % values
			keys[i] = lo + v
			want[v]++
		}
		if count(got, keys, lo); !slices.Equal(got, want) {
			t.Errorf("of %d keys %v are counted, want %v", n, got, want)
		}
	}
}

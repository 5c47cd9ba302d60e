package wait

import (
	"slices"
	"testing"
)

func TestPlacesOfRanks(t *testing.T) {
	for _, c := range []struct {
		name             string
		size, processors int
		choose           func(rank, size int) func(n int) int
		want             []int
	}{
		{"together", 4, 2, Together, []int{0, 0, 1, 1}},
		{"together, not even", 5, 2, Together, []int{0, 0, 0, 1, 1}},
		{"together, on every processor", 6, 4, Together, []int{0, 0, 1, 2, 2, 3}},
		{"in turn", 5, 2, func(rank, _ int) func(n int) int { return InTurn(rank) }, []int{0, 1, 0, 1, 0}},
	} {
		var got []int
		for rank := range c.size {
			got = append(got, c.choose(rank, c.size)(c.processors))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: ranks on processors %v, want %v", c.name, got, c.want)
		}
	}
}

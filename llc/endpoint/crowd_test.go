package endpoint

import "testing"

func TestCrowd(t *testing.T) {
	for _, c := range []struct {
		apart             bool
		peers, cpus, want int
	}{{true, 2, 2, 1}, {true, 2, 1, 1}, {false, 3, 2, 2}, {false, 4, 2, 2}, {false, 5, 2, 3}, {false, 16, 2, 8}, {false, 2, 8, 2}} {
		counted := false
		got := crowd(c.apart, c.peers, func() int { counted = true; return c.cpus })
		if got != c.want || counted == c.apart {
			t.Errorf("apart %t, %d peers, %d processors: %d, want %d; processors counted: %t", c.apart, c.peers, c.cpus, got, c.want, counted)
		}
	}
}

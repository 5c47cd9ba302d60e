package pm

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/bench"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// TestConnected plays between goroutines: each round has a time for each pair, the pairs take turns in
// being first, and all ranks end.
func TestConnected(t *testing.T) {
	for _, ranks := range []int{5, 8} {
		few := ranks - 5
		c := Connected{Few: few, Sizes: []int{0, 100}, Rounds: 3, Budget: time.Microsecond}
		if err := c.Check(ranks); err != nil {
			t.Fatal(err)
		}
		var seen []string
		mpitest.Run(t, ranks, func(world *mpi.Comm) error {
			return c.Run(world, func(round, peers, bytes int, usec float64) {
				if usec <= 0 {
					t.Errorf("round %d: %v", round, usec)
				}
				seen = append(seen, fmt.Sprint(round, peers, bytes))
			})
		})
		var want []string
		for _, n := range c.Sizes {
			for round := range 3 {
				both := []string{fmt.Sprint(round, few, n), fmt.Sprint(round, few+1, n)}
				if round%2 == 1 {
					slices.Reverse(both)
				}
				want = append(want, both...)
			}
		}
		if !slices.Equal(seen, want) {
			t.Errorf("%d ranks: %q, want %q", ranks, seen, want)
		}
	}
}

func TestConnectedRefuses(t *testing.T) {
	good := Connected{Few: 2, Sizes: []int{8}, Rounds: 1, Budget: time.Millisecond}
	if err := good.Check(7); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*Connected){
		"take at least 8 ranks, there are 7; start it with mpirun -n 68": func(c *Connected) { c.Few = 3 },
		"-1 idle peers": func(c *Connected) { c.Few = -1 },
		"0 rounds":      func(c *Connected) { c.Rounds = 0 },
		"rounds of 0s":  func(c *Connected) { c.Budget = 0 },
		"size -1":       func(c *Connected) { c.Sizes = []int{-1} },
	} {
		c := good
		change(&c)
		if err := c.Check(7); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// TestConnectedAlone: Run without a partner, and without calling Check first, returns an error.
func TestConnectedAlone(t *testing.T) {
	c := Connected{Sizes: []int{1}, Rounds: 1, Budget: time.Microsecond}
	err := mpitest.World(1, func(world *mpi.Comm) error { return c.Run(world, func(int, int, int, float64) {}) })
	if err == nil {
		t.Error("plays alone")
	}
}

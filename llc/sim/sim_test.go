package sim

import (
	"flag"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"rhinet/internal/invariants"
)

var (
	recipe = flag.String("recipe", os.Getenv("RHINET_SIM"), "run this recipe only, as printed by a failing run")
	seeds  = flag.Int("seeds", 30000, "how many seeds to run")
)

// TestSeeds runs one small world for each seed.
func TestSeeds(t *testing.T) {
	if *recipe != "" {
		p, err := Parse(*recipe)
		if err != nil {
			t.Fatal(err)
		}
		if err := Run(p); err != nil {
			t.Fatal(err)
		}
		return
	}
	n := *seeds
	if testing.Short() || invariants.Enabled {
		n /= 10 // checks and the race detector cost ten times as much
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for !t.Failed() {
				seed := next.Add(1) - 1
				if seed >= int64(n) {
					return
				}
				if err := Run(Random(uint64(seed))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

package sim

import (
	"flag"
	"fmt"
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
	first  = flag.Uint64("first", 0, "the first of them")
	all    = flag.Bool("all", false, "go on after a seed that fails, and report all")
)

// progressEvery is the number of seeds after which a long run reports its progress.
const progressEvery = 50000

// TestSeeds runs one small world for each seed. To go on with an interrupted run, give -first the number that
// it logged last (go test -v).
func TestSeeds(t *testing.T) {
	if *recipe != "" {
		p, err := Parse(*recipe)
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(p); err != nil {
			t.Fatal(err)
		}
		if err := Run(p); err != nil { // also if a fault was not noticed
			t.Log(err)
		}
		return
	}
	n := *seeds
	if testing.Short() || invariants.Enabled {
		n /= 10 // checks and the race detector cost ten times as much
	}
	var next, failed atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for *all || !t.Failed() {
				i := next.Add(1) - 1
				if i >= int64(n) {
					return
				}
				seed := *first + uint64(i)
				if err := Check(Random(seed)); err != nil {
					failed.Add(1)
					t.Errorf("seed %d: %v", seed, err)
				}
				if i%progressEvery == progressEvery-1 {
					fmt.Fprintf(os.Stderr, "sim: %d seeds from %d, %d failed; go on with -first %d\n", i+1, *first, failed.Load(), seed+1)
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d seeds from %d, %d failed", min(next.Load(), int64(n)), *first, failed.Load())
}

package fabric

import (
	"runtime"
	"testing"
)

// TestReadiedKeepsProcessors: afterwards the process has as many processors of the Go runtime as
// before.
func TestReadiedKeepsProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 3} {
		runtime.GOMAXPROCS(n)
		if !readied() {
			t.Error("the kernel has no such barriers")
		}
		if got := runtime.GOMAXPROCS(0); got != n {
			t.Errorf("%d processors, %d before", got, n)
		}
	}
}

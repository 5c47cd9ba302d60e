package fabric

import (
	"runtime"
	"testing"
)

// A process with one processor of the Go runtime has one again afterwards, and any other has what it had.
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

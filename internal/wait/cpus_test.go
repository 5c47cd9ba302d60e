package wait

import (
	"runtime"
	"testing"
)

func TestThreads(t *testing.T) {
	for _, c := range [][3]int{{8, 2, 4}, {8, 3, 2}, {2, 64, 1}, {1, 1, 1}} {
		if got := Threads(c[0], c[1]); got != c[2] {
			t.Errorf("%d cores, %d ranks: %d", c[0], c[1], got)
		}
	}
}

// Ranks that a launcher has bound have the processors of all ranks together.
func TestUsableTogether(t *testing.T) {
	all := UsableCPUs()
	if got := UsableTogether([][]byte{Affinity(), Affinity()}); got != all {
		t.Errorf("%d processors, want %d", got, all)
	}
	if got := UsableTogether(nil); got != all {
		t.Errorf("%d processors where nobody knows, want %d", got, all)
	}
	if got := UsableTogether([][]byte{{1}, {2}, {1}, {0, 1}}); got > 3 || runtime.NumCPU() >= 3 && all >= 3 && got != 3 {
		t.Errorf("%d processors of three", got)
	}
	if got := UsableTogether([][]byte{{4}, {4}}); got != 1 {
		t.Errorf("%d processors of one", got)
	}
}

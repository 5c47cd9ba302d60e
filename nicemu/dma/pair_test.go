package dma

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestPair: in a queue in which entries come and go, the counter of entries that have gone is never
// seen ahead of the counter of those that have come.
func TestPair(t *testing.T) {
	words := make([]uint64, 16)
	came, gone := &words[0], &words[8] // in different lines, so that reading both takes a while
	var all sync.WaitGroup
	done := make(chan struct{})
	all.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				atomic.AddUint64(came, 1)
				atomic.AddUint64(gone, 1)
			}
		}
	})
	for range 1 << 20 {
		if c, g := Pair(came, gone); g > c {
			t.Errorf("%d have come and %d gone", c, g)
			break
		}
	}
	close(done)
	all.Wait()
}

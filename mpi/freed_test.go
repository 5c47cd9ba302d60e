package mpi

import (
	"errors"
	"testing"
	"time"
)

// A collective call that waits for another goroutine's Free finds the
// communicator gone: its flag board may be another's by then.
func TestACallThatWaitsForFreeFindsItGone(t *testing.T) {
	xs, _ := boardsOf(t, 2)
	c := &Comm{core: xs[0].c}
	c.coll.mu.Lock() // as Free does
	result := make(chan error)
	go func() { result <- Barrier(c) }()
	time.Sleep(10 * time.Millisecond) // it waits, most likely; the outcome is the same if not
	c.state.Store(commFreed)
	c.coll.mu.Unlock()
	select {
	case err := <-result:
		if !errors.Is(err, ErrComm) {
			t.Errorf("Barrier: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("Barrier goes on with a communicator that has been freed")
	}
}

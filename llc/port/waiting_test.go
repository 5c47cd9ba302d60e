package port

import (
	"runtime"
	"testing"
)

// TestWaiting: a goroutine that sleeps on the doorbell or is parked waits; one that has been served does not.
func TestWaiting(t *testing.T) {
	_, ps := openSleeper(t)
	waiting := func(n int) {
		inTime(t, "goroutines to wait", func() {
			for ps[0].Waiting() != n {
				runtime.Gosched()
			}
		})
	}
	waiting(0)
	done := make(chan struct{})
	for tag := range 2 {
		go func() {
			recv(t, ps[0], 0, 1, tag, payload(1, 8))
			done <- struct{}{}
		}()
	}
	waiting(2)
	for tag := range 2 {
		send(t, ps[1], 0, 0, tag, payload(1, 8))
		inTime(t, "Recv", func() { <-done })
	}
	waiting(0)
}

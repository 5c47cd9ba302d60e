package wait

import (
	"testing"
	"time"
)

// TestResetBeginsAnew: after a poll that found something a wait starts from the beginning, whichever phase
// it was in.
func TestResetBeginsAnew(t *testing.T) {
	p := Policy{Eager: 2, Spin: time.Nanosecond, Yield: time.Hour, Local: true}
	b := p.Begin()
	for phase := range 3 {
		for n := 0; n < 1<<20 && (phase == 0 && b.eager > 0 || phase == 1 && b.n == 0 || phase == 2 && b.phase != yielding); n++ {
			b.Pause()
		}
		if b == p.Begin() {
			t.Fatalf("phase %d was not reached", phase)
		}
		if b.Reset(); b != p.Begin() {
			t.Errorf("after phase %d: %+v", phase, b)
		}
	}
}

// TestNoYields: a policy that does not yield tells the caller to sleep each time, until Reset.
func TestNoYields(t *testing.T) {
	p := Policy{Eager: 1}
	b := p.Begin()
	for range 2 {
		if b.Pause() {
			t.Error("slept before the eager poll")
		}
		for n := range 3 * clockYields {
			if !b.Pause() {
				t.Fatalf("yielded after %d pauses", n)
			}
		}
		b.Reset()
	}
}

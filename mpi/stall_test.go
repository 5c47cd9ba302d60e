package mpi

import (
	"slices"
	"testing"
	"time"
)

// A call that waits is reported after the patience, and then after pauses that double; another call is reported anew.
func TestStallsAreReportedEverMoreSeldom(t *testing.T) {
	const step = 50 * time.Millisecond
	var s stall
	var now time.Time
	reports := func(turn uint32, d time.Duration) (at []time.Duration) {
		for since := time.Duration(0); since < d; since += step {
			if s.due(turn, now, 4*step) {
				at = append(at, since)
			}
			now = now.Add(step)
		}
		return at
	}
	now = time.Unix(1, 0)
	for turn := uint32(1); turn < 3; turn++ {
		want := []time.Duration{200, 1200, 3200, 7200, 15200, 31200, 47200}
		for i := range want {
			want[i] *= time.Millisecond
		}
		if got := reports(turn, time.Minute); !slices.Equal(got, want) {
			t.Errorf("call %d: reported after %v, want %v", turn, got, want)
		}
	}
	if got := reports(0, time.Minute); got != nil {
		t.Errorf("without a call: reported after %v", got)
	}
}

package port

import (
	"testing"
	"time"
)

// A lull begins in a ping-pong, follows its rounds, and ends where it does not help.
func TestLullFollowsTheWaits(t *testing.T) {
	var l lull
	var now time.Duration
	after := func(round, instant, want int) {
		t.Helper()
		for i := range lullWaits - 1 {
			looks := 1
			if i < instant {
				looks = 0
			}
			l.adapt(looks)
		}
		if l.waits != lullWaits-1 || l.instant != min(instant, lullWaits-1) {
			t.Fatalf("%d waits, %d instant", l.waits, l.instant)
		}
		l.waits, l.instant = lullWaits, instant // the last one by hand: adapt would read the clock
		now += time.Duration(round * lullWaits)
		l.choose(now)
		if l.now != want || l.waits != 0 || l.instant != 0 {
			t.Fatalf("a lull of %d after rounds of %d ns, %d instant; want %d", l.now, round, instant, want)
		}
	}
	after(longRound+1, 0, 0)
	after(400, fewInstant+1, 0) // no ping-pong
	after(400, 0, 400/lullShare)
	after(300, fewInstant+1, 300/lullShare)
	after(330, 0, 330/lullShare)
	after(330, lullWaits, 330/lullShare-1)
	after(400, 0, 0) // no gain
	for range lullPause {
		after(300, 0, 0)
	}
	after(390, 0, 390/lullShare)
	after(10000, 0, 0)
	for range 2 * lullPause { // no gain twice
		after(300, 0, 0)
	}
	l.apart = true
	after(420, 0, 420/apartShare)
	after(400, 0, 400/apartShare)
	if l.failed != 0 {
		t.Errorf("%d failures after a success", l.failed)
	}
	for range 2 * mostFailed {
		l.now, l.without = 1, 100
		after(100, 0, 0)
	}
	if want := lullPause << mostFailed; l.pause != want {
		t.Errorf("a pause of %d, want %d", l.pause, want)
	}
}

// Each choice reads the clock once, and a wait in between nothing.
func TestLullChoosesFromTimeToTime(t *testing.T) {
	var l lull
	for range lullWaits - 1 {
		l.adapt(1)
	}
	if l.began != 0 {
		t.Error("chosen early")
	}
	if l.adapt(1); l.began == 0 || l.waits != 0 {
		t.Errorf("not chosen: %+v", l)
	}
	if n := testing.AllocsPerRun(1000, func() { l.adapt(1) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

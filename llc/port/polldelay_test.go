package port

import (
	"testing"
	"time"
)

// A poll delay begins in a ping-pong, follows its rounds, and ends where it does not help.
func TestPollDelayFollowsTheWaits(t *testing.T) {
	var l pollDelay
	var now time.Duration
	after := func(round, instant, want int) {
		t.Helper()
		for i := range delayWaits - 1 {
			looks := 1
			if i < instant {
				looks = 0
			}
			l.adapt(looks)
		}
		if l.waits != delayWaits-1 || l.instant != min(instant, delayWaits-1) {
			t.Fatalf("%d waits, %d instant", l.waits, l.instant)
		}
		l.waits, l.instant = delayWaits, instant // the last one by hand: adapt would read the clock
		now += time.Duration(round * delayWaits)
		l.choose(now)
		if l.now != want || l.waits != 0 || l.instant != 0 {
			t.Fatalf("a poll delay of %d after rounds of %d ns, %d instant; want %d", l.now, round, instant, want)
		}
	}
	after(longRound+1, 0, 0)
	after(400, fewInstant+1, 0) // no ping-pong
	after(400, 0, 400/delayShare)
	after(300, fewInstant+1, 300/delayShare)
	after(330, 0, 330/delayShare)
	after(330, delayWaits, 330/delayShare-1)
	after(400, 0, 0) // no gain
	for range delayPause {
		after(300, 0, 0)
	}
	after(390, 0, 390/delayShare)
	after(10000, 0, 0)
	for range 2 * delayPause { // no gain twice
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
	if want := delayPause << mostFailed; l.pause != want {
		t.Errorf("a pause of %d, want %d", l.pause, want)
	}
}

// Each choice reads the clock once; a wait in between does not.
func TestPollDelayChoosesFromTimeToTime(t *testing.T) {
	var l pollDelay
	for range delayWaits - 1 {
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

package clock

import (
	"math"
	"testing"
	"time"
)

func TestTicksGoOn(t *testing.T) {
	from := Read()
	for Ticks() == from.Ticks {
	}
	if now := Ticks(); now <= from.Ticks {
		t.Errorf("after %d it is %d", from.Ticks, now)
	}
}

// The length of a tick is computed from two readings; if they are not valid, it is a nanosecond.
func TestTick(t *testing.T) {
	at := time.Now()
	for _, c := range []struct {
		ticks int64
		later time.Duration
		want  float64
	}{{3000, time.Microsecond, 1.0 / 3}, {1000, time.Microsecond, 1}, {0, time.Second, 1}, {-5, time.Second, 1}, {5, 0, 1}} {
		if got := Tick(Reading{10, at}, Reading{10 + c.ticks, at.Add(c.later)}); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d ticks in %v: %v", c.ticks, c.later, got)
		}
	}
}

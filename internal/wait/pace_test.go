package wait

import (
	"testing"
	"time"
)

// TestPace: one copy in a few is looked at, and each from one that is slow to one that is not; others are left alone.
func TestPace(t *testing.T) {
	const n = 32 << 10
	var p Pace
	look := func() bool { return p.Begin(n, true) != 0 }
	for _, c := range []struct {
		n    int
		kind bool
	}{{n, false}, {paceLeast - 1, true}, {paceMost + 1, true}} {
		if begun := p.Begin(c.n, c.kind); begun != 0 || p.Slow(begun, c.n) {
			t.Errorf("%+v is looked at", c)
		}
	}
	limit := time.Duration(n / paceRate)
	for i, c := range []struct {
		took  time.Duration
		slow  bool
		blind int // copies that are not looked at then
	}{
		{limit, false, paceLooks - 1}, {limit + 1, false, 0}, {0, false, paceLooks - 1}, {limit + 1, false, 0}, {limit + 1, true, 0}, {10 * limit, true, 0},
		{0, false, paceLooks - 1}, {limit, false, paceLooks - 1}, {limit + 1, false, 0},
	} {
		if !look() {
			t.Fatalf("%d: nobody looks", i)
		}
		if slow := p.judge(c.took, n); slow != c.slow {
			t.Errorf("%d: a copy that takes %v is slow: %v", i, c.took, slow)
		}
		for k := range c.blind {
			if look() {
				t.Fatalf("%d: copy %d after it is looked at", i, k)
			}
		}
	}
	if begun := p.Begin(n, true); begun == 0 || p.Slow(begun+time.Hour, n) {
		t.Error("a copy that has not begun is slow")
	}
	p = Pace{}
	begun := p.Begin(n, true)
	now := begun + 10*limit
	if p.Clock = func() time.Duration { return now }; p.Slow(begun, n) || !p.Slow(begun, n) {
		t.Error("of two copies that take long the first is slow, or the second is not")
	}
}

package pace

import (
	"testing"
	"time"
)

// TestPace: one copy in a few is measured, and after a slow one each, until one is not slow. A certain
// number of slow ones in a row is reported, once; other copies are not measured.
func TestPace(t *testing.T) {
	t.Run("brief calls", func(t *testing.T) { testPace(t, true, brief, slowBriefKiB) })
	t.Run("long calls", func(t *testing.T) { testPace(t, true, 2*brief, slowKiB) })
	t.Run("copies", func(t *testing.T) { testPace(t, false, brief, slowKiB) })
}

// testPace is TestPace of copies of n bytes, which are slow if they take more nanoseconds for each KiB.
func testPace(t *testing.T, calls bool, n, perKiB int) {
	p := Pace{Calls: calls}
	look := func() bool { return p.Begin(n, true) != 0 }
	for _, c := range []struct {
		n    int
		kind bool
	}{{n, false}, {least - 1, true}, {most + 1, true}} {
		if begun := p.Begin(c.n, c.kind); begun != 0 || p.Slow(begun, c.n) {
			t.Errorf("%+v is looked at", c)
		}
	}
	limit := time.Duration(n * perKiB >> 10)
	quick, slow := limit, limit+1
	for i, c := range []struct {
		took  time.Duration
		slow  bool
		blind int // copies that are not measured after that
	}{
		{quick, false, looks - 1}, {slow, false, 0}, {slow, false, 0}, {slow, false, 0}, {slow, true, 0}, {10 * slow, false, 0},
		{slow, false, 0}, {slow, false, 0}, {slow, true, 0}, {slow, false, 0}, {slow, false, 0}, {slow, false, 0}, {quick, false, looks - 1},
		{slow, false, 0}, {0, false, looks - 1}, {slow, false, 0},
	} {
		if !look() {
			t.Fatalf("%d: nobody looks", i)
		}
		if slow := p.judge(c.took, n); slow != c.slow {
			t.Errorf("%d: after a copy that takes %v they are slow: %v", i, c.took, slow)
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
	p = Pace{Calls: calls}
	begun := p.Begin(n, true)
	now := begun + 10*limit
	p.Clock = func() time.Duration { return now }
	for i := range enough {
		if slow := p.Slow(begun, n); slow != (i == enough-1) {
			t.Errorf("copy %d of %d that take long is slow: %v", i+1, enough, slow)
		}
	}
}

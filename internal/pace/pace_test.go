package pace

import (
	"testing"
	"time"
)

// TestPace: one copy in a few is measured, and after a slow one each, until one is not slow. A certain
// number of slow ones in a row is reported, once; other copies are not measured.
func TestPace(t *testing.T) {
	t.Run("brief calls", func(t *testing.T) { testPace(t, true, brief, slowBriefKiB) })
	t.Run("medium calls", func(t *testing.T) { testPace(t, true, medium, slowBriefKiB) })
	t.Run("long calls", func(t *testing.T) { testPace(t, true, 2*medium, slowKiB) })
	t.Run("copies", func(t *testing.T) { testPace(t, false, brief, slowKiB) })
}

// testPace is TestPace of copies of n bytes, which are slow if they take more nanoseconds for each KiB.
func testPace(t *testing.T, calls bool, n, perKiB int) {
	p := Pace{Calls: calls}
	look := func() bool { return p.Begin(n, true) != 0 }
	least := leastCopy
	if calls {
		least = leastCall
	}
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
		for range p.inRow(n)/enough - 1 { // where more have to be slow, each slow one stands for several
			if c.took > limit && (p.judge(c.took, n) || !look()) {
				t.Errorf("%d: one that takes %v is enough, or nobody looks at the next", i, c.took)
			}
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
	for i := range p.inRow(n) {
		if slow := p.Slow(begun, n); slow != (i == p.inRow(n)-1) {
			t.Errorf("copy %d of %d that take long is slow: %v", i+1, p.inRow(n), slow)
		}
	}
}

// TestPaceBesidePackets: calls of medium length that take longer than packets are slow, but at least those that
// would be slow if they were long. Packets do not matter to brief calls. What packets take is forgotten after many
// calls that are slow but for it.
func TestPaceBesidePackets(t *testing.T) {
	for _, c := range []struct{ n, packetKiB, limit time.Duration }{
		{medium, 0, slowBriefKiB}, {medium, 1, slowBriefKiB}, {medium, slowBriefKiB * 4 / packetShare, slowBriefKiB},
		{medium, 80, 80 * packetShare / 4}, {medium, 1000, slowKiB}, {brief, 1000, slowBriefKiB}, {brief + 1024, 1000, slowKiB},
	} {
		p, n := Pace{Calls: true, packetKiB: c.packetKiB}, int(c.n)
		limit := c.limit * c.n >> 10
		for i := range p.inRow(n) {
			if slow := p.judge(limit+1, n); slow != (i == p.inRow(n)-1) {
				t.Errorf("packets take %d: call %d that takes longer than %v is slow: %v", c.packetKiB, i+1, limit, slow)
			}
		}
		for range p.inRow(n) {
			if p.judge(limit, n) {
				t.Errorf("packets take %d: a call that takes %v is slow", c.packetKiB, limit)
			}
		}
	}
	const n = medium
	p := Pace{Calls: true, packetKiB: 1000}
	took := time.Duration(slowKiB * n >> 10)
	for i := range 2 * staleReads {
		if i == staleReads/2 {
			p.EndPackets(p.now(), leastPackets) // known again
			p.packetKiB = 1000
		}
		known := p.packetKiB != 0
		if want := i < staleReads/2+staleReads; known != want {
			t.Fatalf("before call %d the time of packets is known: %v", i, known)
		}
		if slow := p.judge(took, n); slow && known {
			t.Fatalf("call %d is slow", i)
		}
	}
}

// TestEnough: of calls of medium length more have to be slow, and of no others.
func TestEnough(t *testing.T) {
	calls, copies := Pace{Calls: true}, Pace{}
	for n, want := range map[int]int{leastCall: 4, brief: 4, brief + 1: 8, medium: 8, medium + 1: 4} {
		if got := calls.inRow(n); got != want || copies.inRow(n) != 4 {
			t.Errorf("%d bytes: %d calls, want %d, and %d copies", n, got, want, copies.inRow(n))
		}
	}
}

// TestPaceOfPackets: one message in a few is timed, and their times are averaged.
func TestPaceOfPackets(t *testing.T) {
	var now time.Duration = 1
	p := Pace{Clock: func() time.Duration { return now }}
	if p.BeginPackets(leastPackets-1) != 0 {
		t.Error("a short rest is timed")
	}
	copied := func(n int, took time.Duration) (timed bool) {
		begun := p.BeginPackets(n)
		now += took
		p.EndPackets(begun, n)
		return begun != 0
	}
	for i := range 3 * packetLooks {
		if timed := copied(2*leastPackets, 800); timed != (i%packetLooks == 0) {
			t.Errorf("message %d is timed: %v", i, timed)
		}
	}
	if want := time.Duration(800 << 10 / (2 * leastPackets)); p.packetKiB != want {
		t.Errorf("packets take %d for each KiB, want %d", p.packetKiB, want)
	}
	for range 100 * packetLooks {
		copied(leastPackets, 1600)
	}
	if want := time.Duration(1600 << 10 / leastPackets); p.packetKiB > want || p.packetKiB < want-10 {
		t.Errorf("packets take %d for each KiB after a while, want %d", p.packetKiB, want)
	}
	if copied(leastPackets, 0); p.packetKiB == 0 {
		t.Error("a message that takes no time makes theirs unknown")
	}
}

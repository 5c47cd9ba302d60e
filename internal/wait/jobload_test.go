package wait

import (
	"testing"
	"time"
)

// TestExclusiveLoad: ranks are alone if since the last check they used all but an eighth of a processor.
func TestExclusiveLoad(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name       string
		cpus       int
		wall, used time.Duration
		want       bool
	}{
		{"two processors, all theirs", 2, 8 * ms, 16 * ms, true},
		{"all but an eighth of one", 2, 8 * ms, 15 * ms, true},
		{"somewhat less", 2, 8 * ms, 15*ms - 1, false},
		{"one beside others", 1, 8 * ms, 7 * ms, true},
		{"one shared", 1, 8 * ms, 4 * ms, false},
		{"one processor of two", 2, 8 * ms, 8 * ms, false},
		{"the end of a rank", 2, 8 * ms, -time.Second, false},
		{"no time", 2, 0, 0, false},
		{"long ago", 2, exclusiveWindow + 1, 2*exclusiveWindow + 2, false},
	} {
		var f jobLoad
		at, spent := time.Hour, time.Minute
		if f.exclusive(at, spent, c.cpus) {
			t.Errorf("%s: alone at the first look", c.name)
		}
		if got := f.exclusive(at+c.wall, spent+c.used, c.cpus); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestLongYieldsAmongRanks: yields that are long only because of ranks of the job do not count as contention.
func TestLongYieldsAmongRanks(t *testing.T) {
	for _, share := range []time.Duration{0, 1, 2} {
		spent := time.Duration(0)
		p := Policy{Spent: func() time.Duration { return spent }, cpus: 2}
		for i := range time.Duration(3) {
			spent = i * longYield * share
			p.judge(time.Hour+(i-1)*longYield, time.Hour+i*longYield)
		}
		want := uint32(3 * contentionHigh)
		if share == 2 {
			want = contentionHigh - 2 // it was not yet known that the first one was due to them
		}
		if want = min(want, contentionMost); p.contention.level != want {
			t.Errorf("%d processors theirs: level %d, want %d", share, p.contention.level, want)
		}
	}
	p := Policy{Spent: func() time.Duration { t.Error("asked after a short yield"); return 0 }}
	p.judge(time.Hour, time.Hour+longYield-1)
}

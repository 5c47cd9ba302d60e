package wait

import (
	"testing"
	"time"
)

// TestFamily: ranks are alone if since the last check they used all but an eighth of a processor.
func TestFamily(t *testing.T) {
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
		{"long ago", 2, familyMemory + 1, 2*familyMemory + 2, false},
	} {
		var f family
		at, spent := time.Hour, time.Minute
		if f.alone(at, spent, c.cpus) {
			t.Errorf("%s: alone at the first look", c.name)
		}
		if got := f.alone(at+c.wall, spent+c.used, c.cpus); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestLongYieldsAmongRanks: yields that are long only because of ranks of the job do not count as a crowd.
func TestLongYieldsAmongRanks(t *testing.T) {
	for _, share := range []time.Duration{0, 1, 2} {
		spent := time.Duration(0)
		p := Policy{Spent: func() time.Duration { return spent }, cpus: 2}
		for i := range time.Duration(3) {
			spent = i * longYield * share
			p.judge(time.Hour+(i-1)*longYield, time.Hour+i*longYield)
		}
		want := uint32(3 * crowdDense)
		if share == 2 {
			want = crowdDense - 2 // it was not yet known that the first one was due to them
		}
		if want = min(want, crowdMost); p.crowd.level != want {
			t.Errorf("%d processors theirs: level %d, want %d", share, p.crowd.level, want)
		}
	}
	p := Policy{Spent: func() time.Duration { t.Error("asked after a short yield"); return 0 }}
	p.judge(time.Hour, time.Hour+longYield-1)
}

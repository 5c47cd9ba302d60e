package wait

import (
	"slices"
	"testing"
	"time"
)

// Long yields indicate contention, and short ones end it.
func TestContention(t *testing.T) {
	const long, short = longYield, longYield - 1
	for name, c := range map[string]struct {
		took []time.Duration
		want bool
	}{
		"none":                  {nil, false},
		"short":                 {[]time.Duration{short, 0}, false},
		"long":                  {[]time.Duration{short, long}, true},
		"long, then short":      {[]time.Duration{long, short}, false},
		"two long, one short":   {[]time.Duration{long, long, short}, true},
		"two long, four short":  {[]time.Duration{long, long, 0, 0, 0, 0}, true},
		"two long, five short":  {[]time.Duration{long, long, 0, 0, 0, 0, 0}, false},
		"many long, four short": {[]time.Duration{long, long, long, long, 0, 0, 0, 0}, true},
		"many long, five short": {[]time.Duration{long, long, long, long, 0, 0, 0, 0, 0}, false},
		"ten short, one long":   {[]time.Duration{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, long}, true},
	} {
		var k contention
		for _, d := range c.took {
			k.note(d)
		}
		if k.high() != c.want {
			t.Errorf("%s: dense is %v", name, !c.want)
		}
	}
}

// Many of the first yields are measured, and later a fixed share. After a long one the next are measured
// soon; in lasting contention measurements become rarer and rarer; and after a short one each yield is
// measured, until the contention has ended.
func TestYieldsAreMeasured(t *testing.T) {
	var k contention
	measured := func(n int, took time.Duration) (at []int) {
		for i := range n {
			if k.due() {
				at = append(at, i)
				k.note(took)
			}
		}
		return at
	}
	for _, c := range []struct {
		name string
		n    int
		took time.Duration
		want []int
	}{
		{"the first", 200, 0, []int{0, 2, 6, 14, 30, 62, 126, 190}},
		{"lasting contention", 400, longYield, []int{54, 118, 182, 246, 310, 374}},
		{"its end", 200, 0, []int{38, 39, 40, 41, 42, 43, 44, 45, 46, 110, 174}},
	} {
		if at := measured(c.n, c.took); !slices.Equal(at, c.want) {
			t.Errorf("%s: %v", c.name, at)
		}
	}
}

// A single long yield, for example because other ranks have just started, costs the following waits no more
// than a few sleeps.
func TestOneLongYield(t *testing.T) {
	var k contention
	k.note(longYield)
	slept := 0
	for range contentionSample {
		switch {
		case k.due():
			k.note(0)
		case k.high():
			slept++
		}
	}
	if slept != contentionSoon || k.level != 0 {
		t.Errorf("%d sleeps, level %d", slept, k.level)
	}
}

// Under contention a wait sleeps where it would yield, until Reset, and checks now and then whether it
// still exists.
func TestWaitUnderContention(t *testing.T) {
	p := Policy{Eager: 2, Yield: time.Hour}
	p.contention = contention{level: contentionMost, left: 9 * 3 * clockYields}
	b := p.Begin()
	for range 3 {
		for b.eager > 0 {
			if b.Pause() {
				t.Fatal("slept before the eager polls")
			}
		}
		for n := range 3 * clockYields {
			if !b.Pause() {
				t.Fatalf("yielded in pause %d", n)
			}
		}
		b.Reset()
	}
	p.Eager, p.contention = 0, contention{level: contentionMost}
	if b := p.Begin(); b.Pause() {
		t.Error("no yield where one is measured")
	} else if sleeps := p.contention.left > 0 && p.contention.high(); b.Pause() != sleeps { // it may have been long
		t.Errorf("sleeps is not %v after a measured yield that leaves %+v", sleeps, p.contention)
	}
	fresh := Policy{Yield: time.Hour}
	if b := fresh.Begin(); b.Pause() {
		t.Error("sleeps without contention")
	}
	local := Policy{Yield: time.Hour, Local: true}
	local.contention.level = contentionMost
	if b := local.Begin(); b.Pause() {
		t.Error("goroutines do not contend for processors")
	}
}

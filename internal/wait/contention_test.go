package wait

import (
	"slices"
	"testing"
	"time"
)

// Long yields indicate a crowd, and short ones end it.
func TestCrowd(t *testing.T) {
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
		var k crowd
		for _, d := range c.took {
			k.note(d)
		}
		if k.dense() != c.want {
			t.Errorf("%s: dense is %v", name, !c.want)
		}
	}
}

// Many of the first yields are measured, and later a fixed share. After a long one the next are measured
// soon; in a lasting crowd measurements become rarer and rarer; and after a short one each yield is
// measured, until the crowd has ended.
func TestYieldsAreMeasured(t *testing.T) {
	var k crowd
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
		{"a lasting crowd", 400, longYield, []int{54, 118, 182, 246, 310, 374}},
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
	var k crowd
	k.note(longYield)
	slept := 0
	for range crowdSample {
		switch {
		case k.due():
			k.note(0)
		case k.dense():
			slept++
		}
	}
	if slept != crowdSoon || k.level != 0 {
		t.Errorf("%d sleeps, level %d", slept, k.level)
	}
}

// In a crowd a wait sleeps where it would yield, until Reset, and checks now and then whether the crowd
// still exists.
func TestWaitInACrowd(t *testing.T) {
	p := Policy{Eager: 2, Yield: time.Hour}
	p.crowd = crowd{level: crowdMost, left: 9 * 3 * clockYields}
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
	p.Eager, p.crowd = 0, crowd{level: crowdMost}
	if b := p.Begin(); b.Pause() {
		t.Error("no yield where one is measured")
	} else if sleeps := p.crowd.left > 0 && p.crowd.dense(); b.Pause() != sleeps { // it may have been long
		t.Errorf("sleeps is not %v after a measured yield that leaves %+v", sleeps, p.crowd)
	}
	fresh := Policy{Yield: time.Hour}
	if b := fresh.Begin(); b.Pause() {
		t.Error("sleeps where there is no crowd")
	}
	local := Policy{Yield: time.Hour, Local: true}
	local.crowd.level = crowdMost
	if b := local.Begin(); b.Pause() {
		t.Error("goroutines are no crowd")
	}
}

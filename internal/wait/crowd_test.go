package wait

import (
	"testing"
	"time"
)

// Long yields make a crowd, and short ones end it.
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

// Of the first yields many are measured, and later a fixed share, also in a crowd.
func TestYieldsAreMeasured(t *testing.T) {
	var k crowd
	count := func(n int) (due int) {
		for range n {
			if k.due() {
				due++
			}
		}
		return due
	}
	if first, next := count(crowdSample), count(10*crowdSample); first != 7 || next < 10 || next > 13 {
		t.Errorf("%d of the first %d yields are measured, and %d of the next %d", first, crowdSample, next, 10*crowdSample)
	}
}

// In a crowd a wait goes to sleep where it would yield, until Reset, and looks
// now and then whether there still is one.
func TestWaitInACrowd(t *testing.T) {
	p := Policy{Eager: 2, Yield: time.Hour}
	p.crowd = crowd{level: crowdMost, yields: crowdSample}
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
	p.Eager, p.crowd.yields = 0, 2*crowdSample-1
	if b := p.Begin(); b.Pause() || !b.Pause() {
		t.Error("not one yield where one is measured")
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

package port

import "testing"

// yields counts the looks that yield in so many passes, each of which looks for all of what.
func yields(m *misses, shared bool, passes int, what ...*uint32) (n int) {
	for range passes {
		for _, looked := range what {
			if m.miss(looked, shared) {
				n++
			}
		}
	}
	return n
}

// A rank that tests many requests in turn gives way about once a pass, and one that looks for one thing, or
// for messages, each time.
func TestPassesOfTestsYieldOnce(t *testing.T) {
	many := make([]*uint32, 1000)
	for i := range many {
		many[i] = new(uint32)
	}
	const passes = 10
	for _, c := range []struct {
		name      string
		shared    bool
		what      []*uint32
		low, high int
	}{
		{"one request", true, many[:1], passes - 1, passes},
		{"another request", true, many[1:2], passes - 1, passes},
		{"probes", true, []*uint32{nil}, passes, passes},
		{"two requests", true, many[:2], passes - 1, passes},
		{"other requests in the other order", true, []*uint32{many[3], many[2]}, passes - 1, passes},
		{"a request and probes", true, []*uint32{many[0], nil}, passes, passes},
		{"26 requests", true, many[:26], passes - 1, passes + 26*passes/missesPerYield},
		{"1000 requests", true, many, passes - 1, passes + 1000*passes/missesPerYield},
		{"the last of them", true, many[990:], passes - 1, passes},
		{"processors of their own", false, many[:missesPerYield], passes, passes},
		{"few looks", false, many[:missesPerYield/passes], 0, 0},
	} {
		m := &misses{round: 5}
		if n := yields(m, c.shared, passes, c.what...); n < c.low || n > c.high {
			t.Errorf("%s: %d yields, want %d to %d", c.name, n, c.low, c.high)
		}
	}
}

// A look that finds something ends the row of looks after which one yields at any rate, and no round: requests
// that are complete may be among those of a pass.
func TestLooksThatFindSomething(t *testing.T) {
	m, a, b := new(misses), new(uint32), new(uint32)
	n := yields(m, true, 1, a, b)
	for range 10 {
		m.found()
		n += yields(m, true, 1, a, b)
	}
	if n < 10 || n > 12 {
		t.Errorf("%d yields in 11 passes", n)
	}
	for range 3 {
		m.found()
		if n := yields(m, false, missesPerYield-1, a); n != 0 {
			t.Errorf("%d yields soon after a look that found something", n)
		}
	}
	if n := yields(m, false, 1, a); n != 1 {
		t.Error("the last look does not yield")
	}
}

// Things that are never looked for twice give way, too.
func TestLooksForSomethingElseEachTime(t *testing.T) {
	m, n := &misses{round: 1}, 0
	for range 10 * missesPerYield {
		n += yields(m, true, 1, new(uint32))
	}
	if n != 10 {
		t.Errorf("%d yields of %d, want 10", n, 10*missesPerYield)
	}
}

// An audit is considered once in so many looks.
func TestMissesAreAudited(t *testing.T) {
	m, n := new(misses), 0
	for range 3 * missesPerAudit {
		if m.miss(nil, false); m.audit() {
			n++
		}
	}
	if n != 3 {
		t.Errorf("%d audits, want 3", n)
	}
}

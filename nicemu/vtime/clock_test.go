package vtime

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func clockOf(t testing.TB, cycles, seconds uint64) Clock {
	t.Helper()
	c, err := NewClock(cycles, seconds)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestClocksDoNotDrift: the clocks of the specification "martini", section 12.1, have the periods
// given there, and after a million seconds they are exact to the picosecond.
func TestClocksDoNotDrift(t *testing.T) {
	for _, c := range []struct {
		cycles, seconds uint64
		first           Time
		n               int64
		at              Time
	}{
		{66e6, 1, 15151, 66e6 * 1e6, 1e6 * Second},
		{125e6, 1, 8 * Nanosecond, 125e6, Second},
		{6e9, 80, 13333, 75e6 * 1e6, 1e6 * Second},
		{933e6, 1, 1071, 933e6 * 1000, 1000 * Second},
	} {
		k := clockOf(t, c.cycles, c.seconds)
		if k.Edge(1) != c.first || k.Edge(c.n) != c.at || k.Span(c.n) != c.at {
			t.Errorf("%v MHz: edge 1 at %v, edge %d at %v; want %v, %v", k.Megahertz(), k.Edge(1), c.n, k.Edge(c.n), c.first, c.at)
		}
	}
}

func TestClockEdges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := NewClock(rapid.Uint64Range(1, 1e12).Draw(t, "cycles"), rapid.Uint64Range(1, 1000).Draw(t, "seconds"))
		if err != nil {
			t.Fatal(err)
		}
		at := Time(rapid.Int64Range(0, int64(1000*Second)).Draw(t, "time"))
		i := c.Index(at)
		if c.Edge(i) < at || i > 0 && c.Edge(i-1) >= at {
			t.Fatalf("edge %d at %v, the one before at %v: not the first at or after %v", i, c.Edge(i), c.Edge(i-1), at)
		}
		if c.Next(at) != c.Edge(i) || c.After(at, 5) != c.Edge(i+5) || c.Next(c.Edge(i)) != c.Edge(i) {
			t.Fatal("Next and After disagree with Edge")
		}
	})
}

func TestWrongClocks(t *testing.T) {
	for _, c := range [][2]uint64{{0, 1}, {1, 0}, {1, mostSeconds + 1}, {1e12 + 1, 1}} {
		if _, err := NewClock(c[0], c[1]); !errors.Is(err, ErrClock) {
			t.Errorf("%d cycles in %d s: %v", c[0], c[1], err)
		}
	}
	slow := clockOf(t, 1, 1)
	if slow.Edge(math.MaxInt64) != Never || slow.Edge(-1) != 0 || slow.Index(-1) != 0 {
		t.Error("edges outside the range of time")
	}
}

func TestTimeTexts(t *testing.T) {
	for want, at := range map[string]Time{"0.000 ns": 0, "13.333 ns": 13333, "-1.001 ns": -1001, "never": Never, "2480.000 ns": Nanoseconds(2480)} {
		if at.String() != want {
			t.Errorf("%v; want %s", at, want)
		}
	}
	if at := 2500 * Nanosecond; at.Microseconds() != 2.5 || at.Nanoseconds() != 2500 || at.Seconds() != 2.5e-6 {
		t.Errorf("%v in other units", at)
	}
}

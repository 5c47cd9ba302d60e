package diagnosis

import (
	"testing"
	"time"

	"rhinet/internal/pmi"
)

// A rank that has left is blamed by those who wait for it, or for anyone, and if nobody is left who could help.
func TestCulprit(t *testing.T) {
	gone := func(state pmi.State) Reading { return Reading{Status: pmi.Status{State: state}, Ended: true} }
	left, never, done := gone(pmi.Computing), gone(pmi.Outside), gone(pmi.Finalized)
	works := Reading{Status: pmi.Status{State: pmi.Computing}}
	inWorld := waitFor(0)
	inWorld.World = true
	for what, c := range map[string]struct {
		all  []Reading
		want int // -1: none
	}{
		"nobody has ended":                      {numbered(works, waitFor(0), waitFor(0)), -1},
		"waits for that rank":                   {numbered(left, waitFor(0), works), 0},
		"waits for another":                     {numbered(left, waitFor(2), works), -1},
		"waits for any":                         {numbered(left, waitFor(pmi.AnyPeer), works), 0},
		"waits for any, and it never was there": {numbered(never, waitFor(pmi.AnyPeer), works), -1},
		"nobody is left to help":                {numbered(never, waitFor(pmi.AnyPeer), waitFor(1)), 0},
		"the one that is done is blamed last":   {numbered(done, left, waitFor(pmi.AnyPeer)), 1},
		"waits for one that is done":            {numbered(done, waitFor(0), works), 0},
		"is in the world, as the other was":     {numbered(done, inWorld, works), -1},
	} {
		stuck := map[int]bool{}
		for _, r := range c.all {
			stuck[r.Rank] = !r.Ended && r.State == pmi.Waiting
		}
		got, ok := Culprit(c.all, stuck)
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("%s: rank %d, want %d", what, got, c.want)
		}
	}
}

// A wait counts from the first look that has seen it.
func TestStuck(t *testing.T) {
	var w Waits
	other := waitFor(1)
	other.Since = 2
	begin := time.Unix(100, 0)
	for i, look := range []struct {
		rank  Reading
		after time.Duration
		want  bool
	}{
		{waitFor(1), 0, false},
		{waitFor(1), patience - 1, false},
		{waitFor(1), patience, true},
		{other, patience + 1, false},
		{other, 2*patience + 1, true},
		{Reading{Status: pmi.Status{State: pmi.Computing}}, 2*patience + 2, false},
		{other, 2*patience + 3, false},
	} {
		if got := w.Stuck([]Reading{look.rank}, begin.Add(look.after))[0]; got != look.want {
			t.Errorf("look %d: %v", i, got)
		}
	}
}

package diagnosis

import (
	"testing"
	"time"

	"rhinet/internal/pmi"
)

func TestHangDetector(t *testing.T) {
	in := func(state pmi.State, since int64) Reading {
		return Reading{Status: pmi.Status{State: state, Since: since}}
	}
	wait := func(since int64) Reading { return in(pmi.Waiting, since) }
	gone := Reading{Ended: true}
	for _, c := range []struct {
		what  string
		looks [][]Reading
		want  bool
	}{
		{"all wait", [][]Reading{{wait(1), wait(2)}, {wait(1), wait(2)}, {wait(1), wait(2)}, {wait(1), wait(2)}, {wait(1), wait(2)}}, true},
		{"not for long enough", [][]Reading{{wait(1), wait(2)}, {wait(1), wait(2)}, {wait(1), wait(2)}, {wait(1), wait(2)}}, false},
		{"one begins another wait", [][]Reading{{wait(1)}, {wait(1)}, {wait(2)}, {wait(2)}, {wait(2)}, {wait(2)}}, false},
		{"one computes", [][]Reading{{wait(1), in(pmi.Computing, 0)}, {wait(1), in(pmi.Computing, 0)}, {wait(1), in(pmi.Computing, 0)}, {wait(1), in(pmi.Computing, 0)}, {wait(1), in(pmi.Computing, 0)}}, false},
		{"the others have ended", [][]Reading{{wait(1), gone}, {wait(1), gone}, {wait(1), gone}, {wait(1), gone}, {wait(1), gone}}, true},
		{"all have ended", [][]Reading{{gone}, {gone}, {gone}, {gone}, {gone}, {gone}}, false},
		{"no MPI", [][]Reading{{in(pmi.Outside, 0)}, {in(pmi.Outside, 0)}, {in(pmi.Outside, 0)}, {in(pmi.Outside, 0)}, {in(pmi.Outside, 0)}}, false},
	} {
		s := NewHangDetector(40 * time.Millisecond)
		got := false
		for _, all := range c.looks {
			got = s.Look(all)
		}
		if got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	if s := NewHangDetector(time.Minute); s.Every != stallLongest || s.need != 60 {
		t.Errorf("%+v", s)
	}
	if s := NewHangDetector(time.Nanosecond); s.Every < time.Millisecond || s.need != 1 {
		t.Errorf("%+v", s)
	}
}

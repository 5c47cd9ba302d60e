package launch

import (
	"testing"
	"time"

	"rhinet/internal/pmi"
)

func TestHangDetector(t *testing.T) {
	in := func(state pmi.State, since int64) reading {
		return reading{Status: pmi.Status{State: state, Since: since}}
	}
	wait := func(since int64) reading { return in(pmi.Waiting, since) }
	gone := reading{ended: true}
	for _, c := range []struct {
		what  string
		looks [][]reading
		want  bool
	}{
		{"all wait", [][]reading{{wait(1), wait(2)}, {wait(1), wait(2)}, {wait(1), wait(2)}, {wait(1), wait(2)}, {wait(1), wait(2)}}, true},
		{"not for long enough", [][]reading{{wait(1), wait(2)}, {wait(1), wait(2)}, {wait(1), wait(2)}, {wait(1), wait(2)}}, false},
		{"one begins another wait", [][]reading{{wait(1)}, {wait(1)}, {wait(2)}, {wait(2)}, {wait(2)}, {wait(2)}}, false},
		{"one computes", [][]reading{{wait(1), in(pmi.Computing, 0)}, {wait(1), in(pmi.Computing, 0)}, {wait(1), in(pmi.Computing, 0)}, {wait(1), in(pmi.Computing, 0)}, {wait(1), in(pmi.Computing, 0)}}, false},
		{"the others have ended", [][]reading{{wait(1), gone}, {wait(1), gone}, {wait(1), gone}, {wait(1), gone}, {wait(1), gone}}, true},
		{"all have ended", [][]reading{{gone}, {gone}, {gone}, {gone}, {gone}, {gone}}, false},
		{"no MPI", [][]reading{{in(pmi.Outside, 0)}, {in(pmi.Outside, 0)}, {in(pmi.Outside, 0)}, {in(pmi.Outside, 0)}, {in(pmi.Outside, 0)}}, false},
	} {
		s := newHangDetector(40 * time.Millisecond)
		got := false
		for _, all := range c.looks {
			got = s.look(all)
		}
		if got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	if s := newHangDetector(time.Minute); s.every != stallLongest || s.need != 60 {
		t.Errorf("%+v", s)
	}
	if s := newHangDetector(time.Nanosecond); s.every < time.Millisecond || s.need != 1 {
		t.Errorf("%+v", s)
	}
}

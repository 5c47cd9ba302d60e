package observe

import "testing"

// The page begins with the share of their time that the ranks waited, and in which call.
func TestVerdictOfAPage(t *testing.T) {
	s := &Stats{Ranks: []RankStats{
		{Rank: 0, Seconds: 1, Calls: []Call{{Call: "Recv", Count: 2, Timed: 2, Seconds: 0.5, Wait: 0.4}}},
		{Rank: 1, Seconds: 1, Calls: []Call{{Call: "Send", Count: 2, Timed: 2, Seconds: 0.3}}},
	}}
	if got, want := s.Verdict(), "Of their time the ranks spent 40.0 % in MPI calls and 20.0 % waiting for other ranks; Recv took most, 62.5 % of the time in calls."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := (&Stats{Ranks: make([]RankStats, 2)}).Verdict(), "No rank has spent time in MPI calls."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFiguresOfAPage(t *testing.T) {
	for seconds, want := range map[float64]string{0: "-", 4e-8: "40 ns", 2.5e-7: "250 ns", 1.234e-6: "1.23 µs", 9.996e-6: "10.0 µs", 0.038384: "38.4 ms", 0.9996: "1.00 s", 1234.5: "1234 s"} {
		if got := readable(seconds); got != want {
			t.Errorf("%g s is %q, want %q", seconds, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

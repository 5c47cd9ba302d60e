package observe

import (
	"errors"
	"slices"
	"testing"
)

// The records that ranks write on their hosts are the same when they are read elsewhere, with the times of
// each host corrected.
func TestGather(t *testing.T) {
	const ranks = 3
	all, file, err := Gather(ranks, true)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	here, writers := job(t, ranks, true)
	for i := range 2*partBytes/eventBytes + 3 { // more than one part
		writers[1].End(writers[1].Begin(), Send, &Transfer{Flags: Sends, Peer: 2, Bytes: i})
	}
	writers[1].Comm("world", 2)
	for range 10 {
		writers[1].Count(Isend, 2, 0, 100)
	}
	parts := 0
	c, err := here.Clock(1)
	if err != nil || c.Tick != 1 || c.Wall != here.begin.At.UnixNano() {
		t.Errorf("%+v, %v", c, err)
	}
	c.Wall = 1000
	if err := here.Parts(1, func(at int64, part []byte) error { parts++; return all.Place(1, at, part, c) }); err != nil {
		t.Fatal(err)
	}
	want, got := stats(t, here), stats(t, all)
	if parts != 4 || got.Ranks[0].State != "not reported" || !slices.Equal(got.Ranks[1].Calls, want.Ranks[1].Calls) || !slices.Equal(got.Traffic, want.Traffic) ||
		len(got.Traffic) != 2 || got.Traffic[0].Bytes != 1000 || got.Ranks[1].Comms[0].Sent != 10 {
		t.Errorf("%d parts, %+v", parts, got.Ranks)
	}
	before, _, _, _ := here.events(1)
	after, _, _, _ := all.events(1)
	if last := len(before) - 1; len(after) != len(before) || after[last].bytes != before[last].bytes || after[last].from != before[last].from+1000*1000 {
		t.Errorf("%d events of %d", len(after), len(before))
	}
	stop := errors.New("enough")
	if err := here.Parts(1, func(int64, []byte) error { return stop }); err != stop {
		t.Error(err)
	}
}

// A part at an invalid position is refused.
func TestPartsHaveTheirPlace(t *testing.T) {
	r, file, err := Gather(2, false)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	part := make([]byte, 8)
	for _, c := range []struct {
		rank int
		at   int64
		ok   bool
	}{{0, 0, true}, {1, int64(r.plan.region()) - 8, true}, {0, int64(r.plan.region()) - 7, false}, {1, int64(r.plan.region()) - 7, false}, {2, 0, false}, {-1, 0, false}, {0, -8, false}, {0, 1 << 62, false}} {
		if err := r.Place(c.rank, c.at, part, Clock{}); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c, err)
		}
	}
	here, _ := job(t, 1, false)
	if err := here.Place(0, 0, part, Clock{}); err == nil {
		t.Error("memory of this host takes parts")
	}
}

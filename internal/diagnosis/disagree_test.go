package diagnosis

import (
	"slices"
	"strings"
	"testing"

	"rhinet/internal/pmi"
)

func TestDisagreements(t *testing.T) {
	in := func(rank int, call string, team, turn, sign uint32) Reading {
		return Reading{Rank: rank, Status: pmi.Status{State: pmi.Waiting, Wait: pmi.Wait{Call: call, Peer: pmi.NoPeer, Collective: pmi.Collective{Team: team, Turn: turn, Sign: sign}}}}
	}
	gone := in(4, "Bcast", 1, 1, 99)
	gone.Ended = true
	computes := in(4, "Bcast", 1, 1, 99)
	computes.State = pmi.Computing
	all := in(1, "WaitAll", 1, 1, 6)
	all.Note = "Ibcast"
	barrier := in(0, "Barrier", 1, 1, 5)
	barrier.Note, barrier.Named = "world.dup1", true
	for name, c := range map[string]struct {
		all  []Reading
		want []string
	}{
		"none":         {[]Reading{in(0, "Barrier", 1, 1, 5), in(1, "Barrier", 1, 1, 5), in(2, "Recv", 0, 0, 0), gone, computes}, nil},
		"another turn": {[]Reading{in(0, "Barrier", 1, 1, 5), in(1, "Bcast", 1, 2, 6)}, nil},
		"another team": {[]Reading{in(0, "Barrier", 1, 1, 5), in(1, "Bcast", 2, 1, 6)}, nil},
		"another call": {[]Reading{in(0, "Barrier", 1, 1, 5), in(1, "Bcast", 1, 1, 6), in(2, "Barrier", 1, 1, 5)},
			[]string{"mismatch: ranks 0,2 in Barrier, rank 1 in Bcast: all ranks of a communicator must make the same collective calls in the same order"}},
		"a call in another one": {[]Reading{in(0, "Ibarrier", 1, 1, 5), all},
			[]string{"mismatch: rank 0 in Ibarrier, rank 1 in Ibcast: all ranks of a communicator must make the same collective calls in the same order"}},
		"calls whose communicator is named": {[]Reading{barrier, all},
			[]string{"mismatch: rank 0 in Barrier, rank 1 in Ibcast: all ranks of a communicator must make the same collective calls in the same order"}},
		"another length": {[]Reading{in(0, "Bcast", 1, 1, 5), in(1, "Bcast", 1, 1, 6)},
			[]string{"mismatch: rank 0 in Bcast, rank 1 in Bcast: the calls differ in type, length, operation or root, or in what was called before; all ranks of a communicator must agree on them"}},
		"twice": {[]Reading{in(0, "Scan", 1, 1, 5), in(1, "Bcast", 1, 1, 6), in(2, "Scan", 2, 1, 5), in(3, "Gather", 2, 1, 6)},
			[]string{"mismatch: rank 0 in Scan, rank 1 in Bcast: all ranks of a communicator must make the same collective calls in the same order",
				"mismatch: rank 2 in Scan, rank 3 in Gather: all ranks of a communicator must make the same collective calls in the same order"}},
	} {
		if got := disagreements(c.all); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// Ranks that wait for each other to make a communicator are told of their tags, if they all are in one such call, and
// in no other one, and the tags differ.
func TestDifferentTags(t *testing.T) {
	in := func(peer int, call, note string) Reading {
		r := waitFor(peer)
		r.Call, r.Note = call, note
		return r
	}
	more := in(0, "CreateGroup", "tag 4")
	more.More = 1
	const advice = ": ranks that make a communicator together must give the same tag, and make several in the same order"
	for name, c := range map[string]struct {
		all  []Reading
		want []string
	}{
		"two":             {numbered(in(1, "CreateGroup", "tag 3"), in(0, "CreateGroup", "tag 4")), []string{"mismatch: in CreateGroup rank 0 gives tag 3, rank 1 gives tag 4" + advice}},
		"three":           {numbered(in(2, "CreateGroup", "tag 3"), in(0, "CreateGroup", "tag 3"), in(1, "CreateGroup", "tag 5")), []string{"mismatch: in CreateGroup rank 0 gives tag 3, rank 1 gives tag 3, rank 2 gives tag 5" + advice}},
		"equal":           {numbered(in(1, "CreateGroup", "tag 3"), in(0, "CreateGroup", "tag 3")), nil},
		"another call":    {numbered(in(1, "CreateGroup", "tag 3"), in(0, "IntercommCreate", "tag 4")), nil},
		"no tag":          {numbered(in(1, "Wait", "window world.win1"), in(0, "Wait", "window world.win2")), nil},
		"more goroutines": {numbered(in(1, "CreateGroup", "tag 3"), more), nil},
		"no cycle":        {numbered(in(1, "CreateGroup", "tag 3"), in(pmi.NoPeer, "CreateGroup", "tag 4")), nil},
	} {
		var got []string
		for _, line := range Cycles(c.all) {
			if !strings.HasPrefix(line, "deadlock: ") && !strings.HasPrefix(line, "cycle: ") {
				got = append(got, line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	var many []Reading
	for i := range maxGroups + 4 {
		many = append(many, in((i+1)%(maxGroups+4), "CreateGroup", "tag "+string(rune('a'+i))))
	}
	if text := Cycles(numbered(many...))[1]; strings.Count(text, "gives") != maxGroups {
		t.Errorf("%d ranks are named in %q", strings.Count(text, "gives"), text)
	}
}

// Ranks that wait for each other in collective calls on several communicators are told of their order, if all are in one
// such call, and in no other one.
func TestDifferentOrder(t *testing.T) {
	in := func(peer int, call, name string, team uint32) Reading {
		r := waitFor(peer)
		r.Call, r.Note, r.Collective = call, name, pmi.Collective{Team: team, Sign: 5, Named: true}
		return r
	}
	more, alone := in(0, "Barrier", "b", 2), waitFor(0)
	more.More = 1
	const advice = ": ranks of several communicators must make the collective calls on them in the same order"
	for name, c := range map[string]struct {
		all  []Reading
		want []string
	}{
		"two":             {numbered(in(1, "Barrier", "a", 1), in(0, "Barrier", "b", 2)), []string{"mismatch: rank 0 in Barrier (a), rank 1 in Barrier (b)" + advice}},
		"four":            {numbered(in(1, "Bcast", "a", 1), in(2, "Barrier", "b", 2), in(3, "Bcast", "a", 1), in(0, "Barrier", "b", 2)), []string{"mismatch: ranks 0,2 in Bcast (a), ranks 1,3 in Barrier (b)" + advice}},
		"one":             {numbered(in(1, "Barrier", "a", 1), in(0, "Bcast", "a", 1)), nil},
		"a receive":       {numbered(in(1, "Barrier", "a", 1), alone), nil},
		"more goroutines": {numbered(in(1, "Barrier", "a", 1), more), nil},
	} {
		var got []string
		for _, line := range Cycles(c.all) {
			if strings.HasPrefix(line, "mismatch: ") {
				got = append(got, line)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	var many []Reading
	for i := range maxGroups + 4 {
		many = append(many, in((i+1)%(maxGroups+4), "Barrier", string(rune('a'+i)), uint32(i)))
	}
	if text := Cycles(numbered(many...))[1]; strings.Count(text, " in Barrier") != maxGroups || !strings.Contains(text, ", others: ") {
		t.Errorf("the cycle of many is %q", text)
	}
}

// Who waits for a rank in Finalize is named: that rank makes no call any more. One that has other goroutines in calls
// may, and one that has ended is told of in another way.
func TestWaitsForRanksInFinalize(t *testing.T) {
	end := waitFor(pmi.NoPeer)
	end.Call = "Finalize"
	busy := end
	busy.More = 1
	over := Reading{Status: pmi.Status{State: pmi.Finalized}}
	gone := over
	gone.Ended = true
	for name, c := range map[string]struct {
		all  []Reading
		want []string
	}{
		"one":             {numbered(end, waitFor(0), waitFor(pmi.AnyPeer)), []string{"finalize: rank 1 waits for rank 0, which is in Finalize and makes no more calls"}},
		"several":         {numbered(waitFor(1), end, waitFor(1), waitFor(4), over), []string{"finalize: ranks 0,2 wait for rank 1, which is in Finalize and makes no more calls", "finalize: rank 3 waits for rank 4, which is in Finalize and makes no more calls"}},
		"none":            {numbered(end, waitFor(2), waitFor(1)), nil},
		"more goroutines": {numbered(busy, waitFor(0)), nil},
		"ended":           {numbered(gone, waitFor(0)), nil},
	} {
		if got := finalizing(c.all); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if text := Table(c.all); strings.Count(text, "\nfinalize: ") != len(c.want) {
			t.Errorf("%s: the table is\n%s", name, text)
		}
	}
	var many []Reading
	for i := range maxGroups + 1 {
		many = append(many, waitFor(2*i+1), end)
	}
	if got := finalizing(numbered(many...)); len(got) != maxGroups {
		t.Errorf("%d lines", len(got))
	}
}

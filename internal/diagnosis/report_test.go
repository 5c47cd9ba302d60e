package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/internal/pmi"
)

// waitFor is a rank that waits for a peer.
func waitFor(peer int) Reading {
	return Reading{Status: pmi.Status{State: pmi.Waiting, Wait: pmi.Wait{Call: "Recv", Peer: peer, Tag: 5, Bytes: 8}, Since: 1}}
}

// numbered gives readings their ranks.
func numbered(all ...Reading) []Reading {
	for i := range all {
		all[i].Rank = i
	}
	return all
}

func TestCycles(t *testing.T) {
	busy := Reading{Status: pmi.Status{State: pmi.Computing}}
	ended := waitFor(0)
	ended.Ended = true
	moving := waitFor(0)
	moving.Busy = true
	several := waitFor(0)
	several.More = 1
	for _, c := range []struct {
		all  []Reading
		want string
	}{
		{numbered(busy, busy), ""},
		{numbered(waitFor(1), busy), ""},
		{numbered(waitFor(1), waitFor(0)), "deadlock: 0 -> 1 -> 0"},
		{numbered(waitFor(0)), "deadlock: 0 -> 0: the rank waits for itself"},
		{numbered(waitFor(1), waitFor(2), waitFor(3), waitFor(1)), "deadlock: 1 -> 2 -> 3 -> 1"},
		{numbered(waitFor(2), waitFor(2), waitFor(1)), "deadlock: 2 -> 1 -> 2"},
		{numbered(waitFor(1), waitFor(0), waitFor(3), waitFor(2)), "deadlock: 0 -> 1 -> 0;deadlock: 2 -> 3 -> 2"},
		{numbered(waitFor(pmi.AnyPeer), waitFor(0)), ""},
		{numbered(waitFor(pmi.NoPeer), waitFor(0)), ""},
		{numbered(waitFor(1), ended), ""},
		{numbered(waitFor(1), moving), "cycle: 0 -> 1 -> 0: each of these ranks waits for the next, but rank 1 is at work, perhaps on a long message"},
		{numbered(moving), "cycle: 0 -> 0: "},
		{numbered(waitFor(2), moving, moving), "cycle: 0 -> 2 -> 0: each of these ranks waits for the next, but rank 2 is at work"},
		{numbered(waitFor(1), several), "cycle: 0 -> 1 -> 0: each of these ranks waits for the next, but rank 1 is in other calls too, which may end first"},
		{numbered(several), "cycle: 0 -> 0: the rank waits for itself, but rank 0 is in other calls too"},
		{numbered(waitFor(7), waitFor(0)), ""}, // status lines may contain anything
	} {
		got := Cycles(c.all)
		want := strings.Split(c.want, ";")
		if c.want == "" {
			want = nil
		}
		if len(got) != len(want) {
			t.Errorf("%v, want %v", got, want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], want[i]) {
				t.Errorf("%v, want %v", got, want)
			}
		}
	}
}

// TestGroupsOfCollectiveCalls: ranks that wait in a collective call for others to come share a line, whichever of these
// each names.
func TestGroupsOfCollectiveCalls(t *testing.T) {
	in := func(peer int, bytes int64) Reading {
		r := waitFor(peer)
		r.Call, r.Tag, r.Bytes, r.Sign = "Allreduce", pmi.NoTag, bytes, 5
		return r
	}
	want := []string{"ranks 0-1 waiting in Allreduce", "rank 2 waiting in Allreduce (peer 3, 64 bytes)"}
	if got := Groups(numbered(in(1, pmi.NoBytes), in(2, pmi.NoBytes), in(3, 64))); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The report names what a wait is for, and the messages that it does not take.
func TestNotesAndUnexpectedMessages(t *testing.T) {
	noted, several, one, elsewhere := waitFor(pmi.NoPeer), waitFor(0), waitFor(1), waitFor(1)
	noted.Call, noted.Note, noted.Tag, noted.Bytes, noted.More = "Start", "world#1", pmi.NoTag, pmi.NoBytes, 1
	several.Unmatched = pmi.Unmatched{Messages: 3, First: 1, MessagesTag: 7}
	one.Unmatched = pmi.Unmatched{Messages: 1, First: 2, MessagesTag: 8}
	elsewhere.Unmatched = pmi.Unmatched{Messages: 1, First: 1, MessagesTag: 5, Elsewhere: true}
	computing, ended := several, one
	computing.State, ended.Ended = pmi.Computing, true
	const want = "rank  call                peer  tag  bytes  since\n" +
		"0     Start (world#1) +1  -     -    -      0s\n" +
		"1     Recv                0     5    8      0s\n" +
		"2     Recv                1     5    8      0s\n" +
		"3     (computing)\n" +
		"4     (ended)\n" +
		"5     Recv                1     5    8      0s\n" +
		"unexpected: rank 1 has 3 messages that this Recv does not take, the first from rank 1, tag 7\n" +
		"unexpected: rank 2 has a message from rank 2, tag 8, that this Recv does not take\n" +
		"unexpected: rank 5 has a message from rank 1, tag 5, on another communicator than that of this Recv\n"
	if got := Table(numbered(noted, several, one, computing, ended, elsewhere)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := noted.what(); got != "waiting in Start (world#1) and 1 more" {
		t.Error(got)
	}
}

// The communicators of collective calls are named if ranks wait on several.
func TestCommunicatorsAreNamedIfTheyDiffer(t *testing.T) {
	in := func(comm string, team uint32) Reading {
		return Reading{Status: pmi.Status{State: pmi.Waiting, Wait: pmi.Wait{Call: "Barrier", Note: comm, Peer: pmi.NoPeer, Tag: pmi.NoTag, Bytes: pmi.NoBytes,
			Collective: pmi.Collective{Team: team, Turn: 1, Sign: 5, Named: true}}}}
	}
	all := in("Barrier", 7) // of a nonblocking call
	all.Call, all.Note, all.Named = "WaitAll", "Ibarrier", false
	wait, ended := waitFor(0), in("world", 0)
	wait.Call, wait.Note, ended.Ended = "Wait", "window world.win1", true
	for _, c := range []struct {
		all  []Reading
		want []string
	}{
		{numbered(in("world.dup1", 7), in("world.dup1", 7), wait, ended), []string{"ranks 0-1 waiting in Barrier", "rank 2 waiting in Wait (window world.win1, peer 0, tag 5, 8 bytes)"}},
		{numbered(in("world.dup1", 7), all), []string{"rank 0 waiting in Barrier", "rank 1 waiting in WaitAll (Ibarrier)"}},
		{numbered(in("world", 0), in("world.dup1", 7)), []string{"rank 0 waiting in Barrier (world)", "rank 1 waiting in Barrier (world.dup1)"}},
	} {
		if got := Groups(c.all); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
		for _, name := range []string{"Barrier (world)", "Barrier (world.dup1)"} {
			if got, want := strings.Contains(Table(c.all), name), strings.Contains(strings.Join(c.want, ""), name); got != want {
				t.Errorf("%s in\n%s", name, Table(c.all))
			}
		}
		if c.all[0].Note == "" {
			t.Error("the readings have changed")
		}
	}
}

func TestMovingRanksAreNoDeadlock(t *testing.T) {
	before := numbered(waitFor(1), waitFor(0))
	if n := len(Cycles(Stable(before, numbered(waitFor(1), waitFor(0))))); n != 1 {
		t.Errorf("%d cycles among ranks that stay", n)
	}
	after := numbered(waitFor(1), waitFor(0))
	after[1].Since = 2
	if n := len(Cycles(Stable(before, after))); n != 0 {
		t.Errorf("%d cycles among ranks that move", n)
	}
}

func TestRanksAtWork(t *testing.T) {
	all := numbered(waitFor(1), waitFor(0), waitFor(0))
	const d = 100 * time.Millisecond
	AtWork(all, []time.Duration{time.Second, time.Second, time.Second}, []time.Duration{time.Second + d/60, time.Second + d/40, 0}, d)
	if all[0].Busy || !all[1].Busy || all[2].Busy {
		t.Errorf("busy: %v, %v, %v", all[0].Busy, all[1].Busy, all[2].Busy)
	}
	both := numbered(waitFor(1), waitFor(0))
	both[0].Busy, both[1].Busy = true, true
	if text := Cycles(both)[0]; !strings.HasSuffix(text, ", but ranks 0-1 are at work, perhaps on a long message") {
		t.Error(text)
	}
	if a, b := Rereading(2, 2), Rereading(1000, 1); a < 100*time.Millisecond || a > 200*time.Millisecond || b != time.Second {
		t.Errorf("%v and %v", a, b)
	}
}

func TestTable(t *testing.T) {
	all := numbered(waitFor(1), waitFor(pmi.AnyPeer), waitFor(pmi.NoPeer), Reading{Status: pmi.Status{State: pmi.Finalized}},
		Reading{Status: pmi.Status{State: pmi.Outside}}, Reading{Status: pmi.Status{State: pmi.Aborted}}, Reading{Status: pmi.Status{State: 99}})
	all[0].For = 1234567 * time.Microsecond
	all[1].Tag, all[1].For = pmi.AnyTag, 12*time.Millisecond
	all[2].Call, all[2].Tag, all[2].Bytes, all[2].For = "Barrier", pmi.NoTag, -1, 3*time.Microsecond
	ended := waitFor(0)
	ended.Ended, ended.Rank = true, 7
	last := waitFor(7)
	last.Rank, last.Taken = 8, "main.go:17"
	ended.Taken = "main.go:18"
	want := []string{
		"rank call peer tag bytes since",
		"0 Recv 1 5 8 1.2s",
		"1 Recv any any 8 12ms",
		"2 Barrier - - - 3µs",
		"3 (finalized)",
		"4 (not in MPI)",
		"5 (aborted)",
		"6 (state 99)",
		"7 (ended)",
		"8 Recv 7 (ended) 5 8 0s",
		"lock: rank 8 waits for what rank 7 has taken at main.go:17",
	}
	var got []string
	for line := range strings.Lines(Table(append(all, ended, last))) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestGroups(t *testing.T) {
	all := numbered(waitFor(1), waitFor(3), waitFor(3), waitFor(3), Reading{}, waitFor(pmi.NoPeer), Reading{Status: pmi.Status{State: pmi.Computing}})
	all[2].For, all[0].Taken = 2*time.Second, "main.go:17"
	all[5].Call, all[5].Tag, all[5].Bytes = "Barrier", pmi.NoTag, -1
	want := []string{
		"rank 0 waiting in Recv (peer 1, tag 5, 8 bytes, taken there at main.go:17)",
		"ranks 1-3 waiting in Recv (peer 3, tag 5, 8 bytes) for 2s",
		"rank 5 waiting in Barrier",
		"rank 6 computing",
	}
	if got := Groups(all); !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	var many []Reading
	for r := range 40 {
		many = append(many, waitFor(r+1))
	}
	got := Groups(numbered(many...))
	if len(got) != maxGroups+1 || got[maxGroups] != fmt.Sprintf("and %d more kinds of waits", 40-maxGroups) {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
}

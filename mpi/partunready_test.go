package mpi

import (
	"slices"
	"testing"

	"rhinet/internal/pmi"
	"rhinet/llc/ir"
)

// A report names the first partitions that are not ready, as many as it has room for.
func TestTextsOfPartitionsThatAreNotReady(t *testing.T) {
	const mega = 1 << 20
	for _, c := range []struct {
		not   []int
		of    int
		first int
		want  string
	}{
		{[]int{0}, 1, 0, "no Pready of 0"},
		{[]int{5}, 9, 5, "no Pready of 5"},
		{[]int{1, 8}, 9, 1, "no Pready of 1,8"},
		{[]int{0, 4, 7}, 9, 0, "no Pready of 0,4,7"},
		{[]int{0, 4, 7, 8}, 9, 0, "no Pready of 0,4,7 and 1 more"},
		{[]int{2, unreadySpan + 1, unreadySpan + 2}, mega, 2, "no Pready of 2,4097 and 1 more"},
		{[]int{mega - 3, mega - 2, mega - 1}, mega, mega - 3, "no Pready of 1048573,1048574 and 1 more"},
	} {
		ready := slices.Repeat([]bool{true}, c.of)
		for _, i := range c.not {
			ready[i] = false
		}
		if got := unreadyText(ready[c.first:], c.first, len(c.not)); got != c.want {
			t.Errorf("%v of %d: %q, want %q", c.not, c.of, got, c.want)
		}
	}
	longest := "PsendInit, " + unreadyText(make([]bool, maxPartitions), 0, maxPartitions)
	if last := "PsendInit, " + unreadyText(make([]bool, 4), 99996, maxPartitions/256); len(longest) > pmi.NoteBytes || len(last) > pmi.NoteBytes {
		t.Errorf("status lines have no room for %q or %q", longest, last)
	}
}

// The note follows each Pready, but waits for one that is under way, which may hold what its caller holds.
func TestNotesFollowPready(t *testing.T) {
	p := &partitioned{ready: make([]bool, 4), left: 4}
	var held ir.Holder
	look := p.unready(&held)
	is := func(want string) {
		t.Helper()
		if look(); held.Missing != want {
			t.Errorf("%q, want %q", held.Missing, want)
		}
	}
	name := func(i int) { p.ready[i], p.left = true, p.left-1 }
	is("no Pready of 0,1,2 and 1 more")
	p.mu.Lock()
	name(0)
	is("no Pready of 0,1,2 and 1 more")
	p.mu.Unlock()
	is("no Pready of 1,2,3")
	name(2)
	is("no Pready of 1,3")
	name(1)
	is("no Pready of 3")
	name(3)
	is("no Pready of 3") // the wait ends
}

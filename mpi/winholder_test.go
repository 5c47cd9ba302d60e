package mpi

import (
	"strings"
	"testing"

	"rhinet/internal/callsite"
	"rhinet/internal/pmi"
)

// A lock tells its holder: the exclusive one, or any of those with a note, as long as
// they hold it.
func TestNotesOfALock(t *testing.T) {
	l := winLockAt(view(make([]uint64, winLockBytes/8)))
	is := func(what string, who int, line string) {
		t.Helper()
		if w, s := l.noted(l.holder()); w != who || s != line {
			t.Errorf("%s: %d at %q, want %d at %q", what, w, s, who, line)
		}
	}
	is("a free lock", -1, "")
	at := func(n int) *callsite.Line { return &callsite.Line{File: "main.go", Number: n} }
	for rank := range lockNotes + 2 {
		if !l.try(false, rank) {
			t.Fatal("it is not free")
		}
		l.sign(rank, at(rank))
	}
	is("shared by many", 0, "main.go:0")
	for rank := range lockNotes + 1 { // the last one has no note
		if rank < lockNotes {
			is("shared by fewer", rank, at(rank).String())
		}
		l.unsign(rank)
		l.give(false)
	}
	is("shared by one without a note", -1, "")
	if n := l.sharers(); n != 1 {
		t.Errorf("%d ranks share it", n)
	}
	if l.try(true, 3) || l.sharers() != 1 { // a rank that wants it alone shares nothing
		t.Errorf("%d ranks share it", l.sharers())
	}
	l.unsign(lockNotes + 1)
	l.give(false)

	l.sign(5, at(5)) // a rank that has released the lock is about to remove its note
	if !l.try(true, 3) {
		t.Fatal("it is not free")
	}
	is("alone, without a note yet", 3, "")
	l.sign(3, at(3))
	is("alone", 3, "main.go:3")
	if n := l.sharers(); n != 0 {
		t.Errorf("%d ranks share it", n)
	}
	l.unsign(5)
	l.unsign(3)
	l.give(true)
	is("given back", -1, "")
	for i := range l.who {
		if i < bitWords && l.who[i] != 0 || i >= bitWords && (i-bitWords)%lockNoteWords == 0 && l.who[i] != 0 {
			t.Errorf("word %d is %#x", i, l.who[i])
		}
	}
}

// Of a long line the end is kept, which says more; a line that is not known is empty.
func TestNotesOfLongLines(t *testing.T) {
	l := winLockAt(view(make([]uint64, winLockBytes/8)))
	for _, c := range []struct {
		line *callsite.Line
		want string
	}{
		{nil, ""},
		{&callsite.Line{File: strings.Repeat("/directory", 9) + "/main.go", Number: 17}, (strings.Repeat("/directory", 9) + "/main.go:17")[101-pmi.TakenBytes:]},
		{&callsite.Line{File: "a.go", Number: 1}, "a.go:1"},
	} {
		l.sign(2, c.line)
		if who, line := l.noted(-1); who != 2 || line != c.want {
			t.Errorf("%d at %q, want %q", who, line, c.want)
		}
		l.unsign(2)
	}
}

// A rank has a note as long as it has the lock, and none for a lock that it did not
// get. Windows have notes only in checked jobs.
func TestLocksAreNotedWhileTheyAreHeld(t *testing.T) {
	ranks, _ := ranksOnMapped(2, 8)
	w := &window{c: ranks[0].c, reach: ranks[0]}
	if w.sign(); w.reach != reach(ranks[0]) {
		t.Fatal("notes in a job that is not checked")
	}
	w.c.w.Check, w.c.w.requests.lines = true, callsite.New("rhinet/mpi")
	w.sign()
	if unobserved(w.reach) != reach(ranks[0]) {
		t.Fatal("the way itself is not found")
	}
	l := winLockAt(ranks[0].of(1))
	for _, exclusive := range []bool{false, true} {
		if err := w.reach.lock("Lock", 1, exclusive); err != nil {
			t.Fatal(err)
		}
		if who, line := l.noted(-1); who != 0 || !strings.Contains(line, "testing.go:") {
			t.Errorf("%d at %q", who, line)
		}
		if err := w.reach.unlock(1, exclusive); err != nil {
			t.Fatal(err)
		}
		if who, _ := l.noted(-1); who >= 0 {
			t.Error("the note is left behind")
		}
	}
	if err := ranks[1].lock("Lock", 1, true); err != nil {
		t.Fatal(err)
	}
	ranks[0].c.t = &instant{} // waits once
	if err := w.reach.lock("Lock", 1, true); err == nil {
		t.Error("it is another's")
	}
	if who, _ := l.noted(-1); who >= 0 {
		t.Error("a note of a lock that was not got")
	}
}

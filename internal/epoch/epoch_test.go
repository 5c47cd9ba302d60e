package epoch

import (
	"bytes"
	"cmp"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The kinds of accesses that conflict differently.
var (
	put     = Access{Kind: Puts}
	get     = Access{Kind: Gets}
	add     = Access{Kind: Updates, Op: 1, Code: 6}
	replace = Access{Kind: Updates, Op: 2, Code: 6}
	read    = Access{Kind: Updates, Op: 3, Code: 6, Fetches: true}
	swap    = Access{Kind: Updates, Op: 0, Code: 6, Swap: true}
	other   = Access{Kind: Updates, Op: 1, Code: 7} // of other elements
)

// MPI 4.1, sections 12.2.1 (accumulate_ops) and 12.7: which two accesses to one location conflict, in an epoch of one
// rank and of two, whichever is first.
func TestConflicts(t *testing.T) {
	for _, row := range []struct {
		name     string
		a, b     Access
		one, two bool
	}{
		{"Put and Put", put, put, true, true},
		{"Put and Get", put, get, true, true},
		{"Put and an update", put, add, true, true},
		{"Put and an atomic read", put, read, true, true},
		{"Put and CompareAndSwap", put, swap, true, true},
		{"Get and Get", get, get, false, false},
		{"Get and an update", get, add, true, true},
		{"Get and an atomic read", get, read, false, false},
		{"Get and CompareAndSwap", get, swap, true, true},
		{"updates of one operation", add, add, false, false},
		{"updates of two operations", add, replace, false, true},
		{"updates of other elements", add, other, true, true},
		{"an update and an atomic read", replace, read, false, false},
		{"an update and CompareAndSwap", add, swap, false, false},
		{"an atomic read and CompareAndSwap", read, swap, false, false},
		{"CompareAndSwap of other elements", other, swap, true, true},
	} {
		for _, pair := range [][2]Access{{row.a, row.b}, {row.b, row.a}} {
			if one, two := pair[0].Conflicts(&pair[1], true), pair[0].Conflicts(&pair[1], false); one != row.one || two != row.two {
				t.Errorf("%s: %v of one rank, %v of two, want %v and %v", row.name, one, two, row.one, row.two)
			}
		}
	}
}

// at places an access.
func (a Access) at(from, to uint64) Access {
	a.From, a.To = from, to
	return a
}

// by gives an access a call and a line.
func (a Access) by(call, line string) Access {
	a.Call, a.Line = call, line
	return a
}

// one is a place of an access.
func one(at uint64, n int) iter.Seq2[uint64, int] {
	return func(yield func(uint64, int) bool) { yield(at, n) }
}

// A log finds conflicts with the part of the same rank only, until it forgets the access.
func TestLog(t *testing.T) {
	l := NewLog(3)
	l.Add(1, put.by("Put", "a.go:1"), one(8, 8), nil)
	l.Add(1, get.by("Get", "a.go:2"), one(32, 8), nil)
	meets := func(target int, a Access) string {
		o, found := l.Conflict(target, &a)
		if !found {
			return ""
		}
		return o.String()
	}
	check := func(when string, wantPut, wantGet string) {
		t.Helper()
		if got := meets(1, get.at(15, 17)); got != wantPut {
			t.Errorf("%s, Get: %q, want %q", when, got, wantPut)
		}
		if got := meets(1, put.at(39, 40)); got != wantGet {
			t.Errorf("%s, Put: %q, want %q", when, got, wantGet)
		}
		for target, a := range []Access{put.at(8, 16), put.at(16, 32), put.at(8, 16)} {
			if got := meets(target, a); got != "" {
				t.Errorf("%s, bytes %d to %d of rank %d: %q", when, a.From, a.To, target, got)
			}
		}
	}
	check("at first", "Put (a.go:1)", "Get (a.go:2)")
	l.Forget(0, true)
	check("the part of another rank forgotten", "Put (a.go:1)", "Get (a.go:2)")
	l.Forget(1, false)
	check("reads forgotten", "Put (a.go:1)", "")
	l.Add(1, get.by("Get", ""), one(32, 8), nil)
	check("from no known line", "Put (a.go:1)", "Get")
	l.ForgetAll(false)
	check("reads of all forgotten", "Put (a.go:1)", "")
	l.ForgetAll(true)
	check("all forgotten", "", "")
	var none *Log // of a job that is not checked
	none.Forget(1, true)
	none.ForgetAll(true)
}

// decoded is Decode of accesses to a part of any size.
func decoded(t *testing.T, b []byte) []Access {
	t.Helper()
	all, err := Decode(b, math.MaxUint64)
	if err != nil {
		t.Error(err)
	}
	return all
}

// FuzzDecode: whatever a peer tells, it is taken for accesses to the part or refused, and what is taken is told in
// the same way.
func FuzzDecode(f *testing.F) {
	l := NewLog(1)
	l.Add(0, put.by("Put", "a.go:1"), one(5, 3), []byte{1, 2, 3})
	l.Add(0, swap.by("CompareAndSwap", ""), one(16, 8), nil)
	whole := l.Take(0)
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add(whole[:encodedBytes-1])
	f.Add(append(bytes.Clone(whole[:8]), make([]byte, 60)...)) // it ends before it begins
	f.Fuzz(func(t *testing.T, b []byte) {
		const part = 1 << 10
		all, err := Decode(b, part)
		if err != nil && !errors.Is(err, errMalformed) || err != nil && all != nil {
			t.Fatal(all, err)
		}
		var again []byte
		for i := range all {
			if a := &all[i]; a.From > a.To || a.To > part {
				t.Errorf("%+v is beyond the part", a)
			}
			again = all[i].append(again)
		}
		if more, e := Decode(again, part); e != nil || !slices.Equal(more, all) {
			t.Errorf("%+v, %v after %+v", more, e, all)
		}
		Merge([][]Access{all}).Stored(make([]byte, part), make([]byte, part))
	})
}

// What a rank takes from its log is what it has added, with sums of the data; the log is empty then.
func TestTake(t *testing.T) {
	l := NewLog(2)
	data := []byte("0123456789abcdef")
	line := strings.Repeat("x", 300) + ".go:7"
	places := func(yield func(uint64, int) bool) { _ = yield(64, 4) && yield(0, 12) }
	l.Add(1, put.by("PutLayout", line), places, data)
	l.Add(1, swap.by("CompareAndSwap", ""), one(1<<40, 8), nil)
	l.Add(1, read.by("GetAccumulate", "b.go:1"), one(1<<41, 8), nil)
	l.Add(1, put.by("PutLayout", line), one(2, 4), data[:4]) // covered
	want := []Access{
		put.by("PutLayout", line[:255]).at(0, 12), put.by("PutLayout", line[:255]).at(64, 68),
		swap.by("CompareAndSwap", "").at(1<<40, 1<<40+8), read.by("GetAccumulate", "b.go:1").at(1<<41, 1<<41+8),
	}
	want[0].sum, want[0].summed = sumOf(data[4:]), true
	want[1].sum, want[1].summed = sumOf(data[:4]), true
	if got := decoded(t, l.Take(1)); !slices.Equal(got, want) {
		t.Errorf("took %+v, want %+v", got, want)
	}
	if again := l.Take(1); len(again) > 0 {
		t.Errorf("took %d bytes twice", len(again))
	}
}

// Accesses with sums are kept apart, so they have sums only as long as there are few of them.
func TestMostSums(t *testing.T) {
	l := NewLog(1)
	for i := range mostSums + 10 {
		l.Add(0, put.by("Put", "a.go:1"), one(uint64(i), 1), []byte{byte(i)})
	}
	list := decoded(t, l.Take(0))
	summed := 0
	for _, a := range list {
		if a.summed {
			summed++
		}
	}
	if first := list[0]; !first.summed || summed != mostSums-1 || len(list) != mostSums || list[mostSums-1].To != mostSums+10 {
		t.Errorf("%d accesses, %d of them with sums, up to %d", len(list), summed, list[len(list)-1].To)
	}
}

// Of the accesses of several ranks two conflict if a look at all pairs finds two that do.
func TestMergedConflict(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	kinds := []Access{put, get, add, replace, read, swap, other}
	conflicts := 0
	for round := range 5000 {
		told := make([][]Access, 4)
		for range 2 + r.IntN(20) {
			rank, from := r.IntN(len(told)), r.Uint64N(200)
			told[rank] = append(told[rank], kinds[r.IntN(len(kinds))].at(from, from+1+r.Uint64N(12)))
		}
		want := false
		for a := range told {
			for b := range a {
				for i := range told[a] {
					for j := range told[b] {
						x, y := &told[a][i], &told[b][j]
						want = want || x.From < y.To && y.From < x.To && x.Conflicts(y, false)
					}
				}
			}
		}
		all := Merge(told)
		if !slices.IsSortedFunc(all, func(a, b Ranked) int { return cmp.Compare(a.From, b.From) }) {
			t.Fatalf("round %d: not in order", round)
		}
		x, y, found := all.Conflict()
		if found != want || found && (x.Rank == y.Rank || x.From >= y.To || y.From >= x.To || !x.Conflicts(y.Access, false)) {
			t.Fatalf("round %d: %v with %v, %v, want %v", round, x, y, found, want)
		}
		if found {
			conflicts++
		}
	}
	if conflicts < 500 || conflicts > 4500 {
		t.Errorf("%d of 5000 rounds have conflicts", conflicts)
	}
}

// The target notices what it has stored over the data of an access; what has no sum says nothing.
func TestStored(t *testing.T) {
	part := []byte("0123456789")
	l := NewLog(1)
	l.Add(0, put.by("Put", ""), one(2, 3), part[2:5])
	l.Add(0, get.by("Get", ""), one(6, 2), part[6:8])
	l.Add(0, add.by("Accumulate", ""), one(8, 1), nil)
	all := Merge([][]Access{nil, decoded(t, l.Take(0))})
	for i, want := range []string{2: "Put", 3: "Put", 4: "Put", 6: "Get", 7: "Get", 9: ""} {
		now := slices.Clone(part)
		now[i]++
		if a, found := all.Stored(now, nil); found != (want != "") || found && (a.String() != want || a.Rank != 1) {
			t.Errorf("a store to byte %d: %v, %v, want %q", i, a, found, want)
		}
	}
	if a, found := all.Stored(part, nil); found {
		t.Errorf("no store: %v", a)
	}
}

// A store beside a read is noticed by the part as it was before, unless an access changes the same bytes.
func TestStoredBesideReads(t *testing.T) {
	before := []byte("0123456789")
	l := NewLog(1)
	l.Add(0, read.by("FetchAndOp", ""), one(1, 2), nil)
	l.Add(0, add.by("Accumulate", ""), one(4, 3), nil)
	l.Add(0, read.by("FetchAndOp", ""), one(6, 2), nil)
	l.Add(0, read.by("FetchAndOp", ""), one(9, 1), nil)
	all := Merge([][]Access{decoded(t, l.Take(0))})
	for i := range before {
		now := slices.Clone(before)
		now[i]++
		want := i == 1 || i == 2 || i == 9
		if a, found := all.Stored(now, before); found != want {
			t.Errorf("a store to byte %d: %v, %v", i, a, found)
		}
		if a, found := all.Stored(now, nil); found {
			t.Errorf("a store to byte %d of what is not known: %v", i, a)
		}
	}
	if a, found := all.Change(); !found || a.From != 4 {
		t.Errorf("changed by %v, %v", a, found)
	}
	if a, found := Merge([][]Access{{read.at(1, 2), get.at(3, 4)}}).Change(); found {
		t.Errorf("changed by %v", a)
	}
}

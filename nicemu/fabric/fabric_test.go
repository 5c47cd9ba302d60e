package fabric

import (
	"bytes"
	"testing"
)

func heap(t testing.TB, ranks int) *Fabric {
	t.Helper()
	f, err := Heap(ranks, Small())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestHeapIsZeroAndApart(t *testing.T) {
	f := heap(t, 3)
	if f.Ranks() != 3 || f.Geometry() != Small() || f.Job() == 0 || f.Shared() {
		t.Fatalf("%d ranks, job %d", f.Ranks(), f.Job())
	}
	for rank := range 3 {
		for a := range numAreas {
			b := f.Bytes(rank, a)
			if Address(b)%PageBytes != 0 {
				t.Fatalf("area %d of rank %d does not start on a page", a, rank)
			}
			if len(bytes.Trim(b, "\x00")) != 0 {
				t.Fatalf("area %d of rank %d is not zero", a, rank)
			}
			for i := range b {
				b[i] = byte(1 + rank)
			}
		}
	}
	for rank := range 3 {
		for a := range numAreas {
			if b := f.Bytes(rank, a); len(bytes.Trim(b, string(rune(1+rank)))) != 0 {
				t.Fatalf("area %d of rank %d overlaps another", a, rank)
			}
		}
	}
	if n := len(f.Flags()); n != Small().FlagArrays*FlagLines*3*(FlagFront+restLines) {
		t.Fatalf("%d flag lines", n)
	}
	if f.RingStride() < Small().Ring.Size() || f.RingStride()%PageBytes != 0 {
		t.Fatalf("rings are %d bytes apart", f.RingStride())
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if f.Close() == nil {
		t.Fatal("closed twice")
	}
}

func TestOffsetsAreChecked(t *testing.T) {
	f := heap(t, 2)
	b := f.Bytes(1, Control)
	at, n := f.Span(1, Control)
	if off, ok := f.Offset(b[8:16]); !ok || off != at+8 || int(n) != len(b) {
		t.Fatalf("offset %d, %v, want %d", off, ok, at+8)
	}
	if &f.Memory(at+8, 8)[0] != &b[8] {
		t.Fatal("an offset leads elsewhere")
	}
	if _, ok := f.Offset(make([]byte, 8)); ok {
		t.Fatal("foreign memory has an offset")
	}
	size := uint64(len(f.mem))
	for _, c := range [][2]uint64{{size, 1}, {size - 1, 2}, {size + 1, 0}, {^uint64(0), 2}, {8, ^uint64(0)}} {
		if f.Memory(c[0], c[1]) != nil {
			t.Errorf("%d bytes at %d of %d", c[1], c[0], size)
		}
	}
}

// TestMemoryIsWhatMayBeWritten: an address in a peer's table is checked against the memory that
// this process can write, before it tries.
func TestMemoryIsWhatMayBeWritten(t *testing.T) {
	f := heap(t, 3)
	if err := f.Enter(1); err != nil {
		t.Fatal(err)
	}
	front, _ := f.Span(1, Front)
	tables, size := f.Span(1, Device)
	flags, _ := f.FlagSpan()
	public, _ := f.Span(0, Public)
	for _, c := range []struct {
		name  string
		at, n uint64
		ok    bool
	}{
		{"header", headerAt, 8, false},
		{"common", commonAt, 8, true},
		{"from the header on", commonAt - 8, 16, false},
		{"flag arrays", flags, 64, true},
		{"tables of rank 0", uint64(f.tables), 8, false},
		{"none of the tables of rank 0", uint64(f.tables), 0, false},
		{"from the flag arrays into tables", uint64(f.tables) - 8, 16, false},
		{"own tables", front, tables + size - front, true},
		{"from those of rank 0 into the own", front - 8, 16, false},
		{"from the own into those of rank 2", tables + size - 8, 16, false},
		{"from tables into slices", uint64(f.slices) - 8, 16, false},
		{"first slice", public, 8, true},
		{"all slices", public, uint64(len(f.mem)) - public, true},
	} {
		if b := f.Memory(c.at, c.n); (b != nil) != c.ok {
			t.Errorf("%s: %v", c.name, b != nil)
		}
	}
}

func TestLoans(t *testing.T) {
	f := heap(t, 2)
	b := []byte{1}
	if f.Borrow(1, 5) != nil || f.Borrow(1, -1) != nil {
		t.Fatal("borrowed what nobody lent")
	}
	f.Lend(1, 5, b)
	if got := f.Borrow(1, 5); &got[0] != &b[0] || f.Borrow(0, 5) != nil {
		t.Fatal("borrowed something else")
	}
	f.Lend(1, 5, nil)
	if f.Borrow(1, 5) != nil {
		t.Fatal("borrowed after the end of the loan")
	}
}

func TestFirstDecides(t *testing.T) {
	f := heap(t, 1)
	if f.Decide(2) != 2 || f.Decide(1) != 2 {
		t.Fatal("the first proposal does not stand")
	}
}

package seq

import (
	"math/rand/v2"
	"testing"
)

func TestStampsGrow(t *testing.T) {
	var c Clock
	last := Stamp(0)
	for range 10 {
		s := c.Next()
		if s <= last {
			t.Fatalf("stamp %d after %d", s, last)
		}
		last = s
	}
}

func TestWindowFillsAndRefills(t *testing.T) {
	w := NewWindow(4)
	for i := range uint64(4) {
		if !w.Open() || w.Step() != i {
			t.Fatalf("step %d refused or misnumbered", i)
		}
	}
	if w.Open() || w.Credit() != 0 || w.Fits(5) {
		t.Fatal("a full window still gives room")
	}
	if !w.Release(3) || w.Credit() != 3 || w.Release(3) {
		t.Fatalf("after 3 releases: credit %d", w.Credit())
	}
	w.Advance(6)
	if w.Credit() != 1 || w.Empty() || w.Next() != 6 {
		t.Fatalf("%+v", w)
	}
	w.Release(6)
	if !w.Empty() {
		t.Fatalf("%+v is not empty", w)
	}
}

func TestWindowRefusesImpossibleTails(t *testing.T) {
	w := NewWindow(8)
	w.Advance(6)
	w.Release(4)
	for tail, ok := range map[uint64]bool{3: false, 4: true, 6: true, 7: false, 1 << 63: false} {
		if err := w.Check(tail); (err == nil) != ok {
			t.Errorf("tail %d: %v", tail, err)
		}
	}
}

func TestCreditNeverNegative(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := NewWindow(16)
	tail := uint64(0)
	for range 10000 {
		if to := w.Next() + rng.Uint64N(9); w.Fits(to) {
			w.Advance(to)
		}
		if rng.IntN(3) == 0 {
			tail += rng.Uint64N(w.Next() - tail + 1)
			if err := w.Check(tail); err != nil {
				t.Fatal(err)
			}
			w.Release(tail)
		}
		if w.Credit() > 16 {
			t.Fatalf("credit %d of 16", w.Credit())
		}
	}
}

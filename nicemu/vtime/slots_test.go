package vtime

import (
	"math/rand/v2"
	"testing"
)

// TestSlots: a number always refers to the value that was put there last, and memory is reused.
func TestSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s Slots[int]
	want := map[uint64]int{}
	most := 0
	for v := range 5000 {
		i := s.Put(v)
		if _, twice := want[i]; twice {
			t.Fatalf("number %d is given twice", i)
		}
		want[i] = v
		most = max(most, len(want))
		for i, v := range want {
			if *s.At(i) != v {
				t.Fatalf("%d is %d, want %d", i, *s.At(i), v)
			}
			if len(want) > 8 || rng.IntN(4) == 0 {
				if got := s.Take(i); got != v || *s.At(i) != 0 {
					t.Fatalf("%d was %d, want %d; %d is left", i, got, v, *s.At(i))
				}
				delete(want, i)
			}
		}
	}
	if len(s.items) > most {
		t.Errorf("%d places for %d", len(s.items), most)
	}
}

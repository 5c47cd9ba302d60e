package mpi

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpansFindWhatTouches compares touching and around with a search of all guards.
func TestSpansFindWhatTouches(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	var s spans
	var all []*guard
	for step := range 20_000 {
		if len(all) > 0 && rng.IntN(20) >= 10 || len(all) > 30 {
			i := 0 // usually the first one added
			if rng.IntN(3) == 0 {
				i = rng.IntN(len(all))
			}
			s.remove(all[i])
			all = slices.Delete(all, i, i+1)
			continue
		}
		from := uintptr(1000 + rng.IntN(400))
		if rng.IntN(2) == 0 {
			from = 1000 + uintptr(step%50)*8
		}
		g := &guard{owner: new(transfer), from: from, to: from + 1 + uintptr(rng.IntN([]int{1, 8, 8, 100}[rng.IntN(4)]))}
		want := slices.DeleteFunc(slices.Clone(all), func(o *guard) bool { return o.from >= g.to || g.from >= o.to })
		if o := s.touching(g); (o != nil) != (len(want) > 0) || o != nil && !slices.Contains(want, o) {
			t.Fatalf("step %d: %+v touches %+v; want one of %d", step, g, o, len(want))
		}
		got := slices.Collect(s.overlapping(g))
		if slices.ContainsFunc(want, func(o *guard) bool { return !slices.Contains(got, o) }) || len(got) != len(want) {
			t.Fatalf("step %d: around %+v there are %d; want %d", step, g, len(got), len(want))
		}
		s.add(g)
		all = append(all, g)
		if len(s.list) > 4*32 {
			t.Fatalf("step %d: a list of %d for %d", step, len(s.list), len(all))
		}
	}
}

// TestSpansOfOneRequestDoNotTouch: guards of one request may overlap, and around finds
// them.
func TestSpansOfOneRequestDoNotTouch(t *testing.T) {
	var s spans
	p := new(transfer)
	first, second := &guard{owner: p, from: 100, to: 200}, &guard{owner: p, from: 150, to: 160}
	s.add(first)
	if o := s.touching(second); o != nil {
		t.Errorf("touches %+v", o)
	}
	if got := slices.Collect(s.overlapping(second)); len(got) != 1 || got[0] != first {
		t.Errorf("around are %+v", got)
	}
	if o := s.touching(&guard{owner: new(transfer), from: 150, to: 160}); o != first {
		t.Errorf("touches %+v", o)
	}
}

// TestSpansForgetWhatEnds: while one guard stays for long, others that come and go
// leave nothing behind.
func TestSpansForgetWhatEnds(t *testing.T) {
	var s spans
	stays, comes := &guard{owner: new(transfer), from: 8, to: 16}, &guard{owner: new(transfer), from: 16, to: 24}
	s.add(stays)
	for range 10_000 {
		s.add(comes)
		s.remove(comes)
		if o := s.touching(comes); o != nil || len(s.list) > 16 {
			t.Fatalf("touches %+v; a list of %d", o, len(s.list))
		}
	}
	s.remove(stays)
	if len(s.list) > 0 || s.end != 0 || s.last != 0 || s.longest != 0 {
		t.Errorf("empty: %+v", s)
	}
}

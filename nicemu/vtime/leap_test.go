package vtime

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A hopper works at random times, and sometimes has others work. It leaps where it may.
type hopper struct {
	Source
	name   int
	leaps  bool
	rng    *rand.Rand
	others []*hopper
	log    *[]string
	leapt  *int
}

func (h *hopper) Act(op int, _ uint64) {
	for {
		*h.log = append(*h.log, fmt.Sprint(h.Now(), " ", h.name, " ", op))
		if op == 1 { // one poll, requested by another hopper
			return
		}
		if o := h.others[h.rng.IntN(len(h.others))]; h.rng.IntN(3) == 0 {
			o.After(Time(h.rng.IntN(4)), o, 1, 0)
		}
		next := h.Now() + Time(h.rng.IntN(3))
		if h.leaps && h.Leap(next) {
			*h.leapt++
			continue
		}
		h.At(next, h, 0, 0)
		return
	}
}

// hops runs three hoppers, which draw the same numbers, and returns their events and the number of
// leaps of one of them.
func hops(leaps bool, run func(k *Kernel)) (log []string, leapt int, k *Kernel) {
	k = new(Kernel)
	var all []*hopper
	for i := range 3 {
		h := &hopper{Source: k.Source("hopper"), name: i, leaps: leaps, rng: rand.New(rand.NewPCG(1, uint64(i))), log: &log, leapt: &leapt}
		all = append(all, h)
		h.At(Time(5*i), h, 0, 0)
	}
	for _, h := range all {
		h.others = all
	}
	run(k)
	return log, leapt, k
}

// TestLeap: a source that leaps does the same at the same times, in the same order, as one that
// waits for its event, and not beyond the time or the number of events for which the kernel runs.
func TestLeap(t *testing.T) {
	for name, run := range map[string]func(k *Kernel){
		"RunUntil": func(k *Kernel) { k.RunUntil(50); k.RunUntil(200) },
		"Advance":  func(k *Kernel) { k.Advance(37); k.Advance(200); k.RunUntil(200) },
		"Run":      func(k *Kernel) { _ = k.Run(100); _ = k.Run(1) },
	} {
		want, none, a := hops(false, run)
		got, leapt, b := hops(true, run)
		if !slices.Equal(got, want) || a.Done() != b.Done() || a.Now() != b.Now() {
			t.Errorf("%s: with leaps %d events until %v, %v\nwithout %d until %v, %v", name, b.Done(), b.Now(), got, a.Done(), a.Now(), want)
		}
		if none != 0 || leapt < len(got)/20 {
			t.Errorf("%s: %d leaps in %d events", name, leapt, len(got))
		}
	}
	if _, leapt, _ := hops(true, func(k *Kernel) {
		for range 100 {
			k.Step()
		}
	}); leapt != 0 {
		t.Errorf("%d leaps within a step, which is one event", leapt)
	}
}

// TestHalt: Halt ends Advance at a time that an event determines.
func TestHalt(t *testing.T) {
	var k Kernel
	s, ticks := k.Source("s"), 0
	var tick actorFunc
	tick = func(int, uint64) {
		ticks++
		if ticks == 3 {
			k.Halt(45)
		}
		for s.Leap(s.Now() + 10) {
			t.Error("a leap over what is pending")
		}
		s.After(10, tick, 0, 0)
	}
	k.Source("other").At(1000, actorFunc(func(int, uint64) {}), 0, 0)
	s.At(10, tick, 0, 0)
	s.At(10, tick, 0, 0) // one of the two is always pending
	k.Advance(100)
	if k.Now() != 40 || k.Next() != 50 {
		t.Errorf("%d ticks until %v, next at %v", ticks, k.Now(), k.Next())
	}
	k.RunUntil(60)
	if k.Now() != 60 || k.Next() != 70 {
		t.Errorf("%d ticks until %v, next at %v", ticks, k.Now(), k.Next())
	}
}

// TestPast: the events of a source at the present are over when it, or a source of higher rank, has
// had an event, and when the present time is over.
func TestPast(t *testing.T) {
	var k Kernel
	a, b, c := k.Source("a"), k.Source("b"), k.Source("c")
	seen := ""
	look := actorFunc(func(int, uint64) { seen += fmt.Sprint(a.Past(), b.Past(), c.Past(), " ") })
	b.At(5, look, 0, 0)
	a.At(5, look, 0, 0)
	b.At(5, actorFunc(func(int, uint64) { a.At(5, look, 0, 0) }), 0, 0)
	a.At(6, look, 0, 0)
	k.RunUntil(7)
	if want := "true false false true true false true true false true false false "; seen != want {
		t.Errorf("%s; want %s", seen, want)
	}
	if !a.Past() || !c.Past() {
		t.Error("all of the present is over")
	}
	c.At(8, look, 0, 0)
	a.At(8, look, 0, 0)
	if k.Step(); !a.Past() || b.Past() {
		t.Error("the turns of b and c are to come")
	}
}

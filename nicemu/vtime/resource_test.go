package vtime

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestResourceConservation: in any run no unit is granted twice, none is lost, and use is at most
// 1.
func TestResourceConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var k Kernel
		s := k.Source("users")
		units, lines := rapid.IntRange(1, 3).Draw(t, "units"), rapid.IntRange(1, 5).Draw(t, "lines")
		r := NewResource(&k, "r", units, lines, Policy(rapid.IntRange(0, 2).Draw(t, "policy")))
		if rapid.Bool().Draw(t, "bus") {
			units = 1
			r = NewBus(&k, "r", lines, RoundRobin, 7)
		}
		const ask, have, release, used = 0, 1, 2, 3
		holds := make([]Time, 40)
		inUse, finished := 0, 0
		var busy Time
		var user actorFunc
		user = func(op int, i uint64) {
			q := Request{Actor: user, Op: have, Arg: i, Line: int(i) % lines, Priority: int(i) % 3, Direction: int(i) % 2}
			switch op {
			case ask:
				if i%2 == 0 {
					q.Op = used
					r.Use(q, holds[i])
				} else {
					r.Acquire(q)
				}
			case have:
				inUse++
				s.After(holds[i], user, release, i)
			case release:
				inUse--
				finished++
				busy += holds[i]
				r.Release()
			case used:
				finished++
				busy += holds[i]
			}
			u := r.Usage()
			if u.InUse > units || inUse > u.InUse || u.Requests != u.Grants+uint64(u.Waiting) || u.Waiting > 0 && u.InUse < units {
				t.Fatalf("%+v of %d units, %d known to be in use", u, units, inUse)
			}
		}
		for i := range holds {
			holds[i] = Time(rapid.IntRange(0, 100).Draw(t, "hold"))
			s.At(Time(rapid.IntRange(0, 500).Draw(t, "at")), user, ask, uint64(i))
		}
		if err := k.Run(1000); err != nil {
			t.Fatal(err)
		}
		u := r.Usage()
		if finished != len(holds) || u.Grants != uint64(len(holds)) || u.InUse != 0 || u.Waiting != 0 {
			t.Fatalf("%d of %d served, %+v", finished, len(holds), u)
		}
		if use := r.Utilisation(); use < 0 || use > 1 || use*float64(k.Now())*float64(units) < float64(busy)-1 {
			t.Fatalf("utilisation %v of %v for %v of work", use, k.Now(), busy)
		}
	})
}

// TestPolicies: each policy serves waiting requests in its own order.
func TestPolicies(t *testing.T) {
	for policy, want := range map[Policy][]uint64{
		FirstCome:  {0, 1, 2, 3, 4},
		Priority:   {0, 2, 3, 1, 4}, // the first request got it at once
		RoundRobin: {0, 4, 2, 3, 1},
	} {
		var k Kernel
		r := NewResource(&k, "r", 1, 4, policy)
		var got []uint64
		done := actorFunc(func(_ int, arg uint64) { got = append(got, arg) })
		for i, q := range []Request{{Line: 0, Priority: 1}, {Line: 0, Priority: 1}, {Line: 2, Priority: 3}, {Line: 3, Priority: 2}, {Line: 1, Priority: 1}} {
			q.Actor, q.Arg = done, uint64(i)
			r.Use(q, 10)
		}
		if err := k.Run(100); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) || r.Usage().Waited != 0+10+20+30+40 || r.Utilisation() != 1 {
			t.Errorf("policy %d: %v, %+v; want %v", policy, got, r.Usage(), want)
		}
	}
}

// TestRoundRobinGoesRound: round robin continues after the line that was granted last, however many
// requests each line has waiting.
func TestRoundRobinGoesRound(t *testing.T) {
	var k Kernel
	r := NewResource(&k, "r", 1, 3, RoundRobin)
	var got []uint64
	done := actorFunc(func(_ int, line uint64) { got = append(got, line) })
	for line := range 3 {
		for range 3 {
			r.Use(Request{Actor: done, Arg: uint64(line), Line: line}, 10)
		}
	}
	if err := k.Run(100); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []uint64{0, 1, 2, 0, 1, 2, 0, 1, 2}) {
		t.Errorf("lines %v", got)
	}
}

// TestTurnaround: a half-duplex bus that changes its direction takes the turnaround time.
func TestTurnaround(t *testing.T) {
	var k Kernel
	r := NewBus(&k, "pci", 2, FirstCome, 5)
	var ends []Time
	done := actorFunc(func(int, uint64) { ends = append(ends, k.Now()) })
	for _, d := range []int{0, 1, 1, 0} {
		r.Use(Request{Actor: done, Direction: d}, 10)
	}
	granted := Time(-1)
	r.Acquire(Request{Actor: actorFunc(func(int, uint64) { granted = k.Now() }), Direction: 1})
	if err := k.Run(100); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ends, []Time{10, 25, 35, 50}) || granted != 55 {
		t.Errorf("transfers end at %v, the last is granted at %v", ends, granted)
	}
}

func TestWrongUseOfResources(t *testing.T) {
	var k Kernel
	r := NewResource(&k, "r", 1, 2, FirstCome)
	mustPanic(t, notHeld, r.Release)
	mustPanic(t, noSuchLine, func() { r.Acquire(Request{Line: 2}) })
	mustPanic(t, noSuchLine, func() { r.Acquire(Request{Line: -1}) })
	mustPanic(t, noUnits, func() { NewResource(&k, "r", 0, 1, FirstCome) })
	mustPanic(t, noRoom, func() { NewFIFO[int](&k, "f", 0) })
}

// TestFIFO: a queue keeps order and bound, and wakes one waiter for each change.
func TestFIFO(t *testing.T) {
	var k Kernel
	f := NewFIFO[int](&k, "f", 2)
	var woken []uint64
	wake := actorFunc(func(_ int, arg uint64) { woken = append(woken, arg) })
	f.WhenEntry(wake, 0, 1)
	f.WhenEntry(wake, 0, 2)
	for i, want := range []bool{true, true, false} {
		if f.Put(i) != want {
			t.Fatalf("Put %d is %v", i, !want)
		}
	}
	f.WhenRoom(wake, 0, 3)
	if v, ok := f.Peek(); v != 0 || !ok || f.Len() != 2 || f.Bound() != 2 || f.Puts() != 2 {
		t.Errorf("Peek %d, %v of %d", v, ok, f.Len())
	}
	k.RunUntil(10)
	if !slices.Equal(woken, []uint64{1, 2}) {
		t.Errorf("woken %v", woken)
	}
	for i := range 2 {
		if v, ok := f.Get(); v != i || !ok {
			t.Errorf("Get %d, %v", v, ok)
		}
	}
	if _, ok := f.Get(); ok {
		t.Error("Get from an empty queue")
	}
	if _, ok := f.Peek(); ok {
		t.Error("Peek into an empty queue")
	}
	f.WhenRoom(wake, 0, 4) // there is room: now
	k.RunUntil(20)
	if !slices.Equal(woken, []uint64{1, 2, 3, 4}) || f.Depth().Mean(20) != 1 || f.Depth().Most() != 2 {
		t.Errorf("woken %v, mean depth %v", woken, f.Depth().Mean(20))
	}
}

// TestWorldConservation: for any modules, entries taken from the queue were put there before, and
// the times in states add up to the whole time.
func TestWorldConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(&testing.T{}, rapid.Uint64().Draw(t, "seed"), rapid.IntRange(2, 8).Draw(t, "parts"), Policy(rapid.IntRange(0, 2).Draw(t, "policy")))
		w.k.RunUntil(20 * Microsecond)
		if w.made != w.eaten+uint64(w.fifo.Len()) || w.made != w.fifo.Puts() || w.made == 0 {
			t.Fatalf("%d made, %d eaten, %d between", w.made, w.eaten, w.fifo.Len())
		}
		for _, p := range w.parts {
			all := Time(0)
			for s := range p.States() {
				all += p.Spent(s)
			}
			if all != w.k.Now() || p.Entered(p.State()) == 0 && p.State() != resting {
				t.Fatalf("%s: states last %v of %v", p.Name(), all, w.k.Now())
			}
		}
		if u := w.bus.Utilisation(); u <= 0 || u > 1 {
			t.Fatalf("utilisation %v", u)
		}
	})
}

// TestMeter: a meter's integral is exact where 64 bits are not enough.
func TestMeter(t *testing.T) {
	var m Meter
	m.Set(0, math.MaxInt32)
	m.Add(Never/2, -math.MaxInt32)
	if got := m.Integral(Never); got != math.MaxInt32*float64(Never/2) || m.Level() != 0 || m.Mean(0) != 0 {
		t.Errorf("integral %v", got)
	}
}

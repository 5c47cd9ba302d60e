package stepped

import (
	"math/rand/v2"
	"testing"

	"rhinet/nicemu/martini"
)

// TestEveryTransitionIsTaken checks that the machine makes every transition of the tables.
func TestEveryTransitionIsTaken(t *testing.T) {
	var taken [Modules][States][Conds]bool
	watch := func(o Options) Options {
		o.Observe = func(e Event) {
			if e.On != Stay {
				taken[e.Module][e.From][e.On] = true
			}
		}
		return o
	}
	for i, o := range []Options{{TLB: Geometry{1, 1}}, {Direct: true}, {Timeout: 2}} {
		rng := rand.New(rand.NewPCG(11, uint64(i)))
		newPair(t, watch(o), rng.IntN).drive(1500)
	}
	for _, o := range []RingOptions{{}, {Hardware: true}} {
		w := newWorld(t, 2, 1, watch(Options{}))
		ring := ringOf(t, w, 1, 2, o)
		for range 3 {
			w.must(w.m.Push(0, 0, martini.Request{Node: 1, Segment: VPushSegment, Flag: 1}, w.areas[0][:100]))
			ring.Release(len(ring.Next()))
		}
	}
	bothPush(t, watch(Options{Timeout: 20}))
	step := 1
	if raceDetector {
		step = 3
	}
	for wait := 0; wait < 150; wait += step { // withdrawals at any moment, at either end
		for _, pull := range []bool{false, true} {
			for end := range 2 {
				withdraw(t, watch(Options{}), wait, pull, end)
			}
		}
	}
	if err := lost(t, watch(Options{})); err != nil {
		t.Fatal(err)
	}
	for m := range Modules {
		for _, e := range Tables(m) {
			if !taken[m][e.From][e.On] && m != SRAMDMAC { // SRAM is not yet a master of any transfer
				t.Errorf("%v: %v to %v when %q is never taken", m, e.From, e.To, e.On)
			}
		}
	}
}

// bothPush has both nodes push to each other and pull from one that is delayed.
func bothPush(t *testing.T, o Options) {
	w := newWorld(t, 2, 8, o)
	if err := w.m.Break(1, RBend, CHK1); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		if _, err := w.m.Push(0, i, martini.Request{Node: 1, Segment: w.seg[1]}, w.areas[0]); err != nil {
			t.Fatal(err)
		}
		if _, err := w.m.Pull(1, i, martini.Request{Node: 0, Segment: w.seg[0]}, w.areas[1]); err != nil {
			t.Fatal(err)
		}
	}
	for range 3000 {
		w.m.Step()
	}
	w.m.ClearBreak(1, RBend)
	if err := w.m.Resume(1, RBend, CHK1); err != nil {
		t.Fatal(err)
	}
	w.run()
}

// withdraw withdraws the memory of one end after some steps.
func withdraw(t *testing.T, o Options, wait int, pull bool, end int) {
	w := newWorld(t, 2, 2, o)
	kick := w.m.Push
	if pull {
		kick = w.m.Pull
	}
	if _, err := kick(0, 0, martini.Request{Node: 1, Segment: w.seg[1], Flag: 1}, w.areas[0][:6000]); err != nil {
		t.Fatal(err)
	}
	for range wait {
		w.m.Step()
	}
	if err := w.nics[end].Conceal(w.seg[end]); err != nil {
		t.Fatal(err)
	}
	w.run()
}

// lost writes to AOTF pages with and without a header.
func lost(t *testing.T, o Options) error {
	w := newWorld(t, 1, 1, o)
	if err := w.nics[0].RegisterHeader(0, martini.Header{Segment: w.seg[0]}); err != nil {
		return err
	}
	for page := range uint32(2) {
		if err := w.m.WriteAOTF(0, page*pageBytes, 1); err != nil {
			return err
		}
	}
	w.run()
	return nil
}

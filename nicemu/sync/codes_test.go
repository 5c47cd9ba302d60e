package sync

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/nicemu/syncctl"
)

// An implementation is the same sequence of codes in this package and in the model: RBCQ-1 with its
// central controller.
type implementation struct {
	codes   []*Codes
	model   *syncctl.RBCQ
	waiting []bool
	ended   []bool
}

func newSide(t testing.TB, n []*NIC, sequence int, base uint64) *implementation {
	w := &implementation{model: syncctl.NewRBCQ(len(n)), waiting: make([]bool, len(n)), ended: make([]bool, len(n))}
	members := make([]int, len(n))
	for i := range members {
		members[i] = i
	}
	for _, nic := range n {
		c, err := nic.Codes(sequence, members, base)
		if err != nil {
			t.Fatal(err)
		}
		w.codes = append(w.codes, c)
	}
	return w
}

// execute has a node execute a code in both, which must agree on whether it may, and returns the
// nodes that the model releases.
func (w *implementation) execute(t testing.TB, node, setD int) (released []int) {
	err, modelErr := w.codes[node].Wait(setD, uint32(setD)), w.model.Wait(node, setD)
	if (err == nil) != (modelErr == nil) {
		t.Fatalf("node %d, Set_d %d: %v; the model says %v", node, setD, err, modelErr)
	}
	if err != nil {
		return nil
	}
	w.waiting[node], w.ended[node] = true, setD == syncctl.Never
	for {
		gone, changed := w.model.Step()
		if !changed {
			slices.Sort(released)
			return released
		}
		released = append(released, gone...)
	}
}

// look has the waiting nodes poll for PE Go, in some order, until none gets it any more.
func (w *implementation) look(order []int) (released []int) {
	for _, i := range order {
		if w.waiting[i] && w.codes[i].Go() {
			w.waiting[i] = false
			released = append(released, i)
		}
	}
	slices.Sort(released)
	return released
}

// TestDifferential: more than a hundred thousand codes, of random Set_d, in random order, too
// early, after the last one and with an invalid Set_d, get PE Go exactly when the model's central
// controller gives it.
func TestDifferential(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 15))
	operations, early, refused := 0, 0, map[Reason]int{}
	for job := range 60 {
		_, n := open(t, 1+rng.IntN(9))
		base := uint64(1)
		for sequence := range Sequences {
			w := newSide(t, n, sequence, base+rng.Uint64N(5))
			limit := 20 + rng.IntN(400)
			for op := range limit {
				operations++
				node, setD := rng.IntN(len(n)), 1+rng.IntN(1+rng.IntN(6))
				switch rng.IntN(60) {
				case 0:
					setD = []int{0, -2, 1 << 16, 1 << 40, -1 << 40}[rng.IntN(5)]
				case 1:
					setD = 1<<16 - 1
				case 2:
					if op > limit/2 {
						setD = syncctl.Never
					}
				}
				before := w.codes[node].Next()
				released := w.execute(t, node, setD)
				if w.codes[node].Next() == before {
					for r := range numReasons {
						if own, _ := n[node].Refused(r); own > 0 {
							refused[r]++
						}
					}
				}
				if w.waiting[node] && !slices.Contains(released, node) {
					early++
				}
				if got := w.look(rng.Perm(len(n))); !slices.Equal(got, released) {
					wait, head, counter := w.model.State()
					t.Fatalf("job %d, sequence %d, operation %d: nodes %v go, the model's %v\nWait %s, BQ-Head %s, Counter %s", job, sequence, op, got, released, wait, head, counter)
				}
				w.sameCounters(t)
			}
		}
	}
	if operations < 100_000 || early < operations/10 {
		t.Errorf("%d operations, %d codes too early", operations, early)
	}
	for _, why := range []Reason{Waiting, Ended, WrongSkip} {
		if refused[why] < 100 {
			t.Errorf("%v: %d times", why, refused[why])
		}
	}
}

// sameCounters checks that Counter of each node, as it follows from the nodes' places, is that of
// the model: the distance of its next participation from the head. A node that waits already shows
// its next place.
func (w *implementation) sameCounters(t testing.TB) {
	t.Helper()
	next := func(i int) uint64 {
		if w.waiting[i] {
			return w.codes[i].at
		}
		return w.codes[i].Next()
	}
	head := uint64(ended)
	for i := range w.codes {
		head = min(head, next(i))
	}
	for i := range w.codes {
		want := int(next(i) - head)
		if next(i) == ended {
			want = syncctl.Never
		}
		if got := w.model.Counter(i); got != want && head != ended {
			t.Fatalf("Counter of node %d is %d, and %d in the model", i, want, got)
		}
	}
}

// TestWorkedExample: the example of sync-controller, section 7.4, event by event.
func TestWorkedExample(t *testing.T) {
	_, n := open(t, 4)
	w := newSide(t, n, 0, 1)
	for i, e := range []struct {
		node, setD int
		goes       []int
	}{
		{2, 2, []int{2}}, {0, 1, []int{0}}, {0, 2, nil}, {3, 2, []int{3}}, {2, 1, nil}, {1, 1, []int{0, 1}}, {1, 1, []int{1, 2}},
		{1, 2, []int{1}}, {3, 2, []int{3}}, {0, 1, []int{0}}, {2, 1, []int{2}}, {0, syncctl.Never, []int{0}},
		{1, syncctl.Never, []int{1}}, {3, syncctl.Never, []int{3}}, {2, syncctl.Never, []int{2}},
	} {
		if model, got := w.execute(t, e.node, e.setD), w.look([]int{0, 1, 2, 3}); !slices.Equal(got, e.goes) || !slices.Equal(model, e.goes) {
			t.Errorf("event %d: nodes %v go, %v in the model, want %v", i+1, got, model, e.goes)
		}
	}
}

// TestReuse: a sequence continues at a place after its earlier uses, with other members, and an old
// code releases nobody; a sequence that has ended is not opened again.
func TestReuse(t *testing.T) {
	_, n := open(t, 3)
	pair := func(base uint64, members ...int) (all []*Codes) {
		for _, m := range members {
			c, err := n[m].Codes(3, members, base)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		return all
	}
	first := pair(1, 0, 1)
	for range 5 {
		for _, c := range first {
			if err := c.Wait(1, 0); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range first {
			if !c.Go() {
				t.Fatal("no PE Go")
			}
		}
	}
	if _, err := n[0].Codes(3, []int{0, 2}, first[0].Next()); !errors.Is(err, PastPlace) {
		t.Error(err)
	}
	next := pair(first[0].Next()+1, 0, 2)
	for i := range 2 {
		if err := next[0].Wait(1, 0); err != nil {
			t.Fatal(err)
		}
		if got := next[0].Go(); got != (i == 0) {
			t.Errorf("code %d: PE Go is %v before the other has come", i, got)
		}
	}
	if err := next[1].Wait(syncctl.Never, 0); err != nil || !next[1].Go() || !next[0].Go() {
		t.Error("no PE Go", err)
	}
	if _, err := n[2].Codes(3, []int{0, 2}, 1<<40); !errors.Is(err, PastPlace) {
		t.Error(err)
	}
}

// TestMarks: a node that has passed a code sees the marks of all members at the previous place,
// also of members that have advanced as far as they can.
func TestMarks(t *testing.T) {
	_, n := open(t, 3)
	members := []int{0, 1, 2}
	for round := range uint64(12) {
		var all []*Codes
		for _, nic := range n {
			c, err := nic.Codes(int(round), members, 7+round)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c)
		}
		step := func(i int, mark uint64) bool {
			if err := all[i].Wait(1, uint32(mark)); err != nil {
				t.Fatal(err)
			}
			return all[i].Go()
		}
		for place := range round + 1 { // in step
			for i := range all {
				step(i, 100*place+uint64(i))
			}
			for i := range all {
				all[i].Go()
			}
		}
		for _, c := range []struct {
			node int
			goes bool
		}{{0, true}, {1, true}, {2, true}, {1, true}, {1, false}} {
			if got := step(c.node, 0); got != c.goes {
				t.Fatalf("round %d: PE Go of node %d is %v", round, c.node, got)
			}
		}
		for other, ahead := range []bool{true, false} { // node 1 has reached the place of node 0's next code
			if _, ok := all[0].Ahead(other); ok != ahead {
				t.Errorf("round %d: node %d is ahead of node 0: %v", round, other+1, ok)
			}
		}
		for other := range 2 {
			if mark, ok := all[0].Mark(other); !ok || uint64(mark) != 100*round+uint64(other)+1 {
				t.Fatalf("round %d: mark %d of node %d, %v", round, mark, other+1, ok)
			}
		}
		if _, ok := all[0].Mark(2); ok {
			t.Error("a mark of nobody")
		}
		all[1].line[codeMarks+(all[0].at-1)%codeKept] = 5 // of another place
		if _, ok := all[0].Mark(0); ok {
			t.Error("a mark of another place")
		}
	}
}

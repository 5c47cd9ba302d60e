package timed

import (
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/models"
	"rhinet/nicemu/timed"
	"rhinet/nicemu/vtime"
)

// controllers opens the translators of a network with barrier controllers, and returns their Controllers with
// them.
func controllers(t *testing.T, peers int) (ts []*Translator, all []ir.Controller) {
	t.Helper()
	choice, err := models.Parse("sync")
	if err != nil {
		t.Fatal(err)
	}
	f := job(t, peers, true, func(k *vtime.Kernel) (medium.Model, error) { return choice.New(k, peers) })
	for i := range peers {
		tr, err := Open(f, i, martini.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ts = append(ts, tr)
		all = append(all, ir.AbilitiesOf(tr.limited()).Controller)
	}
	return ts, all
}

// TestCodes: a code is passed when all have executed the one before; then the marks of these are known, and
// nothing before.
func TestCodes(t *testing.T) {
	ts, all := controllers(t, 3)
	peers := [][]int{{2}, nil, {0}}
	var cs [3]ir.Codes
	for _, p := range []int{0, 2} {
		c, err := all[p].Sequence(5, peers[p], 10)
		if err != nil {
			t.Fatal(err)
		}
		if cs[p] = c; !c.Go() || c.Next() != 10 {
			t.Errorf("peer %d: %v, place %d", p, c.Go(), c.Next())
		}
	}
	passed := func(p int) {
		t.Helper()
		for !cs[p].Go() {
			var ev ir.Event
			if ts[p].Poll(&ev) {
				t.Fatalf("peer %d: %+v", p, ev)
			}
		}
	}
	for place := range uint32(6) {
		for _, p := range []int{0, 2} {
			cs[p].Code(place*10 + uint32(p))
			if cs[p].Go() || cs[p].Next() != 11+uint64(place) {
				t.Errorf("peer %d, code %d: passed at once, or place %d", p, place, cs[p].Next())
			}
			if _, ahead := cs[p].Ahead(2 - p); ahead {
				t.Error("ahead")
			}
		}
		for _, p := range []int{0, 2} {
			passed(p)
			other := 2 - p
			mark, ok := cs[p].Mark(other)
			if ok != (place > 0) || ok && mark != (place-1)*10+uint32(other) {
				t.Errorf("peer %d, code %d: mark %d, %v", p, place, mark, ok)
			}
			if _, ok := cs[p].Mark(1); ok {
				t.Error("the mark of a peer that is no member")
			}
		}
	}
	for name, open := range map[string]func() (ir.Codes, error){
		"a sequence that is none": func() (ir.Codes, error) { return all[1].Sequence(all[1].Sequences(), []int{0}, 1) },
		"sequence -1":             func() (ir.Codes, error) { return all[1].Sequence(-1, []int{0}, 1) },
		"a peer that is none":     func() (ir.Codes, error) { return all[1].Sequence(0, []int{3}, 1) },
		"peer -1":                 func() (ir.Codes, error) { return all[1].Sequence(0, []int{-1}, 1) },
		"a peer twice":            func() (ir.Codes, error) { return all[1].Sequence(0, []int{0, 0}, 1) },
		"the peer itself":         func() (ir.Codes, error) { return all[1].Sequence(0, []int{0, 1}, 1) },
		"place 0":                 func() (ir.Codes, error) { return all[1].Sequence(0, []int{0}, 0) },
	} {
		if _, err := open(); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}

// TestForgedPass: a report that a code is passed is dropped if it is for another sequence, for one that has
// begun anew, or with another number of marks than there are members.
func TestForgedPass(t *testing.T) {
	ts, all := controllers(t, 2)
	c, err := all[0].Sequence(1, []int{1}, 10)
	if err != nil {
		t.Fatal(err)
	}
	c.Code(1)
	for _, m := range []timed.Message{
		{Head: [3]uint64{1 << 40, 3, 10}, Data: make([]byte, 8)}, {Head: [3]uint64{2, 3, 10}, Data: make([]byte, 8)}, {Head: [3]uint64{1, 3, 9}, Data: make([]byte, 8)},
		{Head: [3]uint64{1, 1, 10}, Data: make([]byte, 8)}, {Head: [3]uint64{1, 3, 10}, Data: make([]byte, 4)},
	} {
		m.Kind = timed.Passed
		if ts[0].pass(&m); c.Go() {
			t.Errorf("%+v", m)
		}
	}
}

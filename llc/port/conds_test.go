package port

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Of many conditions a pass looks at few, but at each one within so many passes; at all those that hold one after the
// other from the first on, and in the last pass before a sleep at all.
func TestFewOfManyConditionsAreLookedAt(t *testing.T) {
	const n = 500
	p := open(t, 1)[0]
	withoutHelper(t, p)
	looks, holds, all := 0, make([]bool, n), make([]*script, n)
	for i := range all {
		s := &script{p: p}
		s.Work, all[i] = s, s
		if p.When(&s.Task, nil, func() bool { looks++; return holds[i] }) {
			t.Fatal("a condition holds that does not")
		}
	}
	pass := func() (looked int) {
		p.gate.enter()
		defer p.gate.leave()
		looks = 0
		p.tasks.conds.look(p)
		return looks
	}
	isDue := func(i int) bool { return all[i].state == taskDue }
	due := func() (so []int) {
		for i := range all {
			if isDue(i) {
				so = append(so, i)
			}
		}
		return so
	}
	rng := rand.New(rand.NewPCG(1, 2))
	want := []int{}
	for range 20 { // some out of order
		i := rng.IntN(n)
		holds[i] = true
		for passes := 0; !isDue(i); passes++ {
			if looked := pass(); looked > firstLooks+turnLooks+1 {
				t.Fatalf("a pass has looked at %d conditions", looked)
			} else if passes > n/turnLooks+1 {
				t.Fatalf("condition %d is not looked at", i)
			}
		}
		if !slices.Contains(want, i) {
			want = append(want, i)
		}
	}
	slices.Sort(want)
	if got := due(); !slices.Equal(got, want) {
		t.Fatalf("due are %v, want %v", got, want)
	}
	for i := range 100 {
		holds[i] = true
	}
	if pass(); slices.ContainsFunc(all[:100], func(s *script) bool { return s.state != taskDue }) {
		t.Error("not all of the first ones that hold are due")
	}
	left := n - len(due())
	p.set(last)
	if looked := pass(); looked != left {
		t.Errorf("the last pass has looked at %d conditions of %d", looked, left)
	}
	for i := range holds {
		holds[i] = true
	}
	if pass(); len(due()) != n || p.tasks.conds != (conds{}) {
		t.Errorf("%d are due in the end; left over %v", len(due()), p.tasks.conds)
	}
	p.clear(last)
	for _, s := range all {
		inTime(t, "Join", func() { p.Join(&s.Task, "") })
	}
}

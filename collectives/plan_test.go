package collectives

import "testing"

// TestPlansFitTheirCallsOnly: a plan is not used for a call with other counts or
// displacements.
func TestPlansFitTheirCallsOnly(t *testing.T) {
	same := []int{1, 2}
	whole := func() *Call { return &Call{SendCounts: same, SendDispls: same, RecvCounts: same, RecvDispls: same} }
	for _, kind := range []Kind{Gatherv, Scatterv, Allgatherv, Alltoallv, ReduceScatter} {
		s := shape{kind: kind, elem: 8}
		p := &plan{shape: s, scounts: same, sdispls: same, rcounts: same, rdispls: same}
		if !p.fits(s, whole()) {
			t.Errorf("%v: the plan does not fit its own call", kind)
		}
		for name, change := range map[string]func(*Call){
			"send counts": func(c *Call) { c.SendCounts = []int{1, 3} },
			"send displs": func(c *Call) { c.SendDispls = []int{0, 2} },
			"recv counts": func(c *Call) { c.RecvCounts = []int{2, 2} },
			"recv displs": func(c *Call) { c.RecvDispls = nil },
		} {
			c := whole()
			if change(c); p.fits(s, c) {
				t.Errorf("%v: the plan fits other %s", kind, name)
			}
		}
		other := s
		if other.elem = 4; p.fits(other, whole()) {
			t.Errorf("%v: the plan fits other elements", kind)
		}
	}
}

// Data that a schedule combines next is received with opRecvFold, and other data is
// not.
func TestReceivesOfOperands(t *testing.T) {
	count := func(size, rank int, c Call, o Options) (folded, plain int) {
		g := mustGroup(t, newFake(rank, size), o)
		s, _, _, err := g.check(&c)
		if err != nil {
			t.Fatal(err)
		}
		for _, st := range g.plan(s, &c).sched.steps {
			switch st.op {
			case opRecvFold:
				folded++
			case opRecv:
				plain++
			}
		}
		return folded, plain
	}
	buf := func() []byte { return make([]byte, 64*kib) }
	for _, c := range []struct {
		name          string
		size, rank    int
		call          Call
		o             Options
		folded, plain int
	}{
		{"binomial tree", 4, 0, Call{Kind: Reduce, Reducer: sum{}, Send: buf(), Recv: buf()}, force("reduce=binomial"), 2, 0},
		{"leaf of it", 4, 1, Call{Kind: Reduce, Reducer: sum{}, Send: buf()}, force("reduce=binomial"), 0, 0},
		{"not at rank 0", 4, 1, Call{Kind: Reduce, Root: 1, Reducer: left{}, Send: buf(), Recv: buf()}, force("reduce=binomial"), 0, 1},
		{"two that exchange", 2, 0, Call{Kind: Allreduce, Reducer: sum{}, Send: buf(), Recv: buf()}, force("allreduce=recursive-doubling"), 1, 0},
		{"ring of four", 4, 2, Call{Kind: Allreduce, Reducer: sum{}, Send: buf(), Recv: buf()}, force("allreduce=ring"), 3, 3},
		{"no reduction", 4, 1, Call{Kind: Bcast, Recv: buf()}, force("bcast=binomial"), 0, 1},
	} {
		if folded, plain := count(c.size, c.rank, c.call, c.o); folded != c.folded || plain != c.plain {
			t.Errorf("%s: %d receives of operands and %d others, want %d and %d", c.name, folded, plain, c.folded, c.plain)
		}
	}
}

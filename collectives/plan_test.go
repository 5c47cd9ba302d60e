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

// A call that moves only parts from a length on has neither transfers nor copies of
// shorter ones, and the same transfers on both sides.
func TestPartsThatTravelAnotherWay(t *testing.T) {
	const size, least = 5, 4
	length := func(from, to int) int { return (from*3 + to*2) % 8 }
	for _, kind := range []Kind{Gatherv, Scatterv, Alltoallv} {
		for _, inPlace := range []bool{false, true} {
			var sent, received [size][size]int
			for rank := range size {
				c := Call{Kind: kind, Elem: 1, Least: least, Root: 2}
				for i := range size {
					c.SendCounts, c.RecvCounts = append(c.SendCounts, length(rank, i)), append(c.RecvCounts, length(i, rank))
				}
				send, recv := make([]byte, 8*size), make([]byte, 8*size)
				switch {
				case kind == Gatherv && rank != c.Root || kind == Gatherv && !inPlace:
					send = send[:length(rank, c.Root)]
				case kind == Scatterv && rank != c.Root || kind == Scatterv && !inPlace:
					recv = recv[:length(c.Root, rank)]
				case inPlace:
					send = recv
				}
				if c.Send, c.Recv = send, recv; kind == Alltoallv && inPlace {
					c.SendCounts = c.RecvCounts
				}
				g := mustGroup(t, newFake(rank, size), Options{})
				s, _, _, err := g.check(&c)
				if err != nil {
					t.Fatal(err)
				}
				s.prepared = true
				for _, st := range g.plan(s, &c).sched.steps {
					switch st.op {
					case opSend:
						sent[rank][st.peer] = st.a.n
					case opRecv:
						received[st.peer][rank] = st.a.n
					}
					if st.op != opWait && st.a.n < least {
						t.Errorf("%v, in place %t, rank %d: a step of %d bytes", kind, inPlace, rank, st.a.n)
					}
				}
			}
			for from := range size {
				for to := range size {
					want := 0
					if n := length(from, to); n >= least && from != to && (kind == Alltoallv || kind == Gatherv && to == 2 || kind == Scatterv && from == 2) {
						want = n
					}
					if kind == Alltoallv && inPlace {
						continue // its lengths would have to be those of both directions
					}
					if sent[from][to] != want || received[from][to] != want {
						t.Errorf("%v, in place %t: %d bytes sent from %d to %d, %d received, want %d", kind, inPlace, sent[from][to], from, to, received[from][to], want)
					}
				}
			}
		}
	}
}

// A rank that leaves out a prepared call gives the next one the same tag as the others.
func TestTagsOfCallsThatAreLeftOut(t *testing.T) {
	a, b := mustGroup(t, newFake(0, 2), Options{}), mustGroup(t, newFake(1, 2), Options{})
	for range 3 {
		c := Call{Kind: Gatherv, Elem: 1, RecvCounts: []int{2, 2}, Send: make([]byte, 2), Recv: make([]byte, 4)}
		o, err := a.Prepare(c)
		if err != nil {
			t.Fatal(err)
		}
		if tag := b.Omit(); tag != o.Tag() {
			t.Errorf("tag %d, and %d where it is left out", o.Tag(), tag)
		}
		p, err := b.Prepare(c)
		if err != nil {
			t.Fatal(err)
		}
		if tag := a.Omit(); tag != p.Tag() || tag == o.Tag() {
			t.Errorf("tag %d, and %d where it is left out, after %d", p.Tag(), tag, o.Tag())
		}
	}
}

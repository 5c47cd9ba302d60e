package collectives

import "testing"

// TestPlansFitTheirCallsOnly: a plan is not used for a call of other counts or places.
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

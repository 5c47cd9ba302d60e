package collectives

import "slices"

// A plan is a schedule together with everything that it was built for.
type plan struct {
	shape
	scounts, sdispls, rcounts, rdispls []int

	row   *row
	sched *schedule
}

// planCount is how many plans a group remembers.
const planCount = 16

// A planCache holds the last plans of a group; the oldest is replaced by the next one.
// hot is the last one used of each kind.
type planCache struct {
	plans [planCount]*plan
	hot   [numKinds]*plan
	next  int
}

func (p *plan) fits(s shape, c *Call) bool {
	if p == nil || p.shape != s {
		return false
	}
	switch s.kind {
	case Gatherv, Scatterv, Allgatherv, Alltoallv, ReduceScatter:
		return slices.Equal(p.scounts, c.SendCounts) && slices.Equal(p.sdispls, c.SendDispls) &&
			slices.Equal(p.rcounts, c.RecvCounts) && slices.Equal(p.rdispls, c.RecvDispls)
	}
	return true
}

// plan returns a plan for a checked call, from the cache if it was built before.
func (g *Group) plan(s shape, c *Call) *plan {
	pc := &g.plans
	if p := pc.hot[s.kind]; p.fits(s, c) {
		return p
	}
	for _, p := range pc.plans {
		if p.fits(s, c) {
			pc.hot[s.kind] = p
			return p
		}
	}
	p := g.build(s, c)
	pc.plans[pc.next] = p
	pc.next = (pc.next + 1) % planCount
	pc.hot[s.kind] = p
	return p
}

// build chooses a row and lets it build its schedule.
func (g *Group) build(s shape, c *Call) *plan {
	p := &plan{shape: s, scounts: slices.Clone(c.SendCounts), sdispls: slices.Clone(c.SendDispls),
		rcounts: slices.Clone(c.RecvCounts), rdispls: slices.Clone(c.RecvDispls)}
	b := &builder{shape: s, rank: g.rank, size: g.size, width: g.width, exchangeMax: g.exchangeMax, switchMax: g.switchMax, hosts: g.hosts, plain: g.plain,
		scounts: p.scounts, sdispls: p.sdispls, rcounts: p.rcounts, rdispls: p.rdispls}
	p.row = g.choose(s)
	p.row.build(b)
	b.wait()
	b.sched.steps = slices.Clip(b.sched.steps)
	p.sched = &b.sched
	return p
}

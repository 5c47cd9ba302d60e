package mpi

import (
	"fmt"
	"slices"
)

// A Group is an ordered set of processes, each of which has a rank in it. It does not
// change and may be used by many goroutines. A nil Group is empty (MPI_GROUP_EMPTY).
// The garbage collector frees it.
//
// MPI 4.1, section 7.3.
type Group struct {
	members []int32 // world ranks
	own     int32   // world rank of this process
	w       *world
	session *Session // where it comes from; nil: the world
}

// A Comparison says how much two groups or communicators are alike.
//
// MPI 4.1, sections 7.3.1 and 7.4.1.
type Comparison uint8

// The comparisons.
const (
	Ident     Comparison = iota // the same; of communicators, the same object
	Congruent                   // communicators of the same ranks in the same order
	Similar                     // the same processes in another order
	Unequal
)

// String returns the name of the comparison.
func (c Comparison) String() string {
	if c <= Unequal {
		return [...]string{"Ident", "Congruent", "Similar", "Unequal"}[c]
	}
	return fmt.Sprintf("comparison %d", uint8(c))
}

// Group returns the group of c, the local one if c is an inter-communicator: see
// [Comm.RemoteGroup].
//
// MPI 4.1, section 7.3.2 (MPI_Comm_group).
func (c *Comm) Group() (_ *Group, err error) {
	defer c.raised(&err)
	if err := c.alive(at("Group")); err != nil {
		return nil, err
	}
	if c.inter != nil {
		return c.inter.group(c.inter.own), nil
	}
	return c.group(span{0, c.size}), nil
}

// group returns the group of some ranks of c.
func (c *core) group(of span) *Group {
	g := &Group{members: make([]int32, of.n), own: int32(c.w.Rank), w: c.w, session: c.session}
	for i := range g.members {
		g.members[i] = int32(c.global(of.from + i))
	}
	return g
}

// list returns the members of a group that may be nil.
func (g *Group) list() []int32 {
	if g == nil {
		return nil
	}
	return g.members
}

// isNull reports whether g is nil or a zero Group: an empty group of no world.
func (g *Group) isNull() bool { return g == nil || g.w == nil }

// with returns a group of other members.
func (g *Group) with(members []int32, o *Group) *Group {
	if g.isNull() {
		g = o
	}
	if g.isNull() {
		return nil
	}
	made := *g
	made.members = members
	return &made
}

// Size returns the number of processes of g.
//
// MPI 4.1, section 7.3.1.
func (g *Group) Size() int { return len(g.list()) }

// Rank returns the rank of the calling process in g, or Undefined.
//
// MPI 4.1, section 7.3.1.
func (g *Group) Rank() int {
	if g.isNull() {
		return Undefined
	}
	return g.find(g.own)
}

// find returns the rank of a world rank, or Undefined.
func (g *Group) find(p int32) int {
	if i := slices.Index(g.list(), p); i >= 0 {
		return i
	}
	return Undefined
}

// Translate returns the ranks in to of the processes with the given ranks in g:
// Undefined for those that are not in to, and ProcNull for ProcNull.
//
// MPI 4.1, section 7.3.1 (MPI_Group_translate_ranks).
func (g *Group) Translate(ranks []int, to *Group) ([]int, error) {
	out, places := make([]int, len(ranks)), map[int32]int{}
	for r, p := range to.list() {
		places[p] = r
	}
	for i, r := range ranks {
		if out[i] = ProcNull; r == ProcNull {
			continue
		}
		if err := g.checkRank("Translate", r); err != nil {
			return nil, err
		}
		place, in := places[g.members[r]]
		if out[i] = place; !in {
			out[i] = Undefined
		}
	}
	return out, nil
}

func (g *Group) checkRank(call string, r int) error {
	if r >= 0 && r < g.Size() {
		return nil
	}
	var none *Comm
	return none.errorAt(at(call), ErrRank, "the group has no rank %d; it has %d ranks, from 0", r, g.Size())
}

// Compare says whether two groups are Ident, Similar (the same processes in another
// order) or Unequal.
//
// MPI 4.1, section 7.3.1.
func (g *Group) Compare(o *Group) Comparison {
	a, b := g.list(), o.list()
	if slices.Equal(a, b) {
		return Ident
	}
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	if slices.Equal(a, b) {
		return Similar
	}
	return Unequal
}

// Union returns the processes of g, followed by those of o that are not in g.
//
// MPI 4.1, section 7.3.2.
func (g *Group) Union(o *Group) *Group {
	return g.with(append(slices.Clone(g.list()), o.filter(g, false)...), o)
}

// Intersection returns the processes of g that are also in o, in the order of g.
//
// MPI 4.1, section 7.3.2.
func (g *Group) Intersection(o *Group) *Group { return g.with(g.filter(o, true), o) }

// Difference returns the processes of g that are not in o, in the order of g.
//
// MPI 4.1, section 7.3.2.
func (g *Group) Difference(o *Group) *Group { return g.with(g.filter(o, false), o) }

// filter returns the members of g that are in o, or those that are not.
func (g *Group) filter(o *Group, in bool) (members []int32) {
	has := map[int32]bool{}
	for _, p := range o.list() {
		has[p] = true
	}
	for _, p := range g.list() {
		if has[p] == in {
			members = append(members, p)
		}
	}
	return members
}

// Incl returns the group of the processes with the given ranks, in that order. No rank
// may be given twice.
//
// MPI 4.1, section 7.3.2.
func (g *Group) Incl(ranks ...int) (*Group, error) {
	if _, err := g.named("Incl", ranks); err != nil {
		return nil, err
	}
	var members []int32
	for _, r := range ranks {
		members = append(members, g.members[r])
	}
	return g.with(members, nil), nil
}

// Excl returns the group of the processes of g without those with the given ranks. No
// rank may be given twice.
//
// MPI 4.1, section 7.3.2.
func (g *Group) Excl(ranks ...int) (*Group, error) {
	named, err := g.named("Excl", ranks)
	if err != nil {
		return nil, err
	}
	var members []int32
	for r, p := range g.list() {
		if !named[r] {
			members = append(members, p)
		}
	}
	return g.with(members, nil), nil
}

// named marks the ranks of g that are named; each must exist and be named once.
func (g *Group) named(call string, ranks []int) ([]bool, error) {
	named := make([]bool, g.Size())
	for _, r := range ranks {
		if err := g.checkRank(call, r); err != nil {
			return nil, err
		}
		if named[r] {
			var none *Comm
			return nil, none.errorAt(at(call), ErrRank, "rank %d is named twice; name each rank once", r)
		}
		named[r] = true
	}
	return named, nil
}

// A Range is the ranks First, First+Stride, and so on, up to Last, or down to it if
// Stride is negative. The stride must lead from First to Last.
//
// MPI 4.1, section 7.3.2 (MPI_Group_range_incl).
type Range struct{ First, Last, Stride int }

// expand lists the ranks of ranges. They must be in g, so the list is no longer than the
// groups of all ranges. A range may be longer than the largest int, so its strides are
// counted without a sign.
func (g *Group) expand(call string, ranges []Range) (ranks []int, err error) {
	var none *Comm
	for _, r := range ranges {
		switch {
		case r.Stride == 0:
			return nil, none.errorAt(at(call), ErrArg, "the range from %d to %d has stride 0; use 1 or another", r.First, r.Last)
		case r.Stride > 0 && r.First > r.Last || r.Stride < 0 && r.First < r.Last:
			return nil, none.errorAt(at(call), ErrArg, "the range from %d to %d has stride %d, which leads away from its end; use the other sign", r.First, r.Last, r.Stride)
		}
		way, stride := uint(r.Last)-uint(r.First), uint(r.Stride)
		if r.Stride < 0 {
			way, stride = -way, -stride
		}
		rank := r.First
		for i := uint(0); i <= way/stride; i++ {
			if err := g.checkRank(call, rank); err != nil {
				return nil, err
			}
			ranks = append(ranks, rank)
			rank += r.Stride
		}
	}
	return ranks, nil
}

// RangeIncl is [Group.Incl] of the ranks of ranges.
//
// MPI 4.1, section 7.3.2.
func (g *Group) RangeIncl(ranges ...Range) (*Group, error) {
	ranks, err := g.expand("RangeIncl", ranges)
	if err != nil {
		return nil, err
	}
	made, err := g.Incl(ranks...)
	return made, named("RangeIncl", err)
}

// RangeExcl is [Group.Excl] of the ranks of ranges.
//
// MPI 4.1, section 7.3.2.
func (g *Group) RangeExcl(ranges ...Range) (*Group, error) {
	ranks, err := g.expand("RangeExcl", ranges)
	if err != nil {
		return nil, err
	}
	made, err := g.Excl(ranks...)
	return made, named("RangeExcl", err)
}

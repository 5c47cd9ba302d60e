package mpi

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"rhinet/collectives"
)

// Create makes a communicator of the processes of g, in its order. All ranks of c must
// call it, with groups that are equal or have no process in common; if those of some
// ranks are not, all ranks get the same error. A rank that is not in its group gets nil.
// On an inter-communicator g is a part of the local group, equal on all its ranks, and
// the result is an inter-communicator.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_create).
func (c *Comm) Create(g *Group) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("Create")
	color, err := c.colorOf(s, g)
	if err != nil {
		return nil, err
	}
	return c.divide(s, cut{color: color, key: g.key(), how: "create", check: c.base().misgrouped})
}

// groupBits is how many bits of a key hold a rank in a group, and how many above them the size of the group. Bits
// of a hash of its members follow.
const groupBits = 20

// key is the key of this rank among those that make the communicator of g: it orders them, and shows whether
// they mean the same group.
func (g *Group) key() int {
	if g.Rank() == Undefined {
		return 0
	}
	hash := fnv.New64a()
	for _, p := range g.members {
		hash.Write(binary.LittleEndian.AppendUint32(nil, uint32(p)))
	}
	return int(hash.Sum64()>>(2*groupBits+1))<<(2*groupBits) | len(g.members)<<groupBits | g.Rank()
}

// misgrouped returns what speaks against the groups that ranks of c have given. All that see the same contributions
// find the same.
func (c *Comm) misgrouped(s site, all []member) error {
	type side struct {
		color int64
		other bool // of an inter-communicator
	}
	of := func(b member) side { return side{b.color, int(b.rank) < c.first} }
	first, given := map[side]member{}, map[side]int{}
	for _, b := range all {
		if b.color == Undefined {
			continue
		}
		at := of(b)
		o, known := first[at]
		if given[at]++; !known {
			first[at] = b
		} else if o.key>>groupBits != b.key>>groupBits {
			return c.errorAt(s, ErrGroup, "ranks %d and %d give different groups that have a process in common; groups must be equal or have none in common", o.rank, b.rank)
		}
	}
	for _, b := range all {
		n := int(b.key >> groupBits & (1<<groupBits - 1))
		if given := given[of(b)]; b.color != Undefined && given != n {
			return c.errorAt(s, ErrGroup, "rank %d gives a group of %d processes, but %d of them give it; all processes of a group must", b.rank, n, given)
		}
	}
	return nil
}

// colorOf returns the rank in c of the first process of g, or Undefined for a rank that
// is not in g.
func (c *Comm) colorOf(s site, g *Group) (int, error) {
	if err := c.check(s); err != nil {
		return 0, err
	}
	own, err := c.Group()
	if err != nil {
		return 0, err
	}
	for i, p := range g.list() {
		if own.find(p) < 0 {
			return 0, c.errorAt(s, ErrGroup, "rank %d of the group is not in the communicator; use Intersection with its group", i)
		}
	}
	if g.Rank() == Undefined {
		return Undefined, nil
	}
	if c.inter != nil {
		return 0, nil // the ranks of both groups need one color
	}
	return own.find(g.members[0]), nil
}

// CreateGroup is [Comm.Create] that only the processes of g call. tag distinguishes
// calls that several goroutines make at once. With an empty group it is a local call and
// returns nil.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_create_group).
func (c *Comm) CreateGroup(g *Group, tag int) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("CreateGroup")
	if err := c.intra(s); err != nil {
		return nil, err
	}
	if g.Size() == 0 {
		return nil, nil
	}
	color, err := c.colorOf(s, g)
	if err != nil {
		return nil, err
	}
	if color == Undefined {
		return nil, c.errorAt(s, ErrGroup, "the caller is not in the group; only its processes call it")
	}
	if tag < 0 || tag > MaxTag {
		return nil, c.errorAt(s, ErrTag, "the tag is %d; tags are 0 to %d", tag, MaxTag)
	}
	t := &groupTransport{collTransport: newCollTransport(c.core), rank: g.Rank(), tag: groupTag | tag&(neighborTag-1)}
	for _, p := range g.members {
		t.ranks = append(t.ranks, c.local(int(p)))
	}
	ctx, stop := c.limitedByDeaths(g)
	defer stop()
	t.ctx, t.call, t.mark = ctx, tagged(s.call, tag), uint32(makerSign(s))
	group, err := collectives.New(t, collectives.Options{})
	if err != nil {
		return nil, c.because(s, ErrOther, err, "")
	}
	mine, all, err := c.exchangeMembers(group, cut{color: color, key: g.key()})
	if err == nil {
		err = c.misgrouped(s, all)
	}
	made, seq, err := c.settle(s, mine, all, 0, err)
	if err != nil {
		return nil, c.explain(s, err)
	}
	made.name = fmt.Sprintf("%s.group(tag %d)", c.name, tag)
	return c.derive(s, made, seq, c.worldOptions())
}

// limitedByDeaths returns a context that ends with that of c, and when a process of g dies: no
// rank may then wait for others that have failed.
func (c *Comm) limitedByDeaths(g *Group) (ctx context.Context, stop func()) {
	if c.failures == nil {
		return c.ctx, func() {}
	}
	p := c.w.failures
	f := p.meet(&core{w: c.w, size: g.Size(), members: g.members})
	both, end := bothFor(c.ctx, f.whole, func() error {
		return &failureError{ErrProcFailed, c.died(site{}, int(g.members[f.dead()[0]])).text}
	})
	return both, func() { end(); p.part(f) }
}

// A groupTransport connects some ranks of a communicator.
type groupTransport struct {
	*collTransport
	ranks []int
	rank  int
	tag   int
}

// Rank is this rank's number in the group.
func (t *groupTransport) Rank() int { return t.rank }

// Size is the number of ranks of the group.
func (t *groupTransport) Size() int { return len(t.ranks) }

// Isend is that of the collTransport, to a rank of the group.
func (t *groupTransport) Isend(i int, buf []byte, dst, _ int) error {
	return t.collTransport.Isend(i, buf, t.ranks[dst], t.tag)
}

// Irecv is that of the collTransport, from a rank of the group.
func (t *groupTransport) Irecv(i int, buf []byte, src, _ int) error {
	return t.collTransport.Irecv(i, buf, t.ranks[src], t.tag)
}

// Recv is Irecv and Wait.
func (t *groupTransport) Recv(buf []byte, src, _ int) error {
	return t.collTransport.Recv(buf, t.ranks[src], t.tag)
}

// Compare says whether two communicators are Ident (the same object), Congruent (the
// same ranks in the same order), Similar (the same ranks in another order) or Unequal.
// For two inter-communicators the groups that differ more decide; an inter-communicator
// and an intra-communicator are Unequal.
//
// MPI 4.1, section 7.4.1.
func (c *Comm) Compare(o *Comm) (_ Comparison, err error) {
	defer c.raised(&err)
	g, err := c.Group()
	if err != nil {
		return Unequal, named("Compare", err)
	}
	h, err := o.Group()
	if err != nil {
		return Unequal, named("Compare", err)
	}
	how := g.Compare(h)
	switch {
	case c.core == o.core:
		return Ident, nil
	case c.IsInter() != o.IsInter():
		return Unequal, nil
	case c.IsInter():
		how = max(how, c.inter.remoteGroup().Compare(o.inter.remoteGroup()))
	}
	return max(how, Congruent), nil
}

// SetName sets the name by which errors and reports call c. It must not be called while
// other goroutines use c.
//
// MPI 4.1, section 7.8 (MPI_Comm_set_name).
func (c *Comm) SetName(name string) (err error) {
	defer c.raised(&err)
	if err := c.check(at("SetName")); err != nil {
		return err
	}
	c.rename(name)
	return nil
}

// Self returns the communicator of the calling process alone, always the same one. c
// may be any communicator.
//
// MPI 4.1, section 7.2.4 (MPI_COMM_SELF).
func Self(c *Comm) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("Self")
	if err := c.check(s); err != nil {
		return nil, err
	}
	w := c.w
	w.mu.Lock()
	self := w.self
	w.mu.Unlock()
	if self != nil {
		return self, nil
	}
	id := w.admit()
	if id == noID {
		return nil, c.errorAt(s, ErrComm, "all %d communicators and windows are in use; Free those that are not needed", maxContexts)
	}
	made := &core{size: 1, members: []int32{int32(w.Rank)}, id: id, flagArray: noFlagArray, name: "self"}
	if err := w.open(made, 0, w.Collectives); err != nil {
		return nil, c.because(s, ErrOther, err, "")
	}
	self = (&Comm{core: made}).bind()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.self != nil { // another goroutine was faster
		delete(w.comms, made)
		w.shut(id)
		return w.self, nil
	}
	w.self = self
	return self, nil
}

func (w *world) isSelf(c *core) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.self != nil && w.self.core == c
}

// endSelf deletes the attributes of Self, as the first thing that Finalize does.
//
// MPI 4.1, section 11.2.4.
func (w *world) endSelf(s site) error {
	w.mu.Lock()
	self := w.self
	w.mu.Unlock()
	if self == nil {
		return nil
	}
	return self.attrs.deleteAll(self, s)
}

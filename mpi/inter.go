package mpi

import (
	"fmt"
	"slices"

	"rhinet/collectives"
)

// Root is what the root of a collective call on an inter-communicator passes as root.
// The other ranks of its group pass [ProcNull], those of the other group its rank.
//
// MPI 4.1, section 6.2.3 (MPI_ROOT).
const Root = -4

// An inter is what makes a core an inter-communicator: a communicator of both groups,
// in whose contexts all messages travel. The group of the leader with the lower world
// rank comes first.
//
// MPI 4.1, section 7.6.
type inter struct {
	all      *Comm
	own, far span // the ranks in all of the local and of the remote group
}

// A span is a range of consecutive ranks.
type span struct{ from, n int }

// ranks lists the ranks.
func (s span) ranks() []int {
	list := make([]int, s.n)
	for i := range list {
		list[i] = s.from + i
	}
	return list
}

// has reports whether a rank is one of them.
func (s span) has(rank int) bool { return uint(rank-s.from) < uint(s.n) }

// bridge makes an inter-communicator of a communicator of both its groups.
func (all *Comm) bridge(s site) (*Comm, error) {
	first, last := span{0, all.first}, span{all.first, all.size - all.first}
	x := &inter{all: all, own: first, far: last}
	if !first.has(all.rank) {
		x.own, x.far = last, first
	}
	made := &core{
		inter: x, rank: all.rank - x.own.from, size: x.far.n, members: all.members[x.far.from:][:x.far.n],
		id: all.id, flagArray: noFlagArray, name: all.name, hints: all.hints, session: all.session,
	}
	all.core.private = true
	made.handler.set(all.handler.get())
	if all.ids != nil {
		made.ids = all.ids[x.far.from:][:x.far.n]
	}
	if err := all.w.open(made, 0, collectives.Options{}); err != nil {
		return nil, all.because(s, ErrOther, err, "")
	}
	return (&Comm{core: made, user: all.user}).bind(), nil
}

// base returns the communicator on which the ranks of c agree: c, or that of both
// groups of an inter-communicator.
func (c *Comm) base() *Comm {
	if c.isNull() || c.inter == nil {
		return c
	}
	b := *c.inter.all
	b.ctx, b.user, b.whole, b.launch = c.ctx, c.user, c.whole, c.launch
	return b.directed()
}

// intra returns why c cannot be used in a call that needs an intra-communicator, or
// nil.
func (c *Comm) intra(s site) error {
	if err := c.check(s); err != nil {
		return err
	}
	if c.inter != nil {
		return c.errorAt(s, ErrComm, "not defined on an inter-communicator; use what Merge makes of it")
	}
	return nil
}

// who names a rank in messages.
func (c *core) who(rank int) string {
	if c.first == 0 {
		return fmt.Sprintf("rank %d", rank)
	}
	group := "this"
	if (rank < c.first) != (c.rank < c.first) {
		group = "the other"
	}
	if rank >= c.first {
		rank -= c.first
	}
	return fmt.Sprintf("rank %d of %s group", rank, group)
}

// IsInter reports whether c is an inter-communicator: one with two groups, whose
// messages and collective calls go from one group to the other.
//
// MPI 4.1, section 7.6.1 (MPI_Comm_test_inter).
func (c *Comm) IsInter() bool { return !c.isNull() && c.inter != nil }

// RemoteSize returns the number of ranks of the other group of an inter-communicator,
// and 0 for an intra-communicator and nil.
//
// MPI 4.1, section 7.6.1.
func (c *Comm) RemoteSize() int {
	if !c.IsInter() {
		return 0
	}
	return c.size
}

// RemoteGroup returns the other group of an inter-communicator.
//
// MPI 4.1, section 7.6.1.
func (c *Comm) RemoteGroup() (_ *Group, err error) {
	defer c.raised(&err)
	s := at("RemoteGroup")
	if err := c.check(s); err != nil {
		return nil, err
	}
	if c.inter == nil {
		return nil, c.errorAt(s, ErrComm, "not an inter-communicator, so there is no other group; IntercommCreate makes one")
	}
	return c.inter.remoteGroup(), nil
}

func (x *inter) group(of span) *Group { return x.all.group(of) }

func (x *inter) remoteGroup() *Group { return x.group(x.far) }

// Merge makes one communicator of the two groups of an inter-communicator. All ranks of
// a group must pass the same high; the group that passes true comes after the one that
// passes false. All ranks of both groups must call it.
//
// MPI 4.1, section 7.6.2 (MPI_Intercomm_merge).
func (c *Comm) Merge(high bool) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("Merge")
	if err := c.check(s); err != nil {
		return nil, err
	}
	if c.inter == nil {
		return nil, c.errorAt(s, ErrComm, "not an inter-communicator; there is nothing to merge")
	}
	key := 0
	if high {
		key = 1
	}
	b := c.base()
	if err := b.enter(s, nil); err != nil {
		return nil, err
	}
	b.coll.sign(makerSign(s), 0)
	mine, all, err := b.exchangeMembers(b.coll.group, cut{key: key})
	for i, o := range all {
		if one := &all[min(i/b.first, 1)*b.first]; err == nil && o.key != one.key {
			err = c.errorAt(s, ErrArg, "%s gives another value of high than %s; the ranks of a group give the same", b.who(i), b.who(int(one.rank)))
		}
	}
	made, seq, err := b.settle(s, mine, all, 0, err)
	if err = b.leave(s, err); err != nil {
		return nil, err
	}
	made.name = fmt.Sprintf("%s.merge%d", c.name, c.born.Add(1))
	return b.derive(s, made, seq, c.worldOptions())
}

// IntercommCreate makes an inter-communicator of the ranks of c and those of another
// communicator, whose ranks make the same call. leader is a rank of c, the same on all
// of them. peer is a communicator that both leaders are in, and remote the rank of the
// other leader in it; they matter only at the leader. tag distinguishes calls that are
// made at once. The two groups must have no process in common.
//
// MPI 4.1, section 7.6.2 (MPI_Intercomm_create).
func (c *Comm) IntercommCreate(leader int, peer *Comm, remote, tag int) (_ *Comm, err error) {
	defer c.raised(&err)
	s := at("IntercommCreate")
	if err := c.intra(s); err != nil {
		return nil, err
	}
	if leader < 0 || leader >= c.size {
		return nil, c.errorAt(s, ErrRank, "there is no rank %d to lead; ranks are 0 to %d", leader, c.size-1)
	}
	if tag < 0 || tag > MaxTag {
		return nil, c.errorAt(s, ErrTag, "the tag is %d; tags are 0 to %d", tag, MaxTag)
	}
	if err := c.enter(s, nil); err != nil {
		return nil, err
	}
	c.coll.sign(makerSign(s), 0)
	made, seq, err := c.unite(s, c.coll.group, leader, func() (collectives.Transport, error) { return c.peerLine(s, peer, remote, tag) })
	if err = c.leave(s, err); err != nil {
		return nil, err
	}
	made.name = fmt.Sprintf("%s.inter%d", c.name, c.born.Add(1))
	d, err := c.derive(s, made, seq, c.worldOptions())
	if err != nil {
		return nil, err
	}
	return d.bridge(s)
}

// peerLine connects this rank, a leader, with the other leader.
func (c *Comm) peerLine(s site, peer *Comm, remote, tag int) (collectives.Transport, error) {
	if err := peer.check(s); err != nil {
		return nil, c.because(s, ErrComm, err, "the peer communicator cannot be used")
	}
	if remote < 0 || remote >= peer.size {
		return nil, c.errorAt(s, ErrRank, "the peer communicator has no rank %d; its ranks are 0 to %d", remote, peer.size-1)
	}
	b := peer.base()
	if peer.inter != nil {
		remote += peer.inter.far.from
	}
	if remote == b.rank {
		return nil, c.errorAt(s, ErrRank, "rank %d of the peer communicator is the caller itself; name the leader of the other group", remote)
	}
	t := &groupTransport{collTransport: newCollTransport(b.core), ranks: []int{b.rank, remote}, tag: groupTag | tag&(neighborTag-1)}
	if remote < b.rank {
		slices.Reverse(t.ranks)
		t.rank = 1
	}
	t.ctx, t.call, t.mark = c.ctx, s.call, uint32(makerSign(s))
	return t, nil
}

// otherSide returns the members of the other group: the leader of the own
// group exchanges members with the other leader, by line, and broadcasts them in its
// group.
func (c *Comm) otherSide(s site, own *collectives.Group, mine []member, leader int, line func() (collectives.Transport, error)) ([]member, error) {
	var theirs []member
	var failed error
	count := []int64{-1}
	if own.Rank() == leader {
		var t collectives.Transport
		if t, failed = line(); failed == nil {
			theirs, failed = c.trade(t, mine)
		}
		if failed == nil {
			count[0] = int64(len(theirs))
		}
	}
	if err := own.Bcast(view(count), leader); err != nil {
		return nil, err
	}
	switch {
	case failed != nil:
		return nil, failed
	case count[0] < 1 || count[0] > int64(c.w.Size):
		return nil, c.errorAt(s, ErrComm, "rank %d, the leader, has not reached the other group; its error says why", leader)
	case own.Rank() != leader:
		theirs = make([]member, count[0])
	}
	return theirs, own.Bcast(view(theirs), leader)
}

// trade exchanges the members of this group for those of the other one.
func (c *Comm) trade(t collectives.Transport, mine []member) ([]member, error) {
	two, err := collectives.New(t, collectives.Options{})
	if err != nil {
		return nil, err
	}
	counts := make([]int, 2)
	if err := two.Allgather(view([]int{len(mine)}), view(counts)); err != nil {
		return nil, err
	}
	if n := counts[1-two.Rank()]; n < 1 || n > c.w.Size {
		return nil, fmt.Errorf("the other leader tells of %d ranks", n)
	}
	both := make([]member, counts[0]+counts[1])
	if err := two.Allgatherv(view(mine), view(both), counts, nil, sizeOf[member]()); err != nil {
		return nil, err
	}
	if two.Rank() == 0 {
		return both[counts[0]:], nil
	}
	return both[:counts[0]], nil
}

// unite has the ranks of own, whose leader has a line to the leader of another group,
// settle on a communicator of both groups.
func (c *Comm) unite(s site, own *collectives.Group, leader int, line func() (collectives.Transport, error)) (*core, uint64, error) {
	mine, ours, err := c.exchangeMembers(own, cut{color: leader})
	for r, b := range ours {
		if err == nil && b.color != mine.color {
			err = c.errorAt(s, ErrArg, "rank %d names %d as the leader, this rank %d; all ranks must name the same", r, b.color, leader)
		}
	}
	var theirs []member
	if err == nil {
		theirs, err = c.otherSide(s, own, ours, leader, line)
	}
	return c.settleBoth(s, mine, ours, theirs, leader, err)
}

// settleBoth settles the members of both groups. The group of the leader with the lower
// world rank comes first.
func (c *Comm) settleBoth(s site, mine member, ours, theirs []member, leader int, err error) (*core, uint64, error) {
	first, second := ours, theirs
	if err == nil && theirs[0].leader(theirs).world < ours[leader].world {
		first, second = theirs, ours
	}
	all := slices.Concat(first, second)
	for i := range all {
		b := &all[i]
		b.color, b.key, b.rank = 0, 0, int32(i)
		if b.world == mine.world {
			mine = *b
		}
		if err == nil && i >= len(first) && slices.ContainsFunc(first, func(o member) bool { return o.world == b.world }) {
			err = c.errorAt(s, ErrGroup, "process %d is in both groups; they must have none in common", b.world)
		}
	}
	return c.settle(s, mine, all, len(first), err)
}

// leader returns the leader among all members of its group.
func (b member) leader(all []member) member { return all[b.color] }

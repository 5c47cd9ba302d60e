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
	if err := c.alive(s); err != nil {
		return nil, err
	}
	if c.inter != nil {
		return nil, c.intra(s)
	}
	if leader < 0 || leader >= c.size {
		return nil, c.errorAt(s, ErrRank, "there is no rank %d to lead; ranks are 0 to %d", leader, c.size-1)
	}
	if tag < 0 || tag > MaxTag {
		return nil, c.errorAt(s, ErrTag, "the tag is %d; tags are 0 to %d", tag, MaxTag)
	}
	ctx, stop := c.limitedByPeer(peer)
	defer stop()
	connect := func() (line, error) { return c.peerLine(ctx, s, peer, remote, tag) }
	if err := c.enter(s, nil); err != nil {
		if c.rank == leader {
			c.excuse(s, err, connect)
		}
		return nil, err
	}
	c.coll.sign(makerSign(s), 0)
	made, seq, err := c.unite(s, c.coll.group, leader, connect)
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

// settleBoth settles the members of both groups. The group of the leader with the lower
// world rank comes first.
func (c *Comm) settleBoth(s site, mine member, ours, theirs []member, leader int, err error) (*core, uint64, error) {
	if err != nil { // ours may be of no rank
		return c.settle(s, mine, nil, 0, err)
	}
	first, second := ours, theirs
	if theirs[0].leader(theirs).world < ours[leader].world {
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

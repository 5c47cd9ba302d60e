package mpi

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rhinet/collectives"
)

// Two groups that make an inter-communicator know each other by their leaders alone, which a
// line connects.

// A line connects the leaders of two groups.
type line interface {
	collectives.Transport
	coll() *collTransport // that carries its messages
}

func (t *collTransport) coll() *collTransport { return t }

// limitedByPeer returns a context that ends with that of c and with that of peer: ranks of
// the other group that have failed may revoke only what both groups have.
func (c *Comm) limitedByPeer(peer *Comm) (ctx context.Context, stop func()) {
	if peer == nil || peer.ctx == nil || peer.ctx == c.ctx {
		return c.ctx, func() {}
	}
	return bothFor(c.ctx, peer.ctx, func() error {
		cause := context.Cause(peer.ctx)
		if f, ok := cause.(*failureError); ok && f.class == ErrRevoked {
			cause = &failureError{ErrRevoked, "the peer communicator has been revoked; Shrink and Agree still work on it"}
		}
		return cause
	})
}

// peerLine connects this rank, a leader, with the other leader, until ctx ends.
func (c *Comm) peerLine(ctx context.Context, s site, peer *Comm, remote, tag int) (line, error) {
	if err := peer.check(s); err != nil {
		return nil, c.because(s, c.recoverable(s, err), err, "the peer communicator cannot be used")
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
	t.ctx, t.call, t.mark = ctx, tagged(s.call, tag), uint32(makerSign(s))
	return t, nil
}

// unite has the ranks of own, whose leader has a line to the leader of another group,
// settle on a communicator of both groups.
func (c *Comm) unite(s site, own *collectives.Group, leader int, connect func() (line, error)) (*core, uint64, error) {
	mine, ours, err := c.exchangeMembers(own, cut{color: leader})
	for r, b := range ours {
		if err == nil && b.color != mine.color {
			err = c.errorAt(s, ErrArg, "rank %d names %d as the leader, this rank %d; all ranks must name the same", r, b.color, leader)
		}
	}
	var theirs []member
	if err == nil {
		theirs, err = c.otherSide(s, own, ours, leader, connect)
	} else if own.Rank() == leader {
		c.excuse(s, err, connect)
	}
	return c.settleBoth(s, mine, ours, theirs, leader, err)
}

// otherSide returns the members of the other group: the leader of the own
// group exchanges members with the other leader, by line, and broadcasts them in its
// group.
func (c *Comm) otherSide(s site, own *collectives.Group, mine []member, leader int, connect func() (line, error)) ([]member, error) {
	var theirs []member
	var failed error
	count := []int64{-1}
	if own.Rank() == leader {
		var t line
		if t, failed = connect(); failed == nil && c.failures != nil {
			theirs, failed = c.negotiate(s, t, mine)
		} else if failed == nil {
			theirs, failed = c.trade(t, mine)
		}
		if failed == nil {
			count[0] = int64(len(theirs))
		} else {
			count[0] = -int64(c.recoverable(s, failed))
		}
	}
	if err := own.Bcast(view(count), leader); err != nil {
		return nil, err
	}
	switch {
	case failed != nil:
		return nil, failed
	case count[0] < 1 || count[0] > int64(c.w.Size):
		return nil, c.errorAt(s, c.recoverable(s, Class(-count[0])), "rank %d, the leader, has not reached the other group; its error says why", leader)
	case own.Rank() != leader:
		theirs = make([]member, count[0])
	}
	return theirs, own.Bcast(view(theirs), leader)
}

// recoverable returns the class of a leader's failure if its group can go on after it, as
// the other ranks of the group must know, and else ErrComm.
func (c *Comm) recoverable(s site, failed error) Class {
	for _, class := range []Class{ErrProcFailed, ErrRevoked} {
		if errors.Is(c.explain(s, failed), class) {
			return class
		}
	}
	return ErrComm
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

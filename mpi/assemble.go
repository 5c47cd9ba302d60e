package mpi

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"time"

	"rhinet/collectives"
)

// A member is what one rank contributes when communicators are made. It fits a flag.
type member struct {
	color, key int64
	flagArrays uint64 // that it offers
	seq        uint64 // up to which it has used flag arrays
	rank       int32
	world      int32     // its world rank
	same       uint32    // hash of what all ranks must pass alike
	id         contextID // of the new communicator
}

// assemble makes the communicator of the ranks of c that give the same color, ordered
// by key, or nil for color Undefined, and returns the sequence number up to which its
// flag array has been used. It takes one exchange of what each rank has free: no rank
// chooses for another, so none waits for another rank that is making other
// communicators meanwhile. It fails on all ranks if they differ in what they must pass
// alike, or if the cut has a check that finds something against what they contribute.
func (c *Comm) assemble(s site, p cut) (*core, uint64, error) {
	c.coll.sign(makerSign(s), int(p.same))
	mine, all, err := c.exchangeMembers(c.coll.group, p)
	if err == nil {
		err = c.against(s, p, all)
	}
	return c.settle(s, mine, all, c.first, err)
}

// against returns what speaks against making the communicators of a cut from what the
// ranks contribute, or nil.
func (c *Comm) against(s site, p cut, all []member) error {
	if err := c.alike(s, all); err != nil || p.check == nil {
		return err
	}
	return p.check(s, all)
}

// exchangeMembers exchanges those of the ranks of g, some of those of c. settle must follow.
func (c *Comm) exchangeMembers(g *collectives.Group, p cut) (mine member, all []member, err error) {
	mine, all = c.member(p), make([]member, g.Size())
	return mine, all, g.Allgather(view([]member{mine}), view(all))
}

// member returns what this rank contributes to a cut. settle must follow.
func (c *Comm) member(p cut) member {
	mine := member{color: int64(p.color), key: int64(p.key), same: p.same, rank: int32(c.rank), world: int32(c.w.Rank), id: noID}
	if p.color != Undefined {
		mine.id = c.w.admit()
	}
	mine.flagArrays, mine.seq = c.w.ids.offer()
	return mine
}

// settle makes the communicator from the contributions of all; err is the error of the exchange.
// If first is not 0, the ranks below it are one group of an inter-communicator, and
// the others the other: a rank whose color has no rank in one of the groups gets nil.
func (c *Comm) settle(s site, mine member, all []member, first int, err error) (*core, uint64, error) {
	ids := &c.w.ids
	for _, b := range all {
		if err == nil && b.color != Undefined && b.id == noID {
			err = c.errorAt(s, ErrComm, "all %d communicators and windows are in use; Free those that are not needed", maxContexts)
		}
	}
	if err != nil || mine.color == Undefined || first > 0 && oneSided(all, mine.color, first) {
		ids.settle(mine.flagArrays, noFlagArray)
		if mine.id != noID {
			c.w.shut(mine.id)
		}
		return nil, 0, err
	}
	made, flagArrays, seq := among(all, mine, first)
	if flagArrays != 0 && made.size > 1 && made.size <= maxFlagArrayRanks && made.onHost(c.w) {
		made.flagArray = flagArraySlot(bits.TrailingZeros64(flagArrays))
	}
	ids.settle(mine.flagArrays, made.flagArray)
	return made, seq, nil
}

// oneSided reports whether only one of two groups has ranks of a color.
func oneSided(all []member, color int64, first int) bool {
	one := func(b member) bool { return b.color == color && int(b.rank) < first }
	other := func(b member) bool { return b.color == color && int(b.rank) >= first }
	return !slices.ContainsFunc(all, one) || !slices.ContainsFunc(all, other)
}

// among returns the communicator of the ranks that have the color of mine, the flag
// arrays that all of them offer, and the highest sequence number that any of them has
// used.
func among(all []member, mine member, first int) (made *core, flagArrays, seq uint64) {
	all = slices.DeleteFunc(all, func(b member) bool { return b.color != mine.color })
	side := func(b member) int {
		if int(b.rank) < first {
			return -1
		}
		return 0
	}
	slices.SortFunc(all, func(a, b member) int {
		return cmp.Or(cmp.Compare(side(a), side(b)), cmp.Compare(a.key, b.key), cmp.Compare(a.rank, b.rank))
	})
	n := len(all)
	made = &core{size: n, members: make([]int32, n), ids: make([]contextID, n), id: mine.id, flagArray: noFlagArray}
	flagArrays = mine.flagArrays
	uniform := true
	for i, b := range all {
		made.members[i], made.ids[i] = b.world, b.id
		if first > 0 && int(b.rank) < first {
			made.first++
		}
		flagArrays &= b.flagArrays
		seq = max(seq, b.seq)
		uniform = uniform && b.id == mine.id
		if b.rank == mine.rank {
			made.rank = i
		}
	}
	if uniform {
		made.ids = nil
	}
	return made, flagArrays, seq
}

// admit takes a context for a new communicator, or noID, and has the transport accept
// its messages: they may arrive before this rank knows that the communicator is made.
func (w *world) admit() contextID {
	w.drainAll()
	id := w.ids.take()
	if id == noID && w.departures.parting.Load() > 0 {
		_ = poll(context.Background(), timeout(time.Second, func() bool {
			w.drainAll()
			id = w.ids.take()
			return id != noID
		}))
	}
	if id != noID {
		w.Transport.Open(id.pointToPoint(), ^uint32(maxContexts-1), id.stamp())
		w.Transport.Open(id.partitioned(), ^uint32(maxContexts-1), id.stamp())
		w.Transport.Open(id.collective(), 0, 0)
	}
	return id
}

// shut ends the use of a context on this rank.
func (w *world) shut(id contextID) {
	w.Transport.Shut(id.pointToPoint())
	w.Transport.Shut(id.partitioned())
	w.Transport.Shut(id.collective())
	w.ids.give(id)
}

package lowlevel

import (
	"fmt"
	"slices"
	"sync/atomic"

	"rhinet/nicemu/martini"
)

// Bounds of barriers.
const (
	Barriers  = 8 // identifiers
	MaxFanout = 8 // children of a process in the tree

	barrierBytes = 2 * 64 // flags of the children; that of the parent has its own line
	releaseFlag  = 64
)

// A Barrier is a set of processes that wait for each other, with a tree that was fixed when it was
// made (martini, section 9.3). Flags hold the number of the round, so they need no clearing.
type Barrier struct {
	l        *Library
	area     int // offset in communication memory, the same at all processes
	parent   int // process, or -1 at the root
	slot     int // index of its own flag at the parent
	children []int
	round    uint64
}

// NewBarrier registers a set of processes under an identifier. All members call it with the same
// arguments before any of them waits; an identifier is used once. Each process except the first has
// a parent in a tree of fanout children each.
func (l *Library) NewBarrier(id int, members []int, fanout int) (*Barrier, error) {
	me := slices.Index(members, l.nic.Rank())
	if uint(id) >= Barriers || fanout < 1 || fanout > MaxFanout || me < 0 {
		return nil, fmt.Errorf("%w: barrier %d of processes %v, %d children each, at process %d; there are barriers 0 to %d with 1 to %d children",
			ErrArgument, id, members, fanout, l.nic.Rank(), Barriers-1, MaxFanout)
	}
	b := &Barrier{l: l, area: barrierArea + id*barrierBytes, parent: -1}
	if me > 0 {
		b.parent, b.slot = members[(me-1)/fanout], (me-1)%fanout
	}
	for i := me*fanout + 1; i <= me*fanout+fanout && i < len(members); i++ {
		b.children = append(b.children, members[i])
	}
	for _, p := range members {
		if err := l.checkPeer(p); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// Wait returns when all members have called it.
func (b *Barrier) Wait() error {
	b.round++
	for i := range b.children {
		if err := b.await(i * flagBytes); err != nil {
			return err
		}
	}
	if b.parent >= 0 {
		if err := b.l.flag(b.parent, b.area+b.slot*flagBytes, b.round); err != nil {
			return err
		}
		if err := b.await(releaseFlag); err != nil {
			return err
		}
	}
	for _, c := range b.children {
		if err := b.l.flag(c, b.area+releaseFlag, b.round); err != nil {
			return err
		}
	}
	return nil
}

// await polls one of this process's flags until it has the number of this round.
func (b *Barrier) await(flag int) error {
	word := martini.Word64(b.l.mem, b.area+flag)
	for w := b.l.o.Policy.Begin(); atomic.LoadUint64(word) != b.round; {
		if err := b.l.pause(&w); err != nil {
			return err
		}
	}
	return nil
}

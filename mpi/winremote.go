package mpi

import (
	"encoding/binary"

	"rhinet/internal/layout"
	"rhinet/llc/ir"
)

// nicAtomics is a mapped reach in which the network interface updates integers of 8 bytes:
// by its atomic add, swap, and compare and swap, which also serves fetch and add. Other
// updates, and long ones, are made as in a mapped reach. All are atomic with respect to
// each other, since the network interface uses atomic operations of a processor, too.
type nicAtomics struct {
	*mapped
	nic   ir.Atomics
	words []ir.Segment // of the ranks; 0: the rank has no part
}

// useNICAtomics has the network interface update the window, if it can at all ranks, and reports
// whether it does.
func (w *window) useNICAtomics() (bool, error) {
	if w.shared == nil {
		return false, nil
	}
	x := &nicAtomics{mapped: w.shared, nic: w.c.t.Atomics(), words: make([]ir.Segment, w.c.size)}
	var mine [1]ir.Segment
	can := x.nic != nil
	if can && len(w.local) > 0 {
		can = x.c.command(func() (err error) { mine[0], err = x.nic.ExposeWords(w.local); return err }) == nil
	}
	if err := Allgather(w.c, mine[:], x.words); err != nil {
		return false, err
	}
	ok, err := w.agree(can)
	if ok && err == nil {
		w.reach, w.shared = x, nil
		return true, nil
	}
	if mine[0] != 0 {
		_ = x.c.command(func() error { return x.nic.ConcealWords(mine[0]) }) // no rank has used it
	}
	return false, err
}

// update uses the network interface if that has an operation for u.
func (x *nicAtomics) update(target int, at uint64, u *update) error {
	if !x.serves(u) || !x.enter(target) {
		return x.mapped.update(target, at, u)
	}
	defer x.leave()
	return x.c.command(func() error {
		for i := 0; i < u.bytes(); i += ir.WordBytes {
			old, err := x.word(x.c.global(target), x.words[target], at+uint64(i), u, i)
			if err != nil {
				return err
			}
			if u.old != nil {
				binary.NativeEndian.PutUint64(u.old[i:], old)
			}
		}
		return nil
	})
}

// updateLayout has the network interface update piece by piece, if it has an operation
// for u.
func (x *nicAtomics) updateLayout(target int, at uint64, l *layout.Type, u *update) error {
	if !x.serves(u) {
		return x.mapped.updateLayout(target, at, l, u)
	}
	return updatePieces(x, target, at, l, u)
}

// mostWords is the number of words from which on the network interface does not make an
// update.
const mostWords = 32

// serves reports whether u is one or a few operations of the network interface.
func (x *nicAtomics) serves(u *update) bool {
	return u.e.unit == ir.WordBytes && u.e.swap != nil && u.bytes() < mostWords*ir.WordBytes && (u.compare != nil || u.op == Sum || u.op == Replace)
}

// word updates a word by u from byte i on, and returns the word before if u fetches.
func (x *nicAtomics) word(peer int, s ir.Segment, at uint64, u *update, i int) (old uint64, err error) {
	v := binary.NativeEndian.Uint64(u.data[i:])
	switch {
	case u.compare != nil:
		return x.nic.CompareSwapWord(peer, s, at, binary.NativeEndian.Uint64(u.compare[i:]), v)
	case u.op == Replace:
		return x.nic.SwapWord(peer, s, at, v)
	case u.old == nil:
		return 0, x.nic.AddWord(peer, s, at, v)
	}
	for { // atomic add returns no value
		was, err := x.nic.CompareSwapWord(peer, s, at, old, old+v)
		if err != nil || was == old {
			return was, err
		}
		old = was
	}
}

// close withdraws the words of this rank.
func (x *nicAtomics) close() error {
	mine := x.words[x.c.rank]
	if mine == 0 {
		return nil
	}
	return x.c.command(func() error { return x.nic.ConcealWords(mine) })
}

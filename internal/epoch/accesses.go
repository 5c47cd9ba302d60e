package epoch

import (
	"cmp"
	"iter"
	"slices"
)

// accesses are the accesses to the part of one rank, in the order of their first bytes: a list in blocks, so that none
// moves more than a block, in whatever order they come.
type accesses struct {
	blocks  []accessBlock // none is empty
	count   int
	longest uint64     // of all accesses
	spare   [][]Access // the memory of blocks that are no more
}

// An accessBlock is a part of the list. Blocks that end before a location are passed over: a single long access makes
// longest say little.
type accessBlock struct {
	list []Access
	from uint64 // of the first one
	end  uint64 // of all
}

// blockAccesses is the length of a full block.
const blockAccesses = 128

// conflicting returns an access that must not be in one epoch with a, or nil.
func (l *accesses) conflicting(a *Access) *Access {
	for o := range l.overlapping(a) {
		if o.Conflicts(a, true) {
			return o
		}
	}
	return nil
}

// covers reports whether there is an access like a that includes its whole location.
func (l *accesses) covers(a *Access) bool {
	for o := range l.overlapping(a) {
		if o.From <= a.From && a.To <= o.To && o.like(a) {
			return true
		}
	}
	return false
}

// overlapping iterates over the accesses that share bytes with a, from the last one on.
func (l *accesses) overlapping(a *Access) iter.Seq[*Access] {
	return func(yield func(*Access) bool) {
		for b, i := l.after(a.To - 1); b >= 0 && b < len(l.blocks); b-- {
			k := &l.blocks[b]
			if k.end > a.From {
				for i--; i >= 0; i-- {
					o := &k.list[i]
					if o.From+l.longest <= a.From {
						return // those before it do not reach a, either
					}
					if o.To > a.From && !yield(o) {
						return
					}
				}
			}
			if b > 0 {
				i = len(l.blocks[b-1].list)
			}
		}
	}
}

// each iterates over all accesses.
func (l *accesses) each() iter.Seq[*Access] {
	return func(yield func(*Access) bool) {
		for b := range l.blocks {
			for i := range l.blocks[b].list {
				if !yield(&l.blocks[b].list[i]) {
					return
				}
			}
		}
	}
}

// after returns the block, and the index in it, of the first access that begins behind an offset. They are those of the
// end of a block, if the next one begins with that access, or there is none.
func (l *accesses) after(at uint64) (b, i int) {
	if b = len(l.blocks) - 1; b > 0 && l.blocks[b].from > at { // seldom
		b, _ = slices.BinarySearchFunc(l.blocks, at, func(k accessBlock, at uint64) int {
			if k.from <= at {
				return -1
			}
			return 1
		})
		b = max(0, b-1)
	}
	if b < 0 {
		return 0, 0
	}
	list := l.blocks[b].list
	if n := len(list); list[n-1].From <= at { // most often
		return b, n
	}
	i, _ = slices.BinarySearchFunc(list, at, func(a Access, at uint64) int {
		if a.From <= at {
			return -1
		}
		return 1
	})
	return b, i
}

// add records a, or extends the access before it if that is like a and ends where a
// begins.
func (l *accesses) add(a Access) {
	b, i := l.after(a.From)
	if i > 0 {
		k := &l.blocks[b]
		if o := &k.list[i-1]; o.To == a.From && o.like(&a) && !a.summed {
			o.To, o.summed = a.To, false
			l.longest = max(l.longest, o.To-o.From)
			k.end = max(k.end, o.To)
			return
		}
	}
	l.longest = max(l.longest, a.To-a.From)
	l.insert(b, i, a)
}

// insert puts a at an index of a block. A full block is cut in halves; at the ends of the list a new one begins, so that
// accesses in ascending or descending order fill their blocks.
func (l *accesses) insert(b, i int, a Access) {
	switch full := len(l.blocks) > 0 && len(l.blocks[b].list) == blockAccesses; {
	case len(l.blocks) == 0, full && b == 0 && i == 0:
		l.begin(b, nil)
	case full && b == len(l.blocks)-1 && i == blockAccesses:
		b, i = b+1, 0
		l.begin(b, nil)
	case full:
		l.begin(b+1, l.blocks[b].list[blockAccesses/2:])
		clear(l.blocks[b].list[blockAccesses/2:])
		l.blocks[b].list = l.blocks[b].list[:blockAccesses/2]
		l.blocks[b].look()
		if i > blockAccesses/2 {
			b, i = b+1, i-blockAccesses/2
		}
	}
	k := &l.blocks[b]
	k.list = slices.Insert(k.list, i, a)
	k.from, k.end = k.list[0].From, max(k.end, a.To)
	l.count++
}

// begin makes a block with some accesses.
func (l *accesses) begin(b int, with []Access) {
	var list []Access
	if n := len(l.spare); n > 0 {
		list, l.spare = l.spare[n-1], l.spare[:n-1]
	}
	k := accessBlock{list: append(list, with...)}
	k.look()
	l.blocks = slices.Insert(l.blocks, b, k)
}

// look finds where the accesses of a block begin and end.
func (k *accessBlock) look() {
	k.end = 0
	for i := range k.list {
		k.end = max(k.end, k.list[i].To)
	}
	if len(k.list) > 0 {
		k.from = k.list[0].From
	}
}

// addAll records the accesses of one call.
func (l *accesses) addAll(all []Access) {
	slices.SortStableFunc(all, func(a, b Access) int { return cmp.Compare(a.From, b.From) })
	for _, a := range all {
		l.add(a)
	}
}

// forget drops all accesses, or without rewrites only the reads.
func (l *accesses) forget(rewrites bool) {
	kept := l.blocks[:0]
	l.count = 0
	for _, k := range l.blocks {
		k.list = slices.DeleteFunc(k.list, func(a Access) bool { return rewrites || a.Kind == Gets })
		if len(k.list) == 0 {
			l.spare = append(l.spare, k.list)
			continue
		}
		k.look()
		l.count += len(k.list)
		kept = append(kept, k)
	}
	clear(l.blocks[len(kept):])
	if l.blocks = kept; l.count == 0 {
		l.longest = 0
	}
}

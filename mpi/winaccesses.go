package mpi

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
	spare   [][]access // the memory of blocks that are no more
}

// An accessBlock is a part of the list. Blocks that end before a location are passed over: a single long access makes
// longest say little.
type accessBlock struct {
	list []access
	from uint64 // of the first one
	end  uint64 // of all
}

// blockAccesses is the length of a full block.
const blockAccesses = 128

// conflicting returns an access that must not be in one epoch with a, or nil.
func (l *accesses) conflicting(a *access) *access {
	for o := range l.overlapping(a) {
		if o.conflicts(a, true) {
			return o
		}
	}
	return nil
}

// covers reports whether there is an access like a that includes its whole location.
func (l *accesses) covers(a *access) bool {
	for o := range l.overlapping(a) {
		if o.from <= a.from && a.to <= o.to && o.like(a) {
			return true
		}
	}
	return false
}

// overlapping iterates over the accesses that share bytes with a, from the last one on.
func (l *accesses) overlapping(a *access) iter.Seq[*access] {
	return func(yield func(*access) bool) {
		for b, i := l.after(a.to - 1); b >= 0 && b < len(l.blocks); b-- {
			k := &l.blocks[b]
			if k.end > a.from {
				for i--; i >= 0; i-- {
					o := &k.list[i]
					if o.from+l.longest <= a.from {
						return // those before it do not reach a, either
					}
					if o.to > a.from && !yield(o) {
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
func (l *accesses) each() iter.Seq[*access] {
	return func(yield func(*access) bool) {
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
	if n := len(list); list[n-1].from <= at { // most often
		return b, n
	}
	i, _ = slices.BinarySearchFunc(list, at, func(a access, at uint64) int {
		if a.from <= at {
			return -1
		}
		return 1
	})
	return b, i
}

// add records a, or extends the access before it if that is like a and ends where a
// begins.
func (l *accesses) add(a access) {
	b, i := l.after(a.from)
	if i > 0 {
		k := &l.blocks[b]
		if o := &k.list[i-1]; o.to == a.from && o.like(&a) && !a.summed {
			o.to, o.summed = a.to, false
			l.longest = max(l.longest, o.to-o.from)
			k.end = max(k.end, o.to)
			return
		}
	}
	l.longest = max(l.longest, a.to-a.from)
	l.insert(b, i, a)
}

// insert puts a at an index of a block. A full block is cut in halves; at the ends of the list a new one begins, so that
// accesses in ascending or descending order fill their blocks.
func (l *accesses) insert(b, i int, a access) {
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
	k.from, k.end = k.list[0].from, max(k.end, a.to)
	l.count++
}

// begin makes a block with some accesses.
func (l *accesses) begin(b int, with []access) {
	var list []access
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
		k.end = max(k.end, k.list[i].to)
	}
	if len(k.list) > 0 {
		k.from = k.list[0].from
	}
}

// addAll records the accesses of one call.
func (l *accesses) addAll(all []access) {
	slices.SortStableFunc(all, func(a, b access) int { return cmp.Compare(a.from, b.from) })
	for _, a := range all {
		l.add(a)
	}
}

// forget drops all accesses, or without rewrites only the reads.
func (l *accesses) forget(rewrites bool) {
	kept := l.blocks[:0]
	l.count = 0
	for _, k := range l.blocks {
		k.list = slices.DeleteFunc(k.list, func(a access) bool { return rewrites || a.kind == gets })
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

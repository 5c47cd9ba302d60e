package layout

import (
	"sort"

	"rhinet/internal/strided"
)

// A node says where bytes lie. Its displacement at is relative to the node that contains it.
//
//	run    size bytes
//	loop   count times child, stride apart
//	list   len(ats) pieces, at ats[i]: kids[i], or runs if kids is nil; ends[i]
//	       bytes of data end with piece i
type node struct {
	kind          kind
	at            int
	size          int
	count, stride int
	child         *node
	ats, ends     []int
	kids          []*node
}

type kind uint8

const (
	run kind = iota
	loop
	list
)

// A placed is a node with a displacement.
type placed struct {
	at int
	n  *node
}

// loopOf returns n of child, in its simplest form.
func loopOf(n, stride int, child *node) node {
	switch {
	case child.kind == run && child.size == stride:
		return node{kind: run, at: child.at, size: n * child.size}
	case child.kind == loop && child.count*child.stride == stride:
		return node{kind: loop, at: child.at, size: n * child.size, count: n * child.count, stride: child.stride, child: child.child}
	}
	return node{kind: loop, size: n * child.size, count: n, stride: stride, child: child}
}

// listOf returns one piece after the other, in its simplest form.
func listOf(list []placed) node {
	list = merged(list)
	if len(list) == 1 {
		n := *list[0].n
		n.at += list[0].at
		return n
	}
	if stride, ok := regular(list); ok {
		n := loopOf(len(list), stride, list[0].n)
		n.at += list[0].at
		return n
	}
	return pieces(list)
}

// merged joins adjacent runs, in place.
func merged(in []placed) []placed {
	out := in[:0]
	for _, p := range in {
		if k := len(out) - 1; k >= 0 && p.n.kind == run && out[k].n.kind == run && out[k].at+out[k].n.at+out[k].n.size == p.at+p.n.at {
			joint := *out[k].n
			joint.size += p.n.size
			out[k].n = &joint
			continue
		}
		out = append(out, p)
	}
	return out
}

// regular reports whether the pieces are alike and equally far apart.
func regular(list []placed) (stride int, ok bool) {
	stride = list[1].at - list[0].at
	for i, p := range list {
		if !alike(p.n, list[0].n) || i > 0 && p.at-list[i-1].at != stride {
			return 0, false
		}
	}
	return stride, true
}

func alike(a, b *node) bool {
	return a == b || a.kind == run && b.kind == run && a.at == b.at && a.size == b.size
}

func pieces(in []placed) node {
	n := node{kind: list, ats: make([]int, len(in)), ends: make([]int, len(in))}
	for i, p := range in {
		n.size += p.n.size
		n.ats[i], n.ends[i] = p.at, n.size
		if p.n.kind != run && n.kids == nil {
			n.kids = make([]*node, len(in))
		}
	}
	for i, p := range in {
		if n.kids == nil {
			n.ats[i] += p.n.at
		} else {
			n.kids[i] = p.n
		}
	}
	return n
}

// find returns the piece of a list that holds byte skip of its data, and how
// many bytes of data come before it.
func (n *node) find(skip int) (i, before int) {
	i = sort.SearchInts(n.ends, skip+1)
	return i, n.before(i)
}

// before returns how many bytes of the data of a list come before piece i.
func (n *node) before(i int) int {
	if i == 0 {
		return 0
	}
	return n.ends[i-1]
}

// pieces returns the number of pieces of n, some of which may be adjacent.
func (n *node) pieces() (sum int) {
	switch {
	case n.kind == run:
		return 1
	case n.kind == loop:
		return n.count * n.child.pieces()
	case n.kids == nil:
		return len(n.ats)
	}
	for _, k := range n.kids {
		sum += k.pieces()
	}
	return sum
}

// blocks returns how the data of n lies if it consists of blocks of one length at equal distances, in order
// and without overlap; otherwise one piece.
func (n *node) blocks() (b strided.Blocks) {
	if n.kind != loop || n.child.kind != run {
		return b
	}
	if b = (strided.Blocks{Block: n.child.size, Stride: n.stride}); !b.Valid() {
		return strided.Blocks{}
	}
	return b
}

// Package layout describes where the bytes of a message lie in memory, and copies them between there and a
// packed form.
//
// A [Type] is what MPI calls a type map (MPI 4.1, section 5.1): a sequence of basic elements, each with a
// displacement in bytes from an origin. It is stored as a small tree of runs, loops and lists: a column of
// a matrix takes as little memory as a matrix, and any byte of the message is found in a few steps. A Type
// never changes, so it may be shared.
package layout

import (
	"errors"
	"fmt"
	"math/bits"

	"rhinet/internal/strided"
)

// Limit is the largest size, and the largest displacement, in bytes.
const Limit = 1 << 48

// errLarge reports a layout that no memory can hold.
var errLarge = errors.New("it reaches beyond 2^48 bytes; use smaller numbers")

// A Type is a layout: bytes of data and their displacements from an origin.
type Type struct {
	size   int  // bytes of data
	basics int  // basic elements
	lb, ub int  // bounds, which determine where the next element begins
	marked bool // the bounds are explicit: MPI's lb_marker and ub_marker
	lo, hi int  // displacements of the first byte of data, and of the byte behind the last
	sig    *Signature
	root   node
}

// Leaf returns a layout of the given number of bytes at the origin, with signature sig, which are so many
// basic elements.
func Leaf(bytes, basics int, sig *Signature) *Type {
	return &Type{size: bytes, basics: basics, ub: bytes, hi: bytes, sig: sig, root: node{kind: run, size: bytes}}
}

// Empty returns a layout without data.
func Empty() *Type { return &Type{sig: &Signature{}, root: node{kind: run}} }

// Size returns the bytes of data (MPI_Type_size).
func (t *Type) Size() int { return t.size }

// LB returns the lower bound, in bytes from the origin.
func (t *Type) LB() int { return t.lb }

// Extent returns the distance in bytes between consecutive elements (MPI_Type_get_extent).
func (t *Type) Extent() int { return t.ub - t.lb }

// TrueLB returns the displacement of the first byte of data.
func (t *Type) TrueLB() int { return t.lo }

// TrueExtent returns how many bytes the data spans, including gaps (MPI_Type_get_true_extent).
func (t *Type) TrueExtent() int { return t.hi - t.lo }

// Elements returns how many basic elements n bytes of the data of layouts t, one after the other, hold, and
// whether they end with a whole one; -1 if that is not known.
func (t *Type) Elements(n int) (count int, whole bool) {
	switch {
	case n == 0:
		return 0, true
	case t.size > 0 && n%t.size == 0:
		return n / t.size * t.basics, true
	}
	return t.sig.Elements(n)
}

// Signature returns the signature of the data.
func (t *Type) Signature() *Signature { return t.sig }

// Dense reports whether the data is one piece without gaps, and where it begins.
func (t *Type) Dense() (at int, dense bool) { return t.root.at, t.root.kind == run }

// Blocks returns where the data begins and how it lies, if it consists of blocks of one length at equal
// distances, in order and without overlap; otherwise b is one piece.
func (t *Type) Blocks() (at int, b strided.Blocks) {
	n := &t.root
	if b = n.blocks(); b.One() {
		return 0, b
	}
	return n.at + n.child.at, b
}

// A Member is a layout at a displacement in bytes.
type Member struct {
	At   int
	Type *Type
}

// Resized returns t with another lower bound and extent, which are explicit: they prevail over the bounds of
// members of a [Struct] that has t.
//
// MPI 4.1, sections 5.1.6 and 5.1.7.
func Resized(t *Type, lb, extent int) (*Type, error) {
	if tooLarge(lb) || tooLarge(extent) {
		return nil, errLarge
	}
	r := *t
	r.lb, r.ub, r.marked = lb, lb+extent, true
	return &r, nil
}

// Within returns t, the data of a value of size bytes, with the bounds of that value, which are not explicit.
func Within(t *Type, size int) *Type {
	r := *t
	r.lb, r.ub, r.marked = 0, size, false
	return &r
}

// void reports whether t has neither data nor explicit bounds.
func (t *Type) void() bool { return t.size == 0 && !t.marked && t.lb == t.ub }

// Hvector returns count blocks of n of t; the origins of the blocks are stride bytes apart.
//
// MPI 4.1, section 5.1.2.
func Hvector(count, n, stride int, t *Type) (*Type, error) {
	if count < 0 || n < 0 {
		return nil, fmt.Errorf("%d blocks of %d elements", count, n)
	}
	block, err := repeat(n, t.Extent(), t)
	if err != nil {
		return nil, err
	}
	return repeat(count, stride, block)
}

// Contiguous returns n of t, one after the other.
//
// MPI 4.1, section 5.1.2.
func Contiguous(n int, t *Type) (*Type, error) { return Hvector(1, n, 0, t) }

// repeat returns n of t, stride bytes apart.
func repeat(n, stride int, t *Type) (*Type, error) {
	switch {
	case n == 0 || t.void():
		return Empty(), nil
	case n == 1:
		return t, nil
	}
	size, ok := product(n, t.size)
	far, fits := product(n-1, stride)
	if !ok || !fits || tooLarge(far+t.ub) || tooLarge(far+t.lb) {
		return nil, errLarge
	}
	down, up := min(0, far), max(0, far)
	r := &Type{
		size: size, basics: n * t.basics, lb: t.lb + down, ub: t.ub + up, marked: t.marked,
		lo: t.lo + down, hi: t.hi + up, sig: t.sig,
	}
	r.root = loopOf(n, stride, &t.root)
	if t.size == 0 {
		r.lo, r.hi, r.root = 0, 0, node{kind: run}
	}
	return r, nil
}

// Struct returns all members in order. If some have explicit bounds, those alone determine the bounds of the
// result.
//
// MPI 4.1, sections 5.1.2 (MPI_Type_create_struct) and 5.1.6.
func Struct(members []Member) (*Type, error) {
	r := Empty()
	first, data := true, false
	parts, list := make([]*Type, 0, len(members)), make([]placed, 0, len(members))
	for _, m := range members {
		t := m.Type
		if t.void() {
			continue
		}
		if tooLarge(m.At) || tooLarge(m.At+t.lb) || tooLarge(m.At+t.ub) || r.size > Limit-t.size {
			return nil, errLarge
		}
		switch lb, ub := m.At+t.lb, m.At+t.ub; {
		case first || t.marked && !r.marked:
			r.lb, r.ub, r.marked = lb, ub, t.marked
		case t.marked == r.marked:
			r.lb, r.ub = min(r.lb, lb), max(r.ub, ub)
		}
		first = false
		if t.size == 0 {
			continue
		}
		if !data {
			r.lo, r.hi = m.At+t.lo, m.At+t.hi
		}
		data = true
		r.lo, r.hi = min(r.lo, m.At+t.lo), max(r.hi, m.At+t.hi)
		r.size += t.size
		r.basics += t.basics
		parts = append(parts, t)
		list = append(list, placed{m.At, &t.root})
	}
	if data {
		r.sig, r.root = joined(parts), listOf(list)
	}
	return r, nil
}

// Hindexed returns blocks of lens[i] of t at displs[i] bytes.
//
// MPI 4.1, section 5.1.2.
func Hindexed(lens, displs []int, t *Type) (*Type, error) {
	if len(lens) != len(displs) {
		return nil, fmt.Errorf("%d lengths for %d displacements", len(lens), len(displs))
	}
	members := make([]Member, 0, len(lens))
	var block *Type
	last := -1
	for i, n := range lens {
		if n < 0 {
			return nil, fmt.Errorf("block %d has %d elements", i, n)
		}
		if n == 0 {
			continue
		}
		if n != last {
			b, err := repeat(n, t.Extent(), t)
			if err != nil {
				return nil, err
			}
			block, last = b, n
		}
		members = append(members, Member{displs[i], block})
	}
	return Struct(members)
}

// Scaled converts displs from units of unit bytes to bytes.
func Scaled(displs []int, unit int) ([]int, error) {
	out := make([]int, len(displs))
	for i, d := range displs {
		v, ok := product(d, unit)
		if !ok {
			return nil, errLarge
		}
		out[i] = v
	}
	return out, nil
}

func tooLarge(n int) bool { return n > Limit || n < -Limit }

// product returns a times b, if that is within the limit.
func product(a, b int) (int, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > Limit {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int(lo), true
	}
	return int(lo), true
}

func magnitude(n int) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

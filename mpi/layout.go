package mpi

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"rhinet/internal/layout"
)

// A Layout says which elements of a slice a message consists of, and in which order: a
// derived datatype of MPI. It counts in elements of the slice that [View] lays it over,
// unless its name begins with H: then displacements are in bytes. Layouts nest: see
// [Layout.Of]. An invalid Layout, for example with a negative count, is an error of the
// call that uses it; [ShapeOf] tells earlier. [Layout.Contents] tells how a layout was
// made.
//
// MPI 4.1, section 5.1.
type Layout struct {
	name  string                // given by the program, or derived from such a name; else ""
	args  *LayoutContents       // not changed; nil: one element
	made  *atomic.Pointer[form] // the latest use, shared by copies; nil: no layout is needed
	attrs *attributes           // cached by the program; shared by copies
}

// A form is a layout over slices of one type.
type form struct {
	typ   reflect.Type
	l     *layout.Type
	apart atomic.Bool // no byte belongs to two elements
	elem  atomic.Pointer[itemElem]
}

// An itemElem describes the elements of messages of items, under a name that the program has given the layout.
type itemElem struct {
	named string
	elem
}

// elemOf returns what messages of items of l, whose form f is, consist of. It finds out once for a name.
func (f *form) elemOf(l Layout) *elem {
	e := f.elem.Load()
	if e == nil || e.named != l.name {
		e = &itemElem{l.name, elemOfItems(f.l, f.typ, fmt.Sprintf("%v of %v", l, f.typ))}
		f.elem.Store(e)
	}
	return &e.elem
}

// newLayout returns the layout that is made of args.
func newLayout(args LayoutContents) Layout {
	return Layout{args: &args, made: new(atomic.Pointer[form])}
}

// overElements is newLayout for elements of the slice.
func overElements(args LayoutContents) Layout {
	args.Inner = []Layout{{}}
	return newLayout(args)
}

// String returns how the layout was made, or the name given by [Layout.Named].
//
// MPI 4.1, section 7.8 (MPI_Type_get_name).
func (l Layout) String() string {
	switch {
	case l.name != "":
		return l.name
	case l.args == nil:
		return "one element"
	}
	return l.args.String()
}

// Named returns l with the name by which errors call it.
//
// MPI 4.1, section 7.8 (MPI_Type_set_name).
func (l Layout) Named(name string) Layout {
	l.name = name
	return l
}

// over returns the layout of elements of type t. It is made once for a type, so that a
// layout may be used as often as one likes.
func (l Layout) over(t reflect.Type) (*form, error) {
	if l.made != nil {
		if f := l.made.Load(); f != nil && f.typ == t {
			return f, nil
		}
	}
	made, err := l.build(t)
	if err != nil {
		return nil, err
	}
	f := &form{typ: t, l: made}
	if l.made != nil {
		l.made.Store(f)
	}
	return f, nil
}

// overlaps reports whether some byte belongs to two elements. It finds out once.
func (f *form) overlaps() bool {
	if f.apart.Load() {
		return false
	}
	overlaps := f.l.Overlaps()
	f.apart.Store(!overlaps)
	return overlaps
}

// build makes the layout over elements of type t.
func (l Layout) build(t reflect.Type) (*layout.Type, error) {
	if l.args == nil {
		return plain(t), nil
	}
	made, err := l.args.build(t)
	var inner *layoutError
	if err != nil && !errors.As(err, &inner) {
		name := l.name
		if name == "" {
			name = l.args.call()
		}
		err = &layoutError{name, err}
	}
	return made, err
}

// A layoutError is a mistake and the name of the layout that has it.
type layoutError struct {
	name string
	err  error
}

func (e *layoutError) Error() string { return e.name + ": " + e.err.Error() }

// Of returns l with inner in place of each element: the displacements of l count in
// extents of inner.
//
// MPI 4.1, section 5.1.2.
func (l Layout) Of(inner Layout) (r Layout) {
	switch {
	case l.args == nil:
		r = inner
	case l.args.Combiner == CombinerDup && len(l.args.Inner) == 1:
		r = l.args.Inner[0].Of(inner)
	default:
		args := *l.args
		args.Inner = make([]Layout, len(l.args.Inner))
		for i, m := range l.args.Inner {
			args.Inner[i] = m.Of(inner)
		}
		r = newLayout(args)
	}
	if l.name != "" {
		r.name = fmt.Sprintf("%s.Of(%v)", l.name, inner)
	}
	return r
}

// Resized returns l with another lower bound and extent, in bytes, which matter when
// several follow each other. In a [Struct] the bounds of resized members prevail: the
// other members have no influence on the bounds of the whole.
//
// MPI 4.1, sections 5.1.6 and 5.1.7 (MPI_Type_create_resized).
func (l Layout) Resized(lb, extent int) Layout {
	return newLayout(LayoutContents{Combiner: CombinerResized, LB: lb, Extent: extent, Inner: []Layout{l}})
}

// Contiguous is n elements, one after the other.
//
// MPI 4.1, section 5.1.2 (MPI_Type_contiguous).
func Contiguous(n int) Layout {
	return overElements(LayoutContents{Combiner: CombinerContiguous, Count: n})
}

// Vector is count blocks of blocklen elements, which begin stride elements apart: a
// column of a matrix of n columns, stored by rows, is Vector(rows, 1, n).
//
// MPI 4.1, section 5.1.2 (MPI_Type_vector).
func Vector(count, blocklen, stride int) Layout {
	return overElements(LayoutContents{Combiner: CombinerVector, Count: count, Blocklen: blocklen, Stride: stride})
}

// Hvector is [Vector] with the stride in bytes.
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_hvector).
func Hvector(count, blocklen, stride int) Layout {
	return overElements(LayoutContents{Combiner: CombinerHvector, Count: count, Blocklen: blocklen, Stride: stride})
}

// Indexed is blocks of blocklens[i] elements that begin at element displs[i].
//
// MPI 4.1, section 5.1.2 (MPI_Type_indexed).
func Indexed(blocklens, displs []int) Layout {
	return overElements(LayoutContents{Combiner: CombinerIndexed, Blocklens: slices.Clone(blocklens), Displs: slices.Clone(displs)})
}

// Hindexed is [Indexed] with displacements in bytes.
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_hindexed).
func Hindexed(blocklens, displs []int) Layout {
	return overElements(LayoutContents{Combiner: CombinerHindexed, Blocklens: slices.Clone(blocklens), Displs: slices.Clone(displs)})
}

// IndexedBlock is [Indexed] with blocks of equal length.
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_indexed_block).
func IndexedBlock(blocklen int, displs []int) Layout {
	return overElements(LayoutContents{Combiner: CombinerIndexedBlock, Blocklen: blocklen, Displs: slices.Clone(displs)})
}

// HindexedBlock is [Hindexed] with blocks of equal length.
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_hindexed_block).
func HindexedBlock(blocklen int, displs []int) Layout {
	return overElements(LayoutContents{Combiner: CombinerHindexedBlock, Blocklen: blocklen, Displs: slices.Clone(displs)})
}

// Subarray is the part of an array of sizes, stored by rows (the last index varies
// fastest), that begins at starts and has subsizes. Its extent is that of the whole
// array. For an array stored by columns, as in Fortran, pass the three lists in reverse
// order.
//
// MPI 4.1, section 5.1.3 (MPI_Type_create_subarray).
func Subarray(sizes, subsizes, starts []int) Layout {
	return overElements(LayoutContents{Combiner: CombinerSubarray,
		Sizes: slices.Clone(sizes), Subsizes: slices.Clone(subsizes), Starts: slices.Clone(starts)})
}

// A Dist is how one dimension of an array is distributed: see [Darray].
//
// MPI 4.1, section 5.1.4.
type Dist struct {
	Kind  DistKind
	Block int // indices in a block; 0 is MPI_DISTRIBUTE_DFLT_DARG
}

// A DistKind is a kind of distribution.
//
// MPI 4.1, section 5.1.4.
type DistKind uint8

// The kinds of distribution.
const (
	DistBlock  DistKind = iota // a block for each process; by default all but the last are equal
	DistCyclic                 // blocks in turn, by default of one index each
	DistNone                   // one process has all
)

// Darray is the part that process rank of size has of an array of sizes, stored by
// rows, that is distributed over a grid of psizes processes, numbered by rows.
//
// MPI 4.1, section 5.1.4 (MPI_Type_create_darray).
func Darray(size, rank int, sizes []int, dists []Dist, psizes []int) Layout {
	return overElements(LayoutContents{Combiner: CombinerDarray, Size: size, Rank: rank,
		Sizes: slices.Clone(sizes), Dists: slices.Clone(dists), Psizes: slices.Clone(psizes)})
}

// A Member is a layout at a displacement in bytes: see [Struct].
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_struct).
type Member struct {
	At     int
	Layout Layout
}

// Struct is several layouts, each at its displacement, in the order of members. For the
// fields of a Go struct see [Fields].
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_struct).
func Struct(members ...Member) Layout {
	args := LayoutContents{Combiner: CombinerStruct}
	for _, m := range members {
		args.Displs, args.Inner = append(args.Displs, m.At), append(args.Inner, m.Layout)
	}
	return newLayout(args)
}

// Fields is the named fields of a struct T, in the order of names; without names, all
// fields except those with the tag `mpi:"-"`, in order. Memory between them, including
// padding, does not travel. The extent is the size of T, so
// Contiguous(n).Of(Fields[T]()) is n structs. It must be laid over a []T.
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_struct).
func Fields[T any](names ...string) Layout {
	return newLayout(LayoutContents{Combiner: CombinerFields, Type: reflect.TypeFor[T](), Names: slices.Clone(names)})
}

// A Shape is the sizes and bounds of a layout, in bytes.
//
// MPI 4.1, sections 5.1.5 to 5.1.8.
type Shape struct {
	Size       int // of the data (MPI_Type_size)
	LB, Extent int // bounds: where the next one follows (MPI_Type_get_extent)
	TrueLB     int // where the data begins
	TrueExtent int // span of the data, with gaps (MPI_Type_get_true_extent)
}

// ShapeOf returns the shape of l over a []T, or why l is invalid.
//
// MPI 4.1, sections 5.1.5 to 5.1.8.
func ShapeOf[T any](l Layout) (Shape, error) {
	f, err := l.over(reflect.TypeFor[T]())
	if err != nil {
		var none *Comm
		return Shape{}, none.errorAt(at("ShapeOf"), ErrLayout, "%v", err)
	}
	t := f.l
	return Shape{t.Size(), t.LB(), t.Extent(), t.TrueLB(), t.TrueExtent()}, nil
}

package mpi

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"rhinet/internal/layout"
)

// A Layout says which elements of a slice a message consists of, and in which order: a
// derived datatype of MPI. It counts in elements of the slice that [View] lays it over,
// unless its name begins with H: then displacements are in bytes. Layouts nest: see
// [Layout.Of]. An invalid Layout, for example with a negative count, is an error of the
// call that uses it; [ShapeOf] tells earlier.
//
// MPI 4.1, section 5.1.
type Layout struct {
	name  label
	make  func(*leaf) (*layout.Type, error)
	made  *atomic.Pointer[form] // the latest use, shared by copies; nil: no layout is needed
	attrs *attributes           // cached by the program; shared by copies
}

// A label is a name that is only put together if somebody asks for it.
type label struct {
	format string
	args   []any
}

// A form is a layout over slices of one type.
type form struct {
	typ   reflect.Type
	l     *layout.Type
	apart atomic.Bool // no byte belongs to two elements
}

// A leaf is the element that a layout counts in.
type leaf struct {
	typ reflect.Type // of the slice
	l   *layout.Type
}

// inside returns the leaf whose elements are l.
func (e *leaf) inside(l *layout.Type) *leaf { return &leaf{e.typ, l} }

func layoutOf(make func(*leaf) (*layout.Type, error), name string, args ...any) Layout {
	return Layout{name: label{name, args}, make: make, made: new(atomic.Pointer[form])}
}

// String returns how the layout was made, or the name given by [Layout.Named].
//
// MPI 4.1, section 7.8 (MPI_Type_get_name).
func (l Layout) String() string {
	if l.name.format == "" {
		return "one element"
	}
	return fmt.Sprintf(l.name.format, l.name.args...)
}

// Named returns l with the name by which errors call it.
//
// MPI 4.1, section 7.8 (MPI_Type_set_name).
func (l Layout) Named(name string) Layout {
	if l.name = (label{}); name != "" {
		l.name = label{"%s", []any{name}}
	}
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
	made, err := l.build(leafOf(t))
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

// build makes the layout of elements e.
func (l Layout) build(e *leaf) (*layout.Type, error) {
	if l.make == nil {
		return e.l, nil
	}
	t, err := l.make(e)
	var inner *layoutError
	if err != nil && !errors.As(err, &inner) {
		err = &layoutError{l.String(), err}
	}
	return t, err
}

// A layoutError is a mistake and the name of the layout that has it.
type layoutError struct {
	name string
	err  error
}

func (e *layoutError) Error() string { return e.name + ": " + e.err.Error() }

// Of returns l with inner in place of each element: the displacements of l count in
// extents of inner.
func (l Layout) Of(inner Layout) Layout {
	return layoutOf(func(e *leaf) (*layout.Type, error) {
		t, err := inner.build(e)
		if err != nil {
			return nil, err
		}
		return l.build(e.inside(t))
	}, "%v.Of(%v)", l, inner)
}

// Resized returns l with another lower bound and extent, in bytes, which matter when
// several follow each other. In a [Struct] the bounds of resized members prevail: the
// other members have no influence on the bounds of the whole.
//
// MPI 4.1, sections 5.1.6 and 5.1.7 (MPI_Type_create_resized).
func (l Layout) Resized(lb, extent int) Layout {
	return layoutOf(func(e *leaf) (*layout.Type, error) {
		t, err := l.build(e)
		if err != nil {
			return nil, err
		}
		return layout.Resized(t, lb, extent)
	}, "%v.Resized(%d, %d)", l, lb, extent)
}

// Contiguous is n elements, one after the other.
//
// MPI 4.1, section 5.1.2 (MPI_Type_contiguous).
func Contiguous(n int) Layout {
	return layoutOf(func(e *leaf) (*layout.Type, error) { return layout.Contiguous(n, e.l) }, "Contiguous(%d)", n)
}

// Vector is count blocks of blocklen elements, which begin stride elements apart: a
// column of a matrix of n columns, stored by rows, is Vector(rows, 1, n).
//
// MPI 4.1, section 5.1.2 (MPI_Type_vector).
func Vector(count, blocklen, stride int) Layout {
	return layoutOf(func(e *leaf) (*layout.Type, error) {
		by, err := layout.Scaled([]int{stride}, e.l.Extent())
		if err != nil {
			return nil, err
		}
		return layout.Hvector(count, blocklen, by[0], e.l)
	}, "Vector(%d, %d, %d)", count, blocklen, stride)
}

// Hvector is [Vector] with the stride in bytes.
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_hvector).
func Hvector(count, blocklen, stride int) Layout {
	return layoutOf(func(e *leaf) (*layout.Type, error) { return layout.Hvector(count, blocklen, stride, e.l) },
		"Hvector(%d, %d, %d)", count, blocklen, stride)
}

// Indexed is blocks of blocklens[i] elements that begin at element displs[i].
//
// MPI 4.1, section 5.1.2 (MPI_Type_indexed).
func Indexed(blocklens, displs []int) Layout {
	blocklens, displs = slices.Clone(blocklens), slices.Clone(displs)
	return layoutOf(func(e *leaf) (*layout.Type, error) {
		by, err := layout.Scaled(displs, e.l.Extent())
		if err != nil {
			return nil, err
		}
		return layout.Hindexed(blocklens, by, e.l)
	}, "Indexed(%d blocks)", len(displs))
}

// Hindexed is [Indexed] with displacements in bytes.
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_hindexed).
func Hindexed(blocklens, displs []int) Layout {
	blocklens, displs = slices.Clone(blocklens), slices.Clone(displs)
	return layoutOf(func(e *leaf) (*layout.Type, error) { return layout.Hindexed(blocklens, displs, e.l) },
		"Hindexed(%d blocks)", len(displs))
}

// IndexedBlock is [Indexed] with blocks of equal length.
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_indexed_block).
func IndexedBlock(blocklen int, displs []int) Layout {
	l := blocksOf(blocklen, Indexed(same(blocklen, len(displs)), displs))
	l.name = label{"IndexedBlock(%d, %d blocks)", []any{blocklen, len(displs)}}
	return l
}

// HindexedBlock is [Hindexed] with blocks of equal length.
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_hindexed_block).
func HindexedBlock(blocklen int, displs []int) Layout {
	l := blocksOf(blocklen, Hindexed(same(blocklen, len(displs)), displs))
	l.name = label{"HindexedBlock(%d, %d blocks)", []any{blocklen, len(displs)}}
	return l
}

// blocksOf returns l, whose blocks have blocklen elements each. That must not be negative
// even if there are no blocks.
func blocksOf(blocklen int, l Layout) Layout {
	if blocklen < 0 {
		l.make = func(*leaf) (*layout.Type, error) { return nil, fmt.Errorf("blocks of %d elements", blocklen) }
	}
	return l
}

// same is n times v.
func same(v, n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// Subarray is the part of an array of sizes, stored by rows (the last index varies
// fastest), that begins at starts and has subsizes. Its extent is that of the whole
// array. For an array stored by columns, as in Fortran, pass the three lists in reverse
// order.
//
// MPI 4.1, section 5.1.3 (MPI_Type_create_subarray).
func Subarray(sizes, subsizes, starts []int) Layout {
	sizes, subsizes, starts = slices.Clone(sizes), slices.Clone(subsizes), slices.Clone(starts)
	return layoutOf(func(e *leaf) (*layout.Type, error) {
		ranges, err := layout.Subarray(sizes, subsizes, starts)
		if err != nil {
			return nil, err
		}
		return layout.Array(sizes, ranges, e.l)
	}, "Subarray(%v, %v, %v)", sizes, subsizes, starts)
}

// A Dist is how one dimension of an array is distributed: see [Darray].
type Dist struct {
	Kind  DistKind
	Block int // indices in a block; 0 is MPI_DISTRIBUTE_DFLT_DARG
}

// A DistKind is a kind of distribution.
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
	sizes, dists, psizes = slices.Clone(sizes), slices.Clone(dists), slices.Clone(psizes)
	return layoutOf(func(e *leaf) (*layout.Type, error) {
		ranges, err := distribute(size, rank, sizes, dists, psizes)
		if err != nil {
			return nil, err
		}
		return layout.Array(sizes, ranges, e.l)
	}, "Darray(%d, %d, %v, %v, %v)", size, rank, sizes, dists, psizes)
}

// distribute returns the indices of one process.
func distribute(size, rank int, sizes []int, dists []Dist, psizes []int) ([][]layout.Range, error) {
	if len(sizes) == 0 || len(dists) != len(sizes) || len(psizes) != len(sizes) {
		return nil, fmt.Errorf("%d sizes, %d distributions and %d sizes of the grid; give one of each for every dimension", len(sizes), len(dists), len(psizes))
	}
	all := 1
	for _, p := range psizes {
		if p < 1 || all > size/p {
			all = 0
			break
		}
		all *= p
	}
	if all != size || rank < 0 || rank >= size {
		return nil, fmt.Errorf("process %d of %d in a grid of %v; the sizes of the grid must multiply to the number of processes", rank, size, psizes)
	}
	ranges := make([][]layout.Range, len(sizes))
	for d := len(sizes) - 1; d >= 0; d-- {
		n, p, block := sizes[d], psizes[d], dists[d].Block
		coord := rank % p
		rank /= p
		switch kind := dists[d].Kind; {
		case n < 1 || block < 0:
			return nil, fmt.Errorf("%d indices in blocks of %d in dimension %d", n, block, d)
		case kind == DistNone && p != 1:
			return nil, fmt.Errorf("dimension %d is not distributed, and the grid has %d processes there", d, p)
		case kind == DistNone:
			block = n
		case kind == DistBlock && block == 0:
			block = (n + p - 1) / p
		case kind == DistBlock && block*p < n:
			return nil, fmt.Errorf("%d blocks of %d do not hold the %d indices of dimension %d", p, block, n, d)
		case kind > DistNone:
			return nil, fmt.Errorf("there is no distribution %d", kind)
		}
		ranges[d] = layout.Distributed(n, max(block, 1), p, coord)
	}
	return ranges, nil
}

// A Member is a layout at a displacement in bytes: see [Struct].
type Member struct {
	At     int
	Layout Layout
}

// Struct is several layouts, each at its displacement, in the order of members. For the
// fields of a Go struct see [Fields].
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_struct).
func Struct(members ...Member) Layout {
	members = slices.Clone(members)
	return layoutOf(func(e *leaf) (*layout.Type, error) {
		var parts []layout.Member
		for _, m := range members {
			t, err := m.Layout.build(e)
			if err != nil {
				return nil, err
			}
			parts = append(parts, layout.Member{At: m.At, Type: t})
		}
		return layout.Struct(parts)
	}, "Struct(%d members)", len(members))
}

// Fields is the named fields of a struct T, in the order of names; without names, all
// fields except those with the tag `mpi:"-"`, in order. Memory between them, including
// padding, does not travel. The extent is the size of T, so
// Contiguous(n).Of(Fields[T]()) is n structs. It must be laid over a []T.
//
// MPI 4.1, section 5.1.2 (MPI_Type_create_struct).
func Fields[T any](names ...string) Layout {
	t, names := reflect.TypeFor[T](), slices.Clone(names)
	return layoutOf(func(e *leaf) (*layout.Type, error) {
		if e.typ != t {
			return nil, fmt.Errorf("fields of %v are not those of %v; lay it over a slice of %v", t, e.typ, t)
		}
		return fieldsOf(t, names)
	}, "Fields[%v](%s)", t, strings.Join(names, ", "))
}

func fieldsOf(t reflect.Type, names []string) (*layout.Type, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is not a struct", t)
	}
	var members []layout.Member
	for i := range t.NumField() {
		if f := t.Field(i); len(names) == 0 && f.Tag.Get("mpi") != "-" && f.Name != "_" {
			members = append(members, layout.Member{At: int(f.Offset), Type: tight(f.Type)})
		}
	}
	for _, name := range names {
		f, ok := t.FieldByName(name)
		if !ok || len(f.Index) > 1 {
			return nil, fmt.Errorf("%v has no field %s of its own", t, name)
		}
		members = append(members, layout.Member{At: int(f.Offset), Type: tight(f.Type)})
	}
	for _, m := range members {
		if m.Type == nil {
			return nil, fmt.Errorf("%v %s", t, unfit(t))
		}
	}
	l, err := layout.Struct(members)
	if err != nil {
		return nil, err
	}
	return layout.Within(l, int(t.Size())), nil
}

// tight returns a value of type t without its padding, or nil if it cannot travel.
func tight(t reflect.Type) *layout.Type {
	if unfit(t) != "" {
		return nil
	}
	var l *layout.Type
	var err error
	switch t.Kind() {
	case reflect.Struct:
		var members []layout.Member
		for i := range t.NumField() {
			members = append(members, layout.Member{At: int(t.Field(i).Offset), Type: tight(t.Field(i).Type)})
		}
		if l, err = layout.Struct(members); err == nil {
			l = layout.Within(l, int(t.Size()))
		}
	case reflect.Array:
		l, err = layout.Contiguous(t.Len(), tight(t.Elem()))
	default:
		return plain(t)
	}
	if err != nil {
		return nil
	}
	return l
}

// plain returns a value of type t as it is in memory.
func plain(t reflect.Type) *layout.Type {
	return layout.Leaf(int(t.Size()), basicsOf(t), signatureOf(t))
}

// basicsOf returns the number of basic elements of a value of type t, which can travel.
func basicsOf(t reflect.Type) (n int) {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() * basicsOf(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			n += basicsOf(t.Field(i).Type)
		}
		return n
	}
	return 1
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

func leafOf(t reflect.Type) *leaf { return &leaf{t, plain(t)} }

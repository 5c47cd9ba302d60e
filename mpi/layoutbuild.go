package mpi

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rhinet/internal/layout"
)

// build makes the layout over elements of type t, or says what is wrong with the
// arguments and what to do.
func (k *LayoutContents) build(t reflect.Type) (*layout.Type, error) {
	if err := k.check(); err != nil {
		return nil, err
	}
	inner := make([]*layout.Type, len(k.Inner))
	for i, l := range k.Inner {
		var err error
		if inner[i], err = l.build(t); err != nil {
			return nil, err
		}
	}
	switch k.Combiner {
	case CombinerFields:
		if t != k.Type {
			return nil, fmt.Errorf("fields of %v are not those of %v; lay it over a slice of %v", k.Type, t, k.Type)
		}
		return fieldsOf(t, k.Names)
	case CombinerStruct:
		var parts []layout.Member
		for i, m := range inner {
			parts = append(parts, layout.Member{At: k.Displs[i], Type: m})
		}
		return layout.Struct(parts)
	}
	return k.buildOf(inner[0])
}

// buildOf is build for what is made of one layout. The arguments are right.
func (k *LayoutContents) buildOf(e *layout.Type) (*layout.Type, error) {
	unit, lens := 1, k.Blocklens
	switch k.Combiner {
	case CombinerVector, CombinerIndexed, CombinerIndexedBlock:
		unit = e.Extent()
	}
	switch k.Combiner {
	case CombinerContiguous:
		return layout.Contiguous(k.Count, e)
	case CombinerVector, CombinerHvector:
		by, err := layout.Scaled([]int{k.Stride}, unit)
		if err != nil {
			return nil, err
		}
		return layout.Hvector(k.Count, k.Blocklen, by[0], e)
	case CombinerIndexedBlock, CombinerHindexedBlock:
		lens = slices.Repeat([]int{k.Blocklen}, len(k.Displs))
		fallthrough
	case CombinerIndexed, CombinerHindexed:
		by, err := layout.Scaled(k.Displs, unit)
		if err != nil {
			return nil, err
		}
		return layout.Hindexed(lens, by, e)
	case CombinerSubarray:
		indices, err := layout.Subarray(k.Sizes, k.Subsizes, k.Starts)
		if err != nil {
			return nil, err
		}
		return layout.Array(k.Sizes, indices, e)
	case CombinerDarray:
		indices, err := k.distribute()
		if err != nil {
			return nil, err
		}
		return layout.Array(k.Sizes, indices, e)
	case CombinerResized:
		return layout.Resized(e, k.LB, k.Extent)
	}
	return e, nil // Dup
}

// check returns what is wrong with the arguments, or nil.
func (k *LayoutContents) check() error {
	if k.Combiner >= numCombiners {
		return errors.New("there is no such call; use one of the combiners, such as CombinerVector")
	}
	if n := len(k.Inner); k.Combiner != CombinerStruct && k.Combiner != CombinerFields && n != 1 {
		return fmt.Errorf("%d inner layouts; give one", n)
	}
	switch k.Combiner {
	case CombinerContiguous:
		return atLeast(0, "%d elements", k.Count)
	case CombinerVector, CombinerHvector:
		return cmp.Or(atLeast(0, "%d blocks", k.Count), atLeast(0, "blocks of %d elements", k.Blocklen))
	case CombinerIndexedBlock, CombinerHindexedBlock:
		return atLeast(0, "blocks of %d elements", k.Blocklen)
	case CombinerIndexed, CombinerHindexed:
		if len(k.Blocklens) != len(k.Displs) {
			return fmt.Errorf("%d blocklens and %d displs; give one of each for every block", len(k.Blocklens), len(k.Displs))
		}
		return allAtLeast(0, "blocklens", k.Blocklens)
	case CombinerStruct:
		if len(k.Displs) != len(k.Inner) {
			return fmt.Errorf("%d displs and %d inner layouts; give one of each for every member", len(k.Displs), len(k.Inner))
		}
	case CombinerFields:
		if k.Type == nil {
			return errors.New("it has no type; give that of a struct")
		}
	case CombinerDarray:
		return k.checkDarray()
	}
	return nil
}

// atLeast returns the error of a number below least.
func atLeast(least int, what string, n int) error {
	if n >= least {
		return nil
	}
	return fmt.Errorf(what+"; give %d or more", n, least)
}

// allAtLeast is atLeast for a list.
func allAtLeast(least int, name string, list []int) error {
	for i, n := range list {
		if n < least {
			return fmt.Errorf("%s[%d] is %d; give %d or more", name, i, n, least)
		}
	}
	return nil
}

func (k *LayoutContents) checkDarray() error {
	n := len(k.Sizes)
	if n == 0 || len(k.Dists) != n || len(k.Psizes) != n {
		return fmt.Errorf("%d sizes, %d dists and %d psizes; give one of each for every dimension", n, len(k.Dists), len(k.Psizes))
	}
	if err := cmp.Or(allAtLeast(1, "sizes", k.Sizes), allAtLeast(1, "psizes", k.Psizes)); err != nil {
		return err
	}
	left := k.Size // processes for each point of the dimensions so far
	for _, p := range k.Psizes {
		if left%p != 0 {
			left = 0
		}
		left /= p
	}
	switch {
	case left != 1:
		return fmt.Errorf("a grid of %v for %d processes; give psizes that multiply to the number of processes", k.Psizes, k.Size)
	case k.Rank < 0 || k.Rank >= k.Size:
		return fmt.Errorf("there is no rank %d; ranks are 0 to %d", k.Rank, k.Size-1)
	}
	for d, n := range k.Sizes {
		p, kind, block := k.Psizes[d], k.Dists[d].Kind, k.Dists[d].Block
		switch {
		case kind > DistNone:
			return fmt.Errorf("dists[%d].Kind is %d; use DistBlock, DistCyclic or DistNone", d, kind)
		case block < 0:
			return fmt.Errorf("dists[%d].Block is %d; give the indices in a block, or 0 for the default", d, block)
		case kind == DistNone && p != 1:
			return fmt.Errorf("dimension %d is not distributed, and psizes[%d] is %d; make it 1, or use DistBlock or DistCyclic", d, d, p)
		case kind == DistBlock && block > 0 && block < (n-1)/p+1:
			return fmt.Errorf("%d blocks of %d do not hold the %d indices of dimension %d; use blocks of %d or more, or DistCyclic", p, block, n, d, (n-1)/p+1)
		}
	}
	return nil
}

// distribute returns the indices of a process in each dimension of a Darray.
func (k *LayoutContents) distribute() (indices []layout.Indices, err error) {
	rank := k.Rank
	indices = make([]layout.Indices, len(k.Sizes))
	for d := len(k.Sizes) - 1; d >= 0; d-- {
		n, p, block := k.Sizes[d], k.Psizes[d], k.Dists[d].Block
		switch k.Dists[d].Kind {
		case DistNone:
			block = n
		case DistBlock:
			block = cmp.Or(block, (n-1)/p+1)
		}
		if indices[d], err = layout.Distributed(n, max(block, 1), p, rank%p); err != nil {
			return nil, err
		}
		rank /= p
	}
	return indices, nil
}

func fieldsOf(t reflect.Type, names []string) (*layout.Type, error) {
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%v is not a struct; use a struct, or a layout of elements", t)
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
			return nil, fmt.Errorf("%v has no field %s of its own; its fields are %s", t, name, fieldNames(t))
		}
		members = append(members, layout.Member{At: int(f.Offset), Type: tight(f.Type)})
	}
	for _, m := range members {
		if m.Type == nil {
			return nil, fmt.Errorf("%v %s; name the other fields, or give it the tag `mpi:\"-\"`", t, unfit(t))
		}
	}
	l, err := layout.Struct(members)
	if err != nil {
		return nil, err
	}
	return layout.Within(l, int(t.Size())), nil
}

// fieldNames lists the fields of a struct.
func fieldNames(t reflect.Type) string {
	var names []string
	for i := range t.NumField() {
		names = append(names, t.Field(i).Name)
	}
	return strings.Join(names, ", ")
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

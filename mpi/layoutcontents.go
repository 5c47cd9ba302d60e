package mpi

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// A LayoutCombiner is the call that made a layout.
//
// MPI 4.1, section 5.1.13.
type LayoutCombiner uint8

// The calls that make layouts.
const (
	CombinerNamed         LayoutCombiner = iota // none: one element of a Go type (MPI_COMBINER_NAMED)
	CombinerDup                                 // [Layout.Dup] (MPI_COMBINER_DUP)
	CombinerContiguous                          // [Contiguous] (MPI_COMBINER_CONTIGUOUS)
	CombinerVector                              // [Vector] (MPI_COMBINER_VECTOR)
	CombinerHvector                             // [Hvector] (MPI_COMBINER_HVECTOR)
	CombinerIndexed                             // [Indexed] (MPI_COMBINER_INDEXED)
	CombinerHindexed                            // [Hindexed] (MPI_COMBINER_HINDEXED)
	CombinerIndexedBlock                        // [IndexedBlock] (MPI_COMBINER_INDEXED_BLOCK)
	CombinerHindexedBlock                       // [HindexedBlock] (MPI_COMBINER_HINDEXED_BLOCK)
	CombinerStruct                              // [Struct] (MPI_COMBINER_STRUCT)
	CombinerFields                              // [Fields] (MPI_COMBINER_STRUCT)
	CombinerSubarray                            // [Subarray] (MPI_COMBINER_SUBARRAY)
	CombinerDarray                              // [Darray] (MPI_COMBINER_DARRAY)
	CombinerResized                             // [Layout.Resized] (MPI_COMBINER_RESIZED)
	numCombiners
)

var combinerNames = [numCombiners]string{
	"Named", "Dup", "Contiguous", "Vector", "Hvector", "Indexed", "Hindexed", "IndexedBlock", "HindexedBlock",
	"Struct", "Fields", "Subarray", "Darray", "Resized",
}

// String returns the name of the call.
func (k LayoutCombiner) String() string {
	if k < numCombiners {
		return combinerNames[k]
	}
	return fmt.Sprintf("combiner %d", uint8(k))
}

// A LayoutContents is the call that made a layout, with its arguments. Only the fields
// that the call has are set.
//
// MPI 4.1, section 5.1.13 (MPI_Type_get_envelope, MPI_Type_get_contents).
type LayoutContents struct {
	Combiner LayoutCombiner

	Count     int   // Contiguous, Vector, Hvector
	Blocklen  int   // Vector, Hvector, IndexedBlock, HindexedBlock
	Stride    int   // Vector, Hvector
	Blocklens []int // Indexed, Hindexed
	Displs    []int // Indexed, Hindexed, IndexedBlock, HindexedBlock; Struct: the displacements of the members

	Sizes            []int  // Subarray, Darray
	Subsizes, Starts []int  // Subarray
	Size, Rank       int    // Darray
	Dists            []Dist // Darray
	Psizes           []int  // Darray

	LB, Extent int // Resized

	Type  reflect.Type // Fields: the struct
	Names []string     // Fields

	// What the layout is made of: the layouts of the members of Struct; nothing for Named
	// and Fields; for all others one layout, which is the zero Layout if they were made of
	// elements of the slice.
	Inner []Layout
}

// Contents returns the call that made l, with copies of its arguments. l.Of(inner) is the
// call that made l, with inner in place of its elements. Names and attributes are not
// part of it.
//
// MPI 4.1, section 5.1.13 (MPI_Type_get_envelope, MPI_Type_get_contents).
func (l Layout) Contents() LayoutContents {
	if l.args == nil {
		return LayoutContents{}
	}
	return l.args.clone()
}

func (k LayoutContents) clone() LayoutContents {
	for _, list := range []*[]int{&k.Blocklens, &k.Displs, &k.Sizes, &k.Subsizes, &k.Starts, &k.Psizes} {
		*list = slices.Clone(*list)
	}
	k.Dists, k.Names, k.Inner = slices.Clone(k.Dists), slices.Clone(k.Names), slices.Clone(k.Inner)
	return k
}

// Layout makes the call again and returns its layout, without attributes.
//
// Not in the standard.
func (k LayoutContents) Layout() Layout {
	if k.Combiner == CombinerNamed {
		return Layout{}
	}
	return newLayout(k.clone())
}

// String returns the call as it is written in Go, without the contents of long lists.
func (k LayoutContents) String() string {
	switch k.Combiner {
	case CombinerDup, CombinerStruct, CombinerFields, CombinerResized:
		return k.call()
	}
	if len(k.Inner) != 1 || k.Inner[0].args == nil && k.Inner[0].name == "" {
		return k.call()
	}
	return fmt.Sprintf("%s.Of(%v)", k.call(), k.Inner[0])
}

// call is String without what the elements are.
func (k *LayoutContents) call() string {
	switch k.Combiner {
	case CombinerNamed:
		return Layout{}.String()
	case CombinerContiguous:
		return fmt.Sprintf("Contiguous(%d)", k.Count)
	case CombinerVector, CombinerHvector:
		return fmt.Sprintf("%v(%d, %d, %d)", k.Combiner, k.Count, k.Blocklen, k.Stride)
	case CombinerIndexed, CombinerHindexed:
		return fmt.Sprintf("%v(%d blocks)", k.Combiner, len(k.Displs))
	case CombinerIndexedBlock, CombinerHindexedBlock:
		return fmt.Sprintf("%v(%d, %d blocks)", k.Combiner, k.Blocklen, len(k.Displs))
	case CombinerStruct:
		return fmt.Sprintf("Struct(%d members)", len(k.Inner))
	case CombinerFields:
		return fmt.Sprintf("Fields[%v](%s)", k.Type, strings.Join(k.Names, ", "))
	case CombinerSubarray:
		return fmt.Sprintf("Subarray(%v, %v, %v)", k.Sizes, k.Subsizes, k.Starts)
	case CombinerDarray:
		return fmt.Sprintf("Darray(%d, %d, %v, %v, %v)", k.Size, k.Rank, k.Sizes, k.Dists, k.Psizes)
	}
	if len(k.Inner) != 1 {
		return k.Combiner.String()
	}
	if k.Combiner == CombinerResized {
		return fmt.Sprintf("%v.Resized(%d, %d)", k.Inner[0], k.LB, k.Extent)
	}
	return k.Inner[0].String() // Dup
}

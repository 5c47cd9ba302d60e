package mpi_test

import (
	"math"
	"testing"

	"rhinet/mpi"
)

// Arguments that MPI 4.1, sections 5.1.2 to 5.1.7, forbids are errors that name the call
// and the value, and say what to do.
func TestErrorsOfInvalidLayouts(t *testing.T) {
	type padded struct {
		A int8
		B int64
	}
	type pointed struct{ P *int }
	one, far := []int{1}, 1<<62
	for want, l := range map[string]mpi.Layout{
		"Contiguous(-1): -1 elements; give 0 or more":                                                                                     mpi.Contiguous(-1),
		"Contiguous(4611686018427387904): it reaches beyond 2^48 bytes; use smaller numbers":                                              mpi.Contiguous(far),
		"Vector(-1, 1, 4): -1 blocks; give 0 or more":                                                                                     mpi.Vector(-1, 1, 4),
		"Vector(1, -2, 4): blocks of -2 elements; give 0 or more":                                                                         mpi.Vector(1, -2, 4),
		"Vector(0, -2, 4): blocks of -2 elements; give 0 or more":                                                                         mpi.Vector(0, -2, 4),
		"Vector(2, 1, 4611686018427387904): it reaches beyond 2^48 bytes; use smaller numbers":                                            mpi.Vector(2, 1, far),
		"Hvector(-1, 1, 4): -1 blocks; give 0 or more":                                                                                    mpi.Hvector(-1, 1, 4),
		"Hvector(1, -1, 4): blocks of -1 elements; give 0 or more":                                                                        mpi.Hvector(1, -1, 4),
		"Hvector(2, 1, 4611686018427387904): it reaches beyond 2^48 bytes; use smaller numbers":                                           mpi.Hvector(2, 1, far),
		"Indexed(1 blocks): 2 blocklens and 1 displs; give one of each for every block":                                                   mpi.Indexed([]int{1, 1}, one),
		"Indexed(2 blocks): blocklens[1] is -3; give 0 or more":                                                                           mpi.Indexed([]int{1, -3}, []int{0, 1}),
		"Indexed(1 blocks): it reaches beyond 2^48 bytes; use smaller numbers":                                                            mpi.Indexed(one, []int{far}),
		"Hindexed(2 blocks): 1 blocklens and 2 displs; give one of each for every block":                                                  mpi.Hindexed(one, []int{1, 1}),
		"Hindexed(1 blocks): blocklens[0] is -1; give 0 or more":                                                                          mpi.Hindexed([]int{-1}, one),
		"Hindexed(1 blocks): it reaches beyond 2^48 bytes; use smaller numbers":                                                           mpi.Hindexed(one, []int{far}),
		"IndexedBlock(-1, 0 blocks): blocks of -1 elements; give 0 or more":                                                               mpi.IndexedBlock(-1, nil),
		"IndexedBlock(1, 1 blocks): it reaches beyond 2^48 bytes; use smaller numbers":                                                    mpi.IndexedBlock(1, []int{-far}),
		"HindexedBlock(-2, 1 blocks): blocks of -2 elements; give 0 or more":                                                              mpi.HindexedBlock(-2, []int{0}),
		"HindexedBlock(1, 1 blocks): it reaches beyond 2^48 bytes; use smaller numbers":                                                   mpi.HindexedBlock(1, []int{-far}),
		"Subarray([], [], []): 0 sizes, 0 subsizes and 0 starts; give one of each for every dimension":                                    mpi.Subarray(nil, nil, nil),
		"Subarray([3 4], [2], [0 0]): 2 sizes, 1 subsizes and 2 starts; give one of each for every dimension":                             mpi.Subarray([]int{3, 4}, []int{2}, []int{0, 0}),
		"Subarray([3 0], [1 1], [0 0]): sizes[1] is 0; give 1 or more":                                                                    mpi.Subarray([]int{3, 0}, []int{1, 1}, []int{0, 0}),
		"Subarray([3 4], [0 1], [0 0]): subsizes[0] is 0; give 1 or more":                                                                 mpi.Subarray([]int{3, 4}, []int{0, 1}, []int{0, 0}),
		"Subarray([3 4], [1 1], [0 -1]): starts[1] is -1; give 0 or more":                                                                 mpi.Subarray([]int{3, 4}, []int{1, 1}, []int{0, -1}),
		"Subarray([3 4], [2 2], [2 0]): 2 indices from 2 on in dimension 0, which has 3; give a part within the array":                    mpi.Subarray([]int{3, 4}, []int{2, 2}, []int{2, 0}),
		"Subarray([4611686018427387904], [1], [0]): it reaches beyond 2^48 bytes; use smaller numbers":                                    mpi.Subarray([]int{far}, one, []int{0}),
		"Darray(2, 0, [4 4], [{0 0}], [2]): 2 sizes, 1 dists and 1 psizes; give one of each for every dimension":                          mpi.Darray(2, 0, []int{4, 4}, []mpi.Dist{{}}, []int{2}),
		"Darray(2, 0, [0], [{0 0}], [2]): sizes[0] is 0; give 1 or more":                                                                  mpi.Darray(2, 0, []int{0}, []mpi.Dist{{}}, []int{2}),
		"Darray(2, 0, [4], [{0 0}], [0]): psizes[0] is 0; give 1 or more":                                                                 mpi.Darray(2, 0, []int{4}, []mpi.Dist{{}}, []int{0}),
		"Darray(3, 0, [4], [{0 0}], [2]): a grid of [2] for 3 processes; give psizes that multiply to the number of processes":            mpi.Darray(3, 0, []int{4}, []mpi.Dist{{}}, []int{2}),
		"Darray(2, 0, [4], [{0 0}], [4]): a grid of [4] for 2 processes; give psizes that multiply to the number of processes":            mpi.Darray(2, 0, []int{4}, []mpi.Dist{{}}, []int{4}),
		"Darray(0, 0, [4], [{0 0}], [1]): a grid of [1] for 0 processes; give psizes that multiply to the number of processes":            mpi.Darray(0, 0, []int{4}, []mpi.Dist{{}}, []int{1}),
		"Darray(2, 0, [9223372036854775807], [{1 1}], [2]): it reaches beyond 2^48 bytes; use smaller numbers":                            mpi.Darray(2, 0, []int{math.MaxInt}, []mpi.Dist{{mpi.DistCyclic, 1}}, []int{2}),
		"Darray(2, 2, [4], [{0 0}], [2]): there is no rank 2; ranks are 0 to 1":                                                           mpi.Darray(2, 2, []int{4}, []mpi.Dist{{}}, []int{2}),
		"Darray(2, -1, [4], [{0 0}], [2]): there is no rank -1; ranks are 0 to 1":                                                         mpi.Darray(2, -1, []int{4}, []mpi.Dist{{}}, []int{2}),
		"Darray(2, 0, [4], [{9 0}], [2]): dists[0].Kind is 9; use DistBlock, DistCyclic or DistNone":                                      mpi.Darray(2, 0, []int{4}, []mpi.Dist{{Kind: 9}}, []int{2}),
		"Darray(2, 0, [4], [{1 -1}], [2]): dists[0].Block is -1; give the indices in a block, or 0 for the default":                       mpi.Darray(2, 0, []int{4}, []mpi.Dist{{mpi.DistCyclic, -1}}, []int{2}),
		"Darray(2, 0, [4], [{2 0}], [2]): dimension 0 is not distributed, and psizes[0] is 2; make it 1, or use DistBlock or DistCyclic":  mpi.Darray(2, 0, []int{4}, []mpi.Dist{{Kind: mpi.DistNone}}, []int{2}),
		"Darray(2, 0, [4], [{0 1}], [2]): 2 blocks of 1 do not hold the 4 indices of dimension 0; use blocks of 2 or more, or DistCyclic": mpi.Darray(2, 0, []int{4}, []mpi.Dist{{Block: 1}}, []int{2}),
		"Darray(2, 0, [4611686018427387904], [{1 1}], [2]): it reaches beyond 2^48 bytes; use smaller numbers":                            mpi.Darray(2, 0, []int{far}, []mpi.Dist{{mpi.DistCyclic, 1}}, []int{2}),
		"Contiguous(-1): -1 elements; give 0 or more.":                                                                                    mpi.Struct(mpi.Member{Layout: mpi.Contiguous(1)}, mpi.Member{Layout: mpi.Contiguous(-1)}),
		"Struct(1 members): it reaches beyond 2^48 bytes; use smaller numbers":                                                            mpi.Struct(mpi.Member{At: far}),
		"Contiguous(1).Resized(0, 4611686018427387904): it reaches beyond 2^48 bytes; use smaller numbers":                                mpi.Contiguous(1).Resized(0, far),
		"Vector(-1, 1, 4): -1 blocks; give 0 or more.":                                                                                    mpi.Vector(-1, 1, 4).Of(mpi.Contiguous(2)).Resized(0, 8),
		"column: -1 blocks; give 0 or more":                                                                                               mpi.Contiguous(2).Of(mpi.Vector(-1, 1, 4).Named("column")),
		"Fields[float64](): float64 is not a struct; use a struct, or a layout of elements":                                               mpi.Fields[float64](),
		"Fields[mpi_test.padded](A): fields of mpi_test.padded are not those of float64; lay it over a slice of mpi_test.padded":          mpi.Fields[padded]("A"),
		"combiner 99: there is no such call; use one of the combiners, such as CombinerVector":                                            mpi.LayoutContents{Combiner: 99}.Layout(),
		"Vector(1, 1, 1): 0 inner layouts; give one":                                                                                      mpi.LayoutContents{Combiner: mpi.CombinerVector, Count: 1, Blocklen: 1, Stride: 1}.Layout(),
		"Resized: 0 inner layouts; give one":                                                                                              mpi.LayoutContents{Combiner: mpi.CombinerResized}.Layout(),
		"Struct(0 members): 1 displs and 0 inner layouts; give one of each for every member":                                              mpi.LayoutContents{Combiner: mpi.CombinerStruct, Displs: one}.Layout(),
		"Fields[<nil>](): it has no type; give that of a struct":                                                                          mpi.LayoutContents{Combiner: mpi.CombinerFields}.Layout(),
	} {
		if want[len(want)-1] == '.' { // the error of another layout
			want = want[:len(want)-1]
		}
		_, err := mpi.ShapeOf[float64](l)
		if err := is(err, mpi.ErrLayout, "mpi: ShapeOf: "+want); err != nil {
			t.Error(err)
		}
	}
	_, err := mpi.ShapeOf[padded](mpi.Fields[padded]("C"))
	if err := is(err, mpi.ErrLayout, "mpi: ShapeOf: Fields[mpi_test.padded](C): mpi_test.padded has no field C of its own; its fields are A, B"); err != nil {
		t.Error(err)
	}
	_, err = mpi.ShapeOf[pointed](mpi.Fields[pointed]())
	if err := is(err, mpi.ErrLayout, "mpi: ShapeOf: Fields[mpi_test.pointed](): mpi_test.pointed has the field P, which holds pointers (ptr); name the other fields, or give it the tag `mpi:\"-\"`"); err != nil {
		t.Error(err)
	}
}

// MPI 4.1, section 5.1.4: a block may be larger than what it holds, also where the blocks of all
// processes are more than an int counts.
func TestDarraysOfHugeBlocks(t *testing.T) {
	for rank := range 4 {
		for _, kind := range []mpi.DistKind{mpi.DistBlock, mpi.DistCyclic} {
			s, err := mpi.ShapeOf[int](mpi.Darray(4, rank, []int{10}, []mpi.Dist{{Kind: kind, Block: 1 << 62}}, []int{4}))
			want := 0
			if rank == 0 {
				want = 80
			}
			if err != nil || s.Size != want || s.Extent != 80 {
				t.Errorf("rank %d, kind %d: %+v, %v; want %d bytes", rank, kind, s, err, want)
			}
		}
	}
}

// MPI 4.1, section 5.1.4: a layout of more blocks than memory can list is made at once.
func TestDarraysOfManyBlocks(t *testing.T) {
	const n, m = 1 << 40, 1<<23 + 3 // m = 6k + 5
	one := mpi.Dist{Kind: mpi.DistCyclic}
	for _, row := range []struct {
		l    mpi.Layout
		want mpi.Shape
	}{
		{mpi.Darray(2, 1, []int{n}, []mpi.Dist{one}, []int{2}), mpi.Shape{Size: n / 2, Extent: n, TrueLB: 1, TrueExtent: n - 1}},
		{
			mpi.Darray(6, 5, []int{m, m}, []mpi.Dist{one, {Kind: mpi.DistCyclic, Block: 2}}, []int{2, 3}),
			mpi.Shape{Size: (m / 2) * ((m-5)/3 + 1), Extent: m * m, TrueLB: m + 4, TrueExtent: (m-1)*m - (m + 4)},
		},
	} {
		if s, err := mpi.ShapeOf[byte](row.l); err != nil || s != row.want {
			t.Errorf("%v: %+v, %v; want %+v", row.l, s, err, row.want)
		}
	}
}

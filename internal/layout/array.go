package layout

import "fmt"

// A Range is Len indices of one dimension from First on.
type Range struct{ First, Len int }

// Array returns the elements of an array in row-major order whose indices lie in the given ranges of each
// dimension, in the order of the ranges. Its extent is that of the whole array. The ranges must lie within
// the sizes.
func Array(sizes []int, ranges [][]Range, t *Type) (*Type, error) {
	for d := len(sizes) - 1; d >= 0; d-- {
		extent := t.Extent()
		lens, displs := make([]int, len(ranges[d])), make([]int, len(ranges[d]))
		for i, r := range ranges[d] {
			lens[i], displs[i] = r.Len, r.First
		}
		displs, err := Scaled(displs, extent)
		if err != nil {
			return nil, err
		}
		whole, ok := product(sizes[d], extent)
		if !ok {
			return nil, errLarge
		}
		if t, err = Hindexed(lens, displs, t); err != nil {
			return nil, err
		}
		if t, err = Resized(t, 0, whole); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Subarray returns the ranges of a part of an array, of size subsizes and beginning at starts.
//
// MPI 4.1, section 5.1.3.
func Subarray(sizes, subsizes, starts []int) ([][]Range, error) {
	if len(sizes) == 0 || len(subsizes) != len(sizes) || len(starts) != len(sizes) {
		return nil, fmt.Errorf("%d sizes, %d subsizes and %d starts; give one of each for every dimension", len(sizes), len(subsizes), len(starts))
	}
	var all [][]Range
	for d, n := range sizes {
		switch at, part := starts[d], subsizes[d]; {
		case n < 1:
			return nil, fmt.Errorf("sizes[%d] is %d; give 1 or more", d, n)
		case part < 1:
			return nil, fmt.Errorf("subsizes[%d] is %d; give 1 or more", d, part)
		case at < 0:
			return nil, fmt.Errorf("starts[%d] is %d; give 0 or more", d, at)
		case at > n-part:
			return nil, fmt.Errorf("%d indices from %d on in dimension %d, which has %d; give a part within the array", part, at, d, n)
		}
		all = append(all, []Range{{starts[d], subsizes[d]}})
	}
	return all, nil
}

// Distributed returns those of n indices that the process with the given coordinate has, if size processes
// get blocks of block indices in turn.
//
// MPI 4.1, section 5.1.4.
func Distributed(n, block, size, coord int) (all []Range, err error) {
	switch {
	case n > Limit:
		return nil, errLarge
	case coord > (n-1)/block: // coord*block may be too large for an int
		return nil, nil
	}
	first := coord * block
	for {
		all = append(all, Range{first, min(block, n-first)})
		if size > (n-1-first)/block {
			return all, nil
		}
		first += size * block
	}
}

package layout

import "fmt"

// Indices are those of one dimension: Count blocks of Block indices, of which the first begins at First, and
// behind them one of Last indices. They begin Stride apart.
type Indices struct{ First, Block, Count, Stride, Last int }

// of returns the elements t with these indices, without the bounds of the dimension.
func (x Indices) of(t *Type) (*Type, error) {
	end := 0 // where the last one begins
	if x.Last > 0 {
		end = x.First + x.Count*x.Stride
	}
	by, err := Scaled([]int{x.First, x.Stride, end}, t.Extent())
	if err != nil {
		return nil, err
	}
	blocks, err := Hvector(x.Count, x.Block, by[1], t)
	if err != nil {
		return nil, err
	}
	last, err := Contiguous(x.Last, t)
	if err != nil {
		return nil, err
	}
	return Struct([]Member{{by[0], blocks}, {by[2], last}})
}

// Array returns the elements of an array in row-major order whose indices in each dimension are given. Its
// extent is that of the whole array. The indices must lie within the sizes.
func Array(sizes []int, indices []Indices, t *Type) (*Type, error) {
	for d := len(sizes) - 1; d >= 0; d-- {
		whole, ok := product(sizes[d], t.Extent())
		if !ok {
			return nil, errLarge
		}
		var err error
		if t, err = indices[d].of(t); err != nil {
			return nil, err
		}
		if t, err = Resized(t, 0, whole); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Subarray returns the indices of a part of an array, of size subsizes and beginning at starts.
//
// MPI 4.1, section 5.1.3.
func Subarray(sizes, subsizes, starts []int) ([]Indices, error) {
	if len(sizes) == 0 || len(subsizes) != len(sizes) || len(starts) != len(sizes) {
		return nil, fmt.Errorf("%d sizes, %d subsizes and %d starts; give one of each for every dimension", len(sizes), len(subsizes), len(starts))
	}
	var all []Indices
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
		all = append(all, Indices{First: starts[d], Block: subsizes[d], Count: 1})
	}
	return all, nil
}

// Distributed returns those of n indices that the process with the given coordinate has, if size processes
// get blocks of block indices in turn.
//
// MPI 4.1, section 5.1.4.
func Distributed(n, block, size, coord int) (Indices, error) {
	switch {
	case n > Limit:
		return Indices{}, errLarge
	case coord > (n-1)/block: // coord*block may be too large for an int
		return Indices{}, nil
	}
	x := Indices{First: coord * block, Block: block}
	left := n - x.First
	if size > (left-1)/block { // so may size*block
		if left < block {
			return Indices{First: x.First, Last: left}, nil
		}
		x.Count = 1
		return x, nil
	}
	x.Stride = size * block
	x.Count = left / x.Stride
	if left -= x.Count * x.Stride; left >= block {
		x.Count++
	} else {
		x.Last = left
	}
	return x, nil
}

package mg

import "rhinet/npb/nas"

// kernels are the loops over a plane of points, for one set of vector instructions. Each array is given
// with the index of its first interior point. nx, ny and the strides count points; where there are two
// levels, points of the fine one.
type kernels struct {
	width    int // rows must be a multiple of this length
	residual func(r, v, u []float64, at, nx, ny, row, plane int)
	smooth   func(u, r []float64, at, nx, ny, row, plane int, c *[3]float64)
	restrict func(s []float64, sat, srow int, r []float64, at, nx, ny, row, plane int)
	prolong  func(u []float64, at, row, plane int, z []float64, zat, nx, ny, zrow, zplane int, fresh bool)
	norm     func(r []float64, at, nx, ny, row int) (sum, most float64)
}

// planesGo returns the loops in Go.
func planesGo() *kernels {
	return &kernels{1, residualPlane, smoothPlane, restrictPlane, prolongPlane, normPlane}
}

// newKernels returns the loops for rows of nx points: those of the widest vectors up to level whose width
// divides nx.
func newKernels(level nas.Level, nx int) *kernels {
	for ; level > nas.Plain; level-- {
		if k := assembly(level); k != nil && nx%k.width == 0 {
			return k
		}
	}
	return planesGo()
}

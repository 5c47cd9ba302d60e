package mg

import "rhinet/npb/nas"

// kernels are the loops over a plane of points, for one set of vector
// instructions. Each array is given from the first interior point on; nx, ny
// and strides count points, of the fine level where there are two.
type kernels struct {
	width    int // rows must be a multiple of this long
	residual func(r, v, u []float64, at, nx, ny, row, plane int)
	smooth   func(u, r []float64, at, nx, ny, row, plane int, c *[3]float64)
	restrict func(s []float64, sat, srow int, r []float64, at, nx, ny, row, plane int)
	prolong  func(u []float64, at, row, plane int, z []float64, zat, nx, ny, zrow, zplane int, fresh bool)
	norm     func(r []float64, at, nx, ny, row int) (sum, most float64)
}

// planesGo are the loops in Go.
func planesGo() *kernels {
	return &kernels{1, residualPlane, smoothPlane, restrictPlane, prolongPlane, normPlane}
}

// newKernels returns the loops of a level for rows of nx points: those of the
// widest vectors that divide the rows.
func newKernels(level nas.Level, nx int) *kernels {
	for ; level > nas.Plain; level-- {
		if k := assembly(level); k != nil && nx%k.width == 0 {
			return k
		}
	}
	return planesGo()
}

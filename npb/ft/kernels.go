package ft

import "rhinet/npb/nas"

// kernels are the loops of a transform, for one set of vector instructions.
// Each is the Go function of the same name, see radix.go and move.go.
type kernels struct {
	radixFour      func(work []float64, quarter int, roots []float64)
	lastFour       func(work []float64)
	lastTwo        func(work []float64)
	take           func(work []float64, n int, from []float64, at, stride int)
	put            func(to []float64, at, stride int, work []float64, place []int32)
	takeEvolved    func(work, v []float64, at, stride int, ex *[lanes]float64, scale float64, ez []float64)
	takeTransposed func(work []float64, n int, from []float64, at, stride int)
	putTransposed  func(to []float64, at, stride int, work []float64, place []int32)
}

// newKernels returns the loops for a level, in Go if there is no assembly for it.
func newKernels(level nas.Level) *kernels {
	if k := assembly(level); k != nil {
		return k
	}
	return &kernels{radixFour, lastFour, lastTwo, take, put, takeEvolved, takeTransposed, putTransposed}
}

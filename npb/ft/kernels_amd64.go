//go:build !purego

package ft

//go:generate go run -C _asm . -width 64 -out ../kernels_avx512_amd64.s
//go:generate go run -C _asm . -width 32 -out ../kernels_avx2_amd64.s

import "rhinet/npb/nas"

// assembly returns the loops of a level, or nil for Go.
func assembly(level nas.Level) *kernels {
	switch level {
	case nas.AVX2:
		return wrap(&stubs{radixFourAVX2, lastFourAVX2, lastTwoAVX2, takeAVX2, putAVX2,
			takeEvolvedAVX2, takeTransposedAVX2, putTransposedAVX2})
	case nas.AVX512:
		return wrap(&stubs{radixFourAVX512, lastFourAVX512, lastTwoAVX512, takeAVX512, putAVX512,
			takeEvolvedAVX512, takeTransposedAVX512, putTransposedAVX512})
	}
	return nil
}

// stubs are the assembly functions. Strides and distances are in bytes, and counts must be positive.
type stubs struct {
	radixFour      func(work *float64, quarter, blocks int, roots *float64)
	lastFour       func(work *float64, blocks int)
	lastTwo        func(work *float64, blocks int)
	take           func(work *float64, n int, from *float64, stride, ahead int)
	put            func(to *float64, stride int, work *float64, place *int32, n, ahead int)
	takeEvolved    func(work, from *float64, stride int, ex *float64, scale float64, ez *float64, n, ahead int)
	takeTransposed func(work *float64, cells int, from *float64, stride int)
	putTransposed  func(to *float64, stride int, work *float64, place *int32, cells int)
}

// ahead is the prefetch distance in bytes: the adjacent column of cells is copied next.
const ahead = 8 * cell

// wrap adds Go's bounds checks to the functions. Indices in place are those of a plan, which is never
// longer than work.
func wrap(s *stubs) *kernels {
	return &kernels{
		radixFour: func(work []float64, quarter int, roots []float64) {
			_ = roots[quarter*rootsPerStep-1]
			s.radixFour(&work[0], quarter, len(work)/(4*quarter*cell), &roots[0])
		},
		lastFour: func(work []float64) { s.lastFour(&work[0], len(work)/(4*cell)) },
		lastTwo:  func(work []float64) { s.lastTwo(&work[0], len(work)/(2*cell)) },
		take: func(work []float64, n int, from []float64, at, stride int) {
			_, _ = work[n*cell-1], from[at+(n-1)*stride+cell-1]
			s.take(&work[0], n, &from[at], 8*stride, ahead)
		},
		put: func(to []float64, at, stride int, work []float64, place []int32) {
			n := len(place)
			_ = to[at+(n-1)*stride+cell-1]
			s.put(&to[at], 8*stride, &work[0], &place[0], n, ahead)
		},
		takeEvolved: func(work, v []float64, at, stride int, ex *[lanes]float64, scale float64, ez []float64) {
			n := len(ez)
			_, _ = work[n*cell-1], v[at+(n-1)*stride+cell-1]
			s.takeEvolved(&work[0], &v[at], 8*stride, &ex[0], scale, &ez[0], n, ahead)
		},
		takeTransposed: func(work []float64, n int, from []float64, at, stride int) {
			_, _ = work[n*cell-1], from[at+(lanes-1)*stride+2*n-1]
			s.takeTransposed(&work[0], n/lanes, &from[at], 8*stride)
		},
		putTransposed: func(to []float64, at, stride int, work []float64, place []int32) {
			n := len(place)
			_ = to[at+(lanes-1)*stride+2*n-1]
			s.putTransposed(&to[at], 8*stride, &work[0], &place[0], n/lanes)
		},
	}
}

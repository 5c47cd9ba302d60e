package ft

import "math"

// lanes is the number of lines that are transformed together, and cell the size of one point of all of
// them: lanes real parts, followed by lanes imaginary parts.
const (
	lanes = 8
	cell  = 2 * lanes
)

// A plan describes transforms of one length n, a power of two of at least 4: the transform is in place, by
// decimation in frequency with radix 4, and with a last step of radix 2 if the length requires it. The
// result is in another order: frequency f is at place[f].
type plan struct {
	n      int
	stages []stage
	two    bool // a last step of radix 2
	place  []int32
}

// A stage splits transforms of length 4*quarter into four of length quarter.
type stage struct {
	quarter int
	// For j = 0..quarter-1 the real and imaginary parts of w, w^2 and w^3,
	// w = exp(2 pi i j / (4 quarter)).
	roots []float64
}

const rootsPerStep = 6

func newPlan(n int) *plan {
	p := &plan{n: n, place: make([]int32, n)}
	frequency, factor := make([]int, n), 1 // of every position, so far
	length := n
	for ; length >= 4; length /= 4 {
		q := length / 4
		p.stages = append(p.stages, stage{q, make([]float64, q*rootsPerStep)})
		for at := range frequency {
			frequency[at] += at / q % 4 * factor
		}
		factor *= 4
	}
	if length == 2 {
		p.two = true
		for at := range frequency {
			frequency[at] += at % 2 * factor
		}
	}
	for at, f := range frequency {
		p.place[f] = int32(at)
	}
	p.fill()
	return p
}

// fill computes the roots of unity.
func (p *plan) fill() {
	for _, s := range p.stages {
		roots := s.roots
		for j := range s.quarter {
			for k := 1; k <= 3; k++ {
				sin, cos := math.Sincos(2 * math.Pi * float64(j*k) / float64(4*s.quarter))
				roots[0], roots[1] = cos, sin
				roots = roots[2:]
			}
		}
	}
}

// transform replaces the first n cells of work by their transform, in the
// order of place.
func (p *plan) transform(k *kernels, work []float64) {
	work = work[:p.n*cell]
	for i := range p.stages {
		s := &p.stages[i]
		if s.quarter == 1 {
			k.lastFour(work)
			return
		}
		k.radixFour(work, s.quarter, s.roots)
	}
	if p.two {
		k.lastTwo(work)
	}
}

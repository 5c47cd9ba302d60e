package ep

import "math"

// minusTwoLog returns -2 ln(t) for 2^-1000 < t <= 1. The error is below 2^-50 of
// the result or, for t < 63/64, below 2^-51.
//
// t is written as 2^e * m with m in [47/64, 94/64). A table has c close to 1/m and -2 ln(1/c) for each
// sixteenth of that range; then
//
//	-2 ln t = e*(-2 ln 2) - 2 ln(1/c) - 2 ln(1+r),   r = m*c - 1,  |r| <= 1/32
//
// and the last term is -2r + r*r*Q(r) with a polynomial Q of degree 7 (relative error 2.3e-17). The entry
// around m = 1 has c = 1, so that small logarithms keep their precision.
func minusTwoLog(t float64) float64 {
	z := int64(math.Float64bits(t)) - logOrigin
	e := float64(z >> 52)
	m := math.Float64frombits(uint64(int64(math.Float64bits(t)) - z&^(1<<52-1)))
	i := z >> 48 & 15
	r := m*logInverse[i] - 1
	q := ((((((logQ7*r+logQ6)*r+logQ5)*r+logQ4)*r+logQ3)*r+logQ2)*r+logQ1)*r + logQ0
	return e*minusTwoLn2 + logValue[i] - 2*r + r*r*q
}

const (
	logOrigin   = 0x3fe7800000000000 // bits of 47/64
	minusTwoLn2 = -2 * math.Ln2
)

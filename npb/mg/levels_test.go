package mg

import (
	"math"
	"math/rand/v2"
	"testing"

	"rhinet/npb/nas"
)

// Every loop in assembly computes the same as its Go form, except for the order of sums, and writes nothing
// else.
func TestLevelsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	random := func(l *level) []float64 {
		a := make([]float64, l.size)
		for i := range a {
			a[i] = rng.Float64() - 0.5
		}
		return a
	}
	type arrays struct{ u, v, r, z []float64 }
	c := classes()[nas.B].smoother
	for _, k := range []int{2, 3, 5} {
		for _, vectors := range nas.Levels()[1:] {
			shape := shape(1)
			fine, coarse := newLevel(k, shape, 0, nas.Plain), newLevel(k-1, shape, 0, nas.Plain)
			fastFine, fastCoarse := newLevel(k, shape, 0, vectors), newLevel(k-1, shape, 0, vectors)
			in := arrays{random(fine), random(fine), random(fine), random(coarse)}
			clone := func() arrays {
				c := func(a []float64) []float64 { return append([]float64(nil), a...) }
				return arrays{c(in.u), c(in.v), c(in.r), c(in.z)}
			}
			for name, call := range map[string]func(l, c *level, a arrays){
				"residual":         func(l, _ *level, a arrays) { l.residual(a.r, a.v, a.u) },
				"residual inplace": func(l, _ *level, a arrays) { l.residual(a.r, a.r, a.u) },
				"smooth":           func(l, _ *level, a arrays) { l.smooth(a.u, a.r, &c) },
				"restrict":         func(l, c *level, a arrays) { l.restrict(c, a.z, a.r) },
				"prolong":          func(l, c *level, a arrays) { l.prolong(c, a.u, a.z, false) },
				"prolong fresh":    func(l, c *level, a arrays) { l.prolong(c, a.u, a.z, true) },
				"norm":             func(l, _ *level, a arrays) { a.u[0], a.u[1] = l.norm(a.r) },
			} {
				want, got := clone(), clone()
				call(fine, coarse, want)
				call(fastFine, fastCoarse, got)
				for array, pair := range [][2][]float64{{got.u, want.u}, {got.v, want.v}, {got.r, want.r}, {got.z, want.z}} {
					for i := range pair[0] {
						if math.Abs(pair[0][i]-pair[1][i]) > 1e-14*max(1, math.Abs(pair[1][i])) {
							t.Fatalf("%s, %v, 2^%d points, array %d: element %d is %v, want %v", name, vectors, k, array, i, pair[0][i], pair[1][i])
						}
					}
				}
			}
		}
	}
}

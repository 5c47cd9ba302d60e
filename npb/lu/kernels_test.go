package lu

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

// TestKernelLevels compares the assembly with plain Go on diagonals of all lengths, to 1e-13 of the largest
// value; points beyond the run must stay unchanged.
func TestKernelLevels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	edge := [3]int{24, 24, 4}
	ul, vl := cfd.DiagonalLayout(edge, cfd.Ghosts, cfd.Reciprocal+1, 1), cfd.DiagonalLayout(edge, cfd.Ghosts, cfd.Components, 1)
	u, v := ul.New(), vl.New()
	for i := range u {
		u[i] = 1 + rnd.Float64()
	}
	for i := range v {
		v[i] = rnd.Float64() - 0.5
	}
	plain := kernelsGo()
	for _, level := range nas.Levels()[1:] {
		fast := kernelsOf(level)
		for n := 1; n <= 20; n++ {
			for _, c := range [][2]int{{-1, 0}, {1, 0}, {-1, min(n-1, 3)}, {1, min(n-1, 7)}} {
				side, skip := c[0], c[1]
				table := newTable(&ul, &vl, side)
				run := func(kernel func(*sweepArgs)) (fu, fv []float64) {
					a := sweepArgs{
						u: append([]float64(nil), u...), v: append([]float64(nil), v...),
						frame: newFrame(24, 0.01, -float64(side)), off: table.off,
						uAt: ul.At(21, 1, 1), vAt: vl.At(21, 1, 1), n: n, skip: skip,
					}
					kernel(&a)
					return a.u, a.v
				}
				for i, pair := range [][2]func(*sweepArgs){
					{plain.lower, fast.lower}, {plain.upper, fast.upper}, {plain.advance, fast.advance},
				} {
					wantU, wantV := run(pair[0])
					gotU, gotV := run(pair[1])
					near2(t, i, n, gotU, wantU, u)
					near2(t, i, n, gotV, wantV, v)
				}
			}
		}
	}
}

// near2 checks that two forms of a kernel have changed the same elements of before, to nearly equal values.
func near2(t *testing.T, kernel, n int, got, want, before []float64) {
	t.Helper()
	for i, x := range want {
		if (x == before[i]) != (got[i] == before[i]) || !(math.Abs(got[i]-x) <= 1e-13*math.Max(1, math.Abs(x))) {
			t.Fatalf("kernel %d, %d points, at %d: got %v, want %v, before %v", kernel, n, i, got[i], x, before[i])
		}
	}
}

// TestFieldOffsets compares the layout of the arguments with what the assembly expects.
func TestFieldOffsets(t *testing.T) {
	typ := reflect.TypeFor[sweepArgs]()
	for i, want := range []uintptr{0, 24, 48, 72, 96, 104, 112, 120} {
		if f := typ.Field(i); f.Offset != want {
			t.Errorf("%s is at %d, the assembly expects %d", f.Name, f.Offset, want)
		}
	}
}

package sp

import (
	"math"
	"math/rand/v2"
	"testing"

	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

// TestPassLevels holds the assembly against plain Go on random lines, to 1e-11 of
// the largest value (elimination multiplies the rounding of its input); lines that
// are not real must stay as they are.
func TestPassLevels(t *testing.T) {
	const n, row, points = 24, 24, 11
	for _, level := range nas.Levels()[1:] {
		plain, fast := newLines(n, 0.001, nas.Plain), newLines(n, 0.001, level)
		for d := range 3 {
			for valid := 1; valid <= cfd.Lanes; valid++ {
				lines := func(l *cfd.Lines) *cfd.LineArgs {
					rnd := rand.New(rand.NewPCG(1, uint64(d)))
					a := &cfd.LineArgs{
						U: make([]float64, (points+2)*comps*row+row), R: make([]float64, points*5*row+row),
						State: make([]float64, (points+2*l.Lead)*l.Width*cfd.Lanes), Consts: l.Consts, Rows: l.Rows[d],
						UAt: comps*row + 3, UComp: 8 * row, UStep: 8 * comps * row,
						RAt: 1, RComp: 8 * row, RStep: 8 * 5 * row,
						StateAt: l.Lead * l.Width * cfd.Lanes, StateStep: 8 * l.Width * cfd.Lanes, RowsAt: 3 * cfd.RowWidth,
						N: points, Valid: valid,
					}
					for i := range a.U {
						a.U[i] = 1 + 0.1*rnd.Float64()
					}
					for i := range a.U {
						if i/row%comps == 4 {
							a.U[i] += 5 // energy enough for a speed of sound
						}
						if i/row%comps == cfd.Reciprocal {
							a.U[i] = 1 / a.U[i-cfd.Reciprocal*row]
						}
					}
					for i := range a.R {
						a.R[i] = rnd.Float64()
					}
					l.Forward[d](a)
					l.Backward[d](a)
					return a
				}
				want, got := lines(plain), lines(fast)
				same(t, level, d, valid, got.R, want.R)
				same(t, level, d, valid, got.U, want.U)
			}
		}
	}
}

func same(t *testing.T, level nas.Level, d, valid int, got, want []float64) {
	t.Helper()
	for i, x := range want {
		if !(math.Abs(got[i]-x) <= 1e-11*math.Max(1, math.Abs(x))) {
			t.Fatalf("%v, direction %d, %d lines, at %d: got %v, want %v", level, d, valid, i, got[i], x)
		}
	}
}

const comps = cfd.Sound + 1

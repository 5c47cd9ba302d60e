package cfd

import (
	"math"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
)

type norm = [Components]float64

// near fails the test unless got and want agree to the number of digits that the specification prints.
func near(t *testing.T, name string, got, want norm, tolerance float64) {
	t.Helper()
	for m := range got {
		if d := math.Abs(got[m] - want[m]); !(d <= tolerance*math.Max(1e-3, math.Abs(want[m]))) {
			t.Errorf("%s, component %d: got %.15g, want %.15g", name, m, got[m], want[m])
		}
	}
}

func TestExact(t *testing.T) {
	near(t, "origin", Exact(0, 0, 0), norm{2, 1, 2, 2, 5}, 1e-15)
	near(t, "far corner", Exact(1, 1, 1), norm{15.76, 8.26, 10.32, 9.72, 15.52}, 1e-14)
}

// samples are the values at some points of the grid with n = 12 (section 1.9).
var samples = []struct {
	i, j, k int
	u, g, r norm
}{
	{1, 1, 1,
		norm{5.902611520119258, 1.014327443935741, 3.724638617109035, 3.620321929037404, 116.4093364309666},
		norm{8.641341779933082, 9.674255579760292, 6.692678517016498, 6.080682120231931, -7.423787645012714},
		norm{-267.1932452980433, -276.1587002846222, -470.4861807912117, -440.2248247417220, -29792.24149490630}},
	{5, 6, 7,
		norm{296.0066035460801, 23.21893232236197, 88.68776175433425, 80.34082006297888, 790.1449484344805},
		norm{8.857569838125791, 8.203603695630704, 7.170499638661251, 7.156181877802140, -2.693686105472809},
		norm{3203.498384810625, 141.6024204438272, 706.3075710074008, 672.1424218535410, 1439.839848338837}},
}

// TestSamples compares the initial field, the forcing and the operator with the
// specification, in both layouts and at all levels.
func TestSamples(t *testing.T) {
	box := Box{N: 12, Edge: [3]int{12, 12, 12}}
	layouts := []Layout{
		ByRows:      RowLayout(box.Edge, Ghosts, Sound+1, 1),
		ByDiagonals: DiagonalLayout(box.Edge, Ghosts, Sound+1, 1),
	}
	for order, l := range layouts {
		for _, level := range nas.Levels() {
			op := NewOperator(Plan{Box: box, U: l, R: l, Order: Order(order), Scale: 1, Level: level})
			u, g, r, zero := l.New(), l.New(), l.New(), l.New()
			prim := NewPrimitives(Sound+1, level)
			box.Fill(u, &l, ExactAt)
			prim.Fill(u, &l, l.At(0, 0, 0), 0)
			fillPrimitives(prim, u, &l, box)
			op.Apply(g, u, zero)
			box.Fill(u, &l, Initial)
			fillPrimitives(prim, u, &l, box)
			op.Apply(r, u, zero)
			for _, s := range samples {
				at := l.At(s.i, s.j, s.k)
				near(t, "U", take(u, &l, at), s.u, 1e-14)
				near(t, "G", take(g, &l, at), s.g, 1e-12)
				near(t, "R(U)", take(r, &l, at), s.r, 1e-12)
			}
			mpitest.Run(t, 1, func(world *mpi.Comm) error {
				var sum norm
				box.AddSquares(&sum, g, &l)
				got, err := RootMeanSquare(world, sum, 12)
				near(t, "rms(G)", got, norm{9.3399472629182, 8.6572185942488, 7.8563344003897, 7.2837346252087, 5.7686564091750}, 1e-13)
				sum = norm{}
				op.Apply(r, u, g)
				box.AddSquares(&sum, r, &l)
				got, _ = RootMeanSquare(world, sum, 12)
				near(t, "rms(R-G)", got, norm{6.7877440849324e+04, 6.8656671466445e+03, 1.7373916450581e+04, 1.4653216460274e+04, 9.7682415991639e+04}, 2e-14)
				return err
			})
		}
	}
}

// fillPrimitives fills the derived components point by point.
func fillPrimitives(p *Primitives, u []float64, l *Layout, b Box) {
	for k := range b.Edge[2] {
		for j := range b.Edge[1] {
			for i := range b.Edge[0] {
				p.Fill(u, l, l.At(i, j, k), 1)
			}
		}
	}
}

func take(f []float64, l *Layout, at int) (v norm) {
	for m := range v {
		v[m] = f[at+m*l.Comp]
	}
	return v
}

// TestJacobians compares with the specification (section 1.9).
func TestJacobians(t *testing.T) {
	u := samples[0].u
	a, n := Jacobians(&u, 0)
	wantA := Matrix{
		{0, 1, 0, 0, 0},
		{0.131249616021, 0.274950147874, -0.252406149679, -0.245336960882, 0.4},
		{-0.108436106529, 0.631015374197, 0.171843842421, 0, 0},
		{-0.105399115115, 0.613342402206, 0, 0.171843842421, 0},
		{-4.6894076737, 27.4377411863, -0.0433744426115, -0.0421596460459, 0.240581379389},
	}
	wantN := Matrix{
		{0, 0, 0, 0, 0},
		{-0.00388175848007, 0.0225888715323, 0, 0, 0},
		{-0.010690443917, 0, 0.0169416536493, 0, 0},
		{-0.0103910345466, 0, 0, 0.0169416536493, 0},
		{-0.641962734681, -0.00182442648563, -0.0102628261603, -0.00997539316471, 0.0332056411526},
	}
	for row := range a {
		near(t, "A", a[row], wantA[row], 1e-11)
		near(t, "N", n[row], wantN[row], 1e-11)
	}
}

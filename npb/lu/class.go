package lu

import (
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

const name = "LU"

// params is what a class defines.
type params struct {
	n, steps        int
	dt              float64
	residual, error [cfd.Components]float64 // norms after the last step
	surface         float64                 // the surface integral
}

// classes holds the problem sizes and the published values of each class.
var classes = nas.Table[params]{
	nas.S: {
		n: 12, steps: 50, dt: 0.5e0,
		residual: [5]float64{1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03, 1.5029584435994323e-03, 3.4264073155896461e-02},
		error:    [5]float64{6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05, 5.8474222595157350e-05, 1.3103347914111294e-03},
		surface:  7.8418928865937083e+00,
	},
	nas.W: {
		n: 33, steps: 300, dt: 1.5e-3,
		residual: [5]float64{0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01, 0.2326187750252e+01, 0.2826799444189e+02},
		error:    [5]float64{0.4867877144216e+00, 0.5064652880982e-01, 0.9281818101960e-01, 0.8570126542733e-01, 0.1084277417792e+01},
		surface:  0.1161399311023e+02,
	},
	nas.A: {
		n: 64, steps: 250, dt: 2.0e0,
		residual: [5]float64{7.7902107606689367e+02, 6.3402765259692870e+01, 1.9499249727292479e+02, 1.7845301160418537e+02, 1.8384760349464247e+03},
		error:    [5]float64{2.9964085685471943e+01, 2.8194576365003349e+00, 7.3473412698774742e+00, 6.7139225687777051e+00, 7.0715315688392578e+01},
		surface:  2.6030925604886277e+01,
	},
	nas.B: {
		n: 102, steps: 250, dt: 2.0e0,
		residual: [5]float64{3.5532672969982736e+03, 2.6214750795310692e+02, 8.8333721850952190e+02, 7.7812774739425265e+02, 7.3087969592545314e+03},
		error:    [5]float64{1.1401176380212709e+02, 8.1098963655421574e+00, 2.8480597317698308e+01, 2.5905394567832939e+01, 2.6054907504857413e+02},
		surface:  4.7887162703308227e+01,
	},
	nas.C: {
		n: 162, steps: 250, dt: 2.0e0,
		residual: [5]float64{1.03766980323537846e+04, 8.92212458801008552e+02, 2.56238814582660871e+03, 2.19194343857831427e+03, 1.78078057261061185e+04},
		error:    [5]float64{2.15986399716949279e+02, 1.55789559239863600e+01, 5.41318863077207766e+01, 4.82262643154045421e+01, 4.55902910043250358e+02},
		surface:  6.66404553572181300e+01,
	},
	nas.D: {
		n: 408, steps: 300, dt: 1.0e0,
		residual: [5]float64{0.4868417937025e+05, 0.4696371050071e+04, 0.1218114549776e+05, 0.1033801493461e+05, 0.7142398413817e+05},
		error:    [5]float64{0.3752393004482e+03, 0.3084128893659e+02, 0.9434276905469e+02, 0.8230686681928e+02, 0.7002620636210e+03},
		surface:  0.8334101392503e+02,
	},
	nas.E: {
		n: 1020, steps: 300, dt: 0.5e0,
		residual: [5]float64{0.2099641687874e+06, 0.2130403143165e+05, 0.5319228789371e+05, 0.4509761639833e+05, 0.2932360006590e+06},
		error:    [5]float64{0.4800572578333e+03, 0.4221993400184e+02, 0.1210851906824e+03, 0.1047888986770e+03, 0.8363028257389e+03},
		surface:  0.9512163272273e+02,
	},
}

// operations returns the nominal operations of one time step (npb,
// section 1.6).
func operations(n float64) float64 {
	return 1984.77*n*n*n - 10923.3*n*n + 27770.9*n - 144010
}

// Kernel returns LU in the form common to all kernels.
func Kernel() nas.Kernel {
	return nas.Kernel{Name: "lu", Describe: Describe, Allowed: Allowed, Memory: Memory, Run: Run}
}

// Describe returns the size, time steps and time step length of a class.
func Describe(class nas.Class) (nas.Problem, error) {
	c, err := classes.Lookup(name, class)
	if err != nil {
		return nas.Problem{}, err
	}
	return nas.Problem{
		Kernel: name, Class: class, Size: nas.Grid(c.n, c.n, c.n), Iterations: c.steps, TimeStep: c.dt,
	}, nil
}

// Allowed returns nil if the class can run on procs ranks: a product X*Y of nearly equal factors for which
// each edge of a pencil has at least three points. The error lists the possible counts.
func Allowed(procs int, class nas.Class) error {
	c, err := classes.Lookup(name, class)
	if err != nil {
		return err
	}
	return nas.CheckCount(name, class, procs, "a product of two factors of which none is more than twice the other", func(p int) bool {
		x, y := factors(p)
		return x <= 2*y && c.n/x >= cfd.MinEdge
	})
}

// Memory returns approximately how many bytes the class needs on procs ranks together: procs times the
// memory of rank 0, whose pencil is one of the largest.
func Memory(procs int, class nas.Class) int64 {
	p := newPencil(classes[class].n, procs, 0)
	u, v := p.layouts()
	return int64(procs) * 8 * (int64(u.Size) + 2*int64(v.Size)) // states, correction, forcing
}

// factors returns the numbers of processes along x and y. y is the largest divisor of procs that is not
// greater than its square root.
func factors(procs int) (x, y int) {
	y, _ = nas.SquareRoot(procs)
	for procs%y != 0 {
		y--
	}
	return procs / y, y
}

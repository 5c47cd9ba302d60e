package lu

import "rhinet/npb/cfd"

// Indices of the lane constants of a sweep. The generator has the same list.
const (
	conDt = iota // time step: what the residual is multiplied with
	conT2        // +-omega*dt*t2: the weight of the convective part
	conHalf
	conC1
	conC2
	conD        // omega*dt*t1*D in x and y
	conDz       // omega*dt*t1*D in z
	conVisc     // omega*dt*t1*kappa
	conThird    // 1/3 of it
	conMix      // omega*dt*t1*(kappa - kappa5)
	conHeat     // omega*dt*t1*kappa5
	conD0       // diagonal of the density equation
	conInvD0    // 1/conD0
	conDiagVisc // 2*dt*t1*10/3*kappa
	conDiagHeat // 2*dt*t1*3*kappa5
	conDiagMix  // conDiagVisc - conDiagHeat
	conOne
	conRelax // 1/(omega*(2-omega))
	consts
)

// newFrame returns the frame of a sweep, see cfd.NewFrame: the constants, and the
// area that assembly spills to. sign is 1 for the lower and -1 for the upper sweep.
func newFrame(n int, dt, sign float64) []float64 {
	t1, t2 := cfd.Steps(n)
	var c [consts]float64
	c[conDt], c[conT2] = dt, sign*omega*dt*t2
	c[conHalf], c[conOne], c[conC1], c[conC2] = 0.5, 1, cfd.C1, cfd.C2
	w := omega * dt * t1
	c[conD], c[conDz] = w*cfd.Dissipation2(0), w*cfd.Dissipation2(2)
	c[conVisc], c[conThird] = w*cfd.Kappa, w*cfd.Kappa/3
	c[conMix], c[conHeat] = w*(cfd.Kappa-cfd.Kappa5), w*cfd.Kappa5
	d := 2 * dt * t1
	c[conD0] = 1 + d*(cfd.Dissipation2(0)+cfd.Dissipation2(1)+cfd.Dissipation2(2))
	c[conInvD0] = 1 / c[conD0]
	c[conDiagVisc], c[conDiagHeat] = d*10/3*cfd.Kappa, d*3*cfd.Kappa5
	c[conDiagMix] = c[conDiagVisc] - c[conDiagHeat]
	c[conRelax] = 1 / (omega * (2 - omega))
	return cfd.NewFrame(c[:])
}

// sweepArgs is one call of a sweep kernel: n points of a diagonal. The assembly
// reads it by offsets, which a test compares with the generator's.
type sweepArgs struct {
	u, v     []float64
	frame    []float64 // written to, see newFrame
	off      []int     // byte offsets, see newTable
	uAt, vAt int
	n        int
	skip     int // points at the beginning that must not be written
}

// sweepTable is what is the same for all diagonals of a sweep.
type sweepTable struct {
	off   []int
	frame []float64
}

// Offsets in the table of a sweep: of the components of the state (with the reciprocal density) and of the
// correction, at the point itself and at its neighbours in x, y and z.
const (
	offU     = 0
	offV     = 4 * 6
	offNextU = offV + 4*cfd.Components // in the diagonal that comes next
	offNextV = offNextU + 6
	offCount = offNextV + cfd.Components
)

// newTable returns the offsets for neighbours in direction side, -1 or 1.
func newTable(ul, vl *cfd.Layout, side int) sweepTable {
	t := sweepTable{off: make([]int, offCount)}
	for p := range 4 {
		us, vs := 0, 0
		if p > 0 {
			us, vs = side*ul.Stride[p-1], side*vl.Stride[p-1]
		}
		for m := range 6 {
			t.off[offU+p*6+m] = 8 * (us + m*ul.Comp)
		}
		for m := range cfd.Components {
			t.off[offV+p*cfd.Components+m] = 8 * (vs + m*vl.Comp)
		}
	}
	// The lower sweep goes upwards, the upper sweep downwards.
	for m := range 6 {
		t.off[offNextU+m] = 8 * (m*ul.Comp - side*ul.Stride[0])
	}
	for m := range cfd.Components {
		t.off[offNextV+m] = 8 * (m*vl.Comp - side*vl.Stride[0])
	}
	return t
}

// kernels are the loops over a diagonal.
type kernels struct {
	lower, upper, advance func(*sweepArgs)
}

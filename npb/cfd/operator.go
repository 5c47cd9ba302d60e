package cfd

import "rhinet/npb/nas"

// State components: a field of states holds the five unknowns, followed by Reciprocal and, if the kernel
// needs it, Sound.
const (
	Reciprocal = 5 // 1/rho
	Sound      = 6 // speed of sound, sqrt(c1*c2*(e - q))
)

// Indices of the constants of the operator in its lane table. The generator in
// _asm has the same list.
const (
	opMinusT2 = iota // -t2, the central difference at the upper neighbour
	opPlusT2
	opHalf
	opC2
	opVisc   // kappa*t1
	opVisc43 // 4/3 of it, for the momentum along the direction
	opEnergy // weights of E, K and v_d^2 in the energy flux
	opKinetic
	opSquare
	opVisc0 // weights of v, E and K at the point itself, all directions together
	opEnergy0
	opKinetic0
	opRoot // sqrt(1/2), for the transform of SP
	opConsts
)

// opArgs is one call of an operator kernel: a run of n points. The assembly reads
// it by offsets, which a test compares with the generator's.
type opArgs struct {
	u, r, f []float64
	coef    []float64 // a frame, see NewFrame: written to; then the rows of the dissipation
	off     []int     // byte offsets of neighbours and components, see offsets
	cx, cy  []int     // byte offsets into coef, per vector
	uAt     int
	rAt     int // also of f
	cxAt    int
	cyAt    int
	cyStep  int // bytes from one entry of cy to the next
	cz      int
	n       int
	skip    int // points at the beginning that must not be written
}

// Operator evaluates r = scale*R(U) - f at the interior points of a box (section 1.5). All its memory is
// allocated when it is created.
type Operator struct {
	Box    Box
	ul, rl Layout
	runs   []opRun
	tile   int   // runs that are processed in all planes before the next ones
	cz     []int // per plane
	args   opArgs
	kernel func(*opArgs)
}

type opRun struct {
	uAt, rAt       int // positions in plane k = 0
	n, skip        int
	cx, cy, cyStep int
}

// Plan describes an operator.
type Plan struct {
	Box       Box
	U, R      Layout
	Order     Order
	Scale     float64
	Transform bool // apply SP's T_in to the result; needs Sound
	Level     nas.Level
}

// NewOperator prepares the operator.
func NewOperator(p Plan) *Operator {
	o := &Operator{Box: p.Box, ul: p.U, rl: p.R}
	var table laneTable
	table.data = NewFrame(operatorConstants(p.Box.N, p.Scale))
	a := &o.args
	width := widthOf(p.Level)
	for _, run := range p.Box.Runs(p.Order) {
		r := opRun{
			uAt: p.U.At(run.I, run.J, 0), rAt: p.R.At(run.I, run.J, 0), n: run.Len, skip: run.Skip,
			cx: len(a.cx), cy: len(a.cy), cyStep: 8 * int(p.Order),
		}
		for x := 0; x < run.Len; x += width {
			gi, gj := lanesOf(&p.Box, run, p.Order, x)
			a.cx = append(a.cx, table.rows(p.Box.N, 0, p.Scale, gi))
			a.cy = append(a.cy, table.rows(p.Box.N, 1, p.Scale, gj))
		}
		o.runs = append(o.runs, r)
	}
	o.cz = make([]int, p.Box.Edge[2])
	from, to := p.Box.Inside(2)
	for k := from; k < to; k++ {
		var g [Lanes]int
		for l := range g {
			g[l] = p.Box.Low[2] + k
		}
		o.cz[k] = table.rows(p.Box.N, 2, p.Scale, g)
	}
	o.tile = tileOf(&p.U, p.Order, len(o.runs))
	a.coef = table.data
	a.off = offsets(&p.U, &p.R, p.Order)
	o.kernel = operatorKernel(p.Level, p.Transform)
	return o
}

// widthOf returns the number of points that an operator kernel of the level processes together.
func widthOf(level nas.Level) int {
	if level == nas.AVX2 {
		return Lanes / 2
	}
	return Lanes
}

// lanesOf returns the global x and y indices of the lanes from point x of a run.
func lanesOf(b *Box, run Run, order Order, x int) (gi, gj [Lanes]int) {
	for l := range Lanes {
		i, j := run.point(order, x+l)
		gi[l], gj[l] = b.Low[0]+i, b.Low[1]+j
	}
	return gi, gj
}

// Offsets of the neighbours of a point in the table made by offsets.
const (
	offU     = 0                         // components 0..Sound of the point itself
	offNear  = offU + Sound + 1          // per direction: lower neighbour's 0..Reciprocal, then upper's
	offFar   = offNear + 3*2*6           // per direction: the five of the second lower neighbour, then upper
	offR     = offFar + 3*2*5            // the five components of r and f
	offNextU = offR + Components         // states two planes up, in the run that comes next
	offNextC = offNextU + Reciprocal + 1 // speed of sound there, in the same plane
	offNextR = offNextC + 1              // r and f
	offCount = offNextR + Components
)

func offsets(u, r *Layout, order Order) []int {
	t := make([]int, offCount)
	for m := 0; m <= Sound; m++ {
		t[offU+m] = 8 * m * u.Comp
	}
	for d := range 3 {
		for side := range 2 {
			step := (2*side - 1) * u.Stride[d]
			for m := 0; m <= Reciprocal; m++ {
				t[offNear+(d*2+side)*6+m] = 8 * (step + m*u.Comp)
			}
			for m := range Components {
				t[offFar+(d*2+side)*5+m] = 8 * (2*step + m*u.Comp)
			}
		}
	}
	for m := range Components {
		t[offR+m] = 8 * m * r.Comp
	}
	along := 1 // the next row is the next one in y, the next diagonal that in x
	if order == ByDiagonals {
		along = 0
	}
	for m := 0; m <= Reciprocal; m++ {
		t[offNextU+m] = 8 * (u.Stride[along] + 2*u.Stride[2] + m*u.Comp)
	}
	t[offNextC] = 8 * (u.Stride[along] + Sound*u.Comp)
	for m := range Components {
		t[offNextR+m] = 8 * (r.Stride[along] + m*r.Comp)
	}
	return t
}

func operatorConstants(n int, scale float64) []float64 {
	t1, t2 := Steps(n)
	kt := scale * Kappa * t1
	c := make([]float64, opConsts)
	c[opMinusT2], c[opPlusT2] = -scale*t2, scale*t2
	c[opHalf], c[opC2] = 0.5, C2
	c[opVisc], c[opVisc43] = kt, 4.0/3*kt
	c[opEnergy], c[opKinetic], c[opSquare] = C1C5*kt, (1-C1C5)*kt, kt/6
	c[opVisc0] = -2 * kt * (2 + 4.0/3)
	c[opEnergy0] = -2 * kt * 3 * C1C5
	c[opKinetic0] = -2 * kt * (3*(1-C1C5) + 1.0/3)
	c[opRoot] = rootHalf
	return c
}

// rootHalf is sqrt(1/2).
const rootHalf = 0.70710678118654752440

// tileBytes is the part of a cache that the states around a tile of runs may fill: five planes that stay in
// the cache while the operator moves from plane to plane. Half of a second-level cache of 1 to 2 MiB gave
// the best results.
const tileBytes = 768 << 10

// tileOf returns how many runs make a tile, in tiles of about equal size.
func tileOf(l *Layout, order Order, runs int) int {
	row := 8 * l.Stride[1]
	if order == ByDiagonals {
		row = 8 * l.Stride[0] / 2 // on average half of a diagonal's memory is unused
	}
	most := max(4, tileBytes/(5*row)-2*Ghosts)
	tiles := (runs + most - 1) / most
	return (runs + tiles - 1) / tiles
}

// Apply sets r at the interior points of the box.
func (o *Operator) Apply(r, u, f []float64) {
	from, to := o.Box.Inside(2)
	a := &o.args
	a.u, a.r, a.f = u, r, f
	for first := 0; first < len(o.runs); first += o.tile {
		tile := o.runs[first:min(first+o.tile, len(o.runs))]
		for k := from; k < to; k++ {
			a.cz = o.cz[k]
			uPlane, rPlane := k*o.ul.Stride[2], k*o.rl.Stride[2]
			for i := range tile {
				run := &tile[i]
				a.uAt, a.rAt = run.uAt+uPlane, run.rAt+rPlane
				a.cxAt, a.cyAt, a.cyStep = run.cx, run.cy, run.cyStep
				a.n, a.skip = run.n, run.skip
				o.kernel(a)
			}
		}
	}
	a.u, a.r, a.f = nil, nil, nil
}

package cfd

import "rhinet/npb/nas"

import "math"

// primitiveArgs is one call of a primitive kernel.
type primitiveArgs struct {
	u    []float64
	at   int
	comp int // bytes
	n    int
	con  []float64 // lanes of 1, 1/2, c1*c2
}

// Primitives computes the components derived from the unknowns: Reciprocal, and Sound if the states have
// it.
type Primitives struct {
	args   primitiveArgs
	con    []float64 // a frame, see NewFrame: written to
	sound  bool
	kernel func(*primitiveArgs)
}

// NewPrimitives prepares the loop for states with comps components.
func NewPrimitives(comps int, level nas.Level) *Primitives {
	p := &Primitives{sound: comps > Sound, con: NewFrame([]float64{1, 0.5, C1 * C2})}
	p.kernel = primitiveKernel(level, p.sound)
	return p
}

// Fill processes n points, contiguous from index at of u.
func (p *Primitives) Fill(u []float64, l *Layout, at, n int) {
	p.args = primitiveArgs{u: u, at: at, comp: 8 * l.Comp, n: n, con: p.con}
	p.kernel(&p.args)
	p.args.u = nil
}

func reciprocalGo(a *primitiveArgs) {
	comp := a.comp / 8
	rho, r := a.u[a.at:][:a.n], a.u[a.at+Reciprocal*comp:][:a.n]
	for x, v := range rho {
		r[x] = 1 / v
	}
}

func soundGo(a *primitiveArgs) {
	reciprocalGo(a)
	comp := a.comp / 8
	for x := a.at; x < a.at+a.n; x++ {
		r := a.u[x+Reciprocal*comp]
		v1, v2, v3 := a.u[x+comp]*r, a.u[x+2*comp]*r, a.u[x+3*comp]*r
		q := 0.5 * (v1*v1 + v2*v2 + v3*v3)
		a.u[x+Sound*comp] = math.Sqrt(C1 * C2 * (a.u[x+4*comp]*r - q))
	}
}

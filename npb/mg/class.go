package mg

import "rhinet/npb/nas"

const (
	name      = "MG"
	seed      = 314159265
	charges   = 10 // of each sign
	tolerance = 1e-8
)

// params is one class: the edge of the cube, the number of V-cycles, the coefficients of the smoother for
// each distance (those of the corners are 0), and the norm of the residual.
type params struct {
	n, niter int
	smoother [3]float64
	rnm2     float64
}

func classes() nas.Table[params] {
	a := [3]float64{-3.0 / 8, 1.0 / 32, -1.0 / 64}
	b := [3]float64{-3.0 / 17, 1.0 / 33, -1.0 / 61}
	return nas.Table[params]{
		nas.S: {32, 4, a, 5.307707005734e-05},
		nas.W: {128, 4, a, 6.467329375339e-06},
		nas.A: {256, 4, a, 2.433365309069e-06},
		nas.B: {256, 20, b, 1.800564401355e-06},
		nas.C: {512, 20, b, 5.70673228574e-07},
		nas.D: {1024, 50, b, 1.58327506044e-10},
		nas.E: {2048, 50, b, 0.5630442584711e-10},
	}
}

// operations is the number of floating point operations of niter cycles, by
// the formula of the NPB.
func (p *params) operations(niter int) float64 {
	return 58 * float64(niter) * float64(p.n) * float64(p.n) * float64(p.n)
}

// Kernel returns MG in the form common to all kernels.
func Kernel() nas.Kernel {
	return nas.Kernel{Name: "mg", Describe: Describe, Allowed: Allowed, Memory: Memory, Run: Run}
}

// Describe returns the problem of a class.
func Describe(class nas.Class) (nas.Problem, error) {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return nas.Problem{}, err
	}
	return nas.Problem{Kernel: name, Class: class, Size: nas.Grid(p.n, p.n, p.n), Iterations: p.niter}, nil
}

// Allowed returns nil if procs processes can run the class: powers of two for which each process has at
// least two points of the finest grid along every axis.
func Allowed(procs int, class nas.Class) error {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return err
	}
	return nas.CheckCount(name, class, procs, "a power of two", func(n int) bool {
		return nas.IsPowerOfTwo(n) && 2*shape(n)[2] <= p.n
	})
}

// Memory returns approximately how many bytes the class needs on procs processes together: procs times the
// memory for the grids of rank 0.
func Memory(procs int, class nas.Class) int64 {
	top := nas.Log2(classes()[class].n)
	total := int64(0)
	for k := 1; k <= top; k++ {
		l := newLevel(k, shape(procs), 0, nas.Plain)
		total += 2 * int64(l.size)
		if k == top {
			total += int64(l.size) + 4*int64(bufferSize(l))
		}
	}
	return int64(procs) * 8 * total
}

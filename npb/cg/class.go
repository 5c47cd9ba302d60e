package cg

import (
	"math"

	"rhinet/npb/nas"
)

const (
	name      = "CG"
	seed      = 314159265
	rcond     = 0.1 // the inverse of the condition number of the random part
	inner     = 25  // conjugate gradient steps per linear system
	tolerance = 1e-10
)

// params is one class: the order of the matrix, the nonzeros of each random
// vector, the iterations, the shift of the diagonal, and the eigenvalue.
type params struct {
	na, nonzer, niter int
	shift, zeta       float64
}

func classes() nas.Table[params] {
	return nas.Table[params]{
		nas.S: {1400, 7, 15, 10, 8.5971775078648},
		nas.W: {7000, 8, 15, 12, 10.362595087124},
		nas.A: {14000, 11, 15, 20, 17.130235054029},
		nas.B: {75000, 13, 75, 60, 22.712745482631},
		nas.C: {150000, 15, 75, 110, 28.973605592845},
		nas.D: {1500000, 21, 100, 500, 52.514532105794},
		nas.E: {9000000, 26, 100, 1500, 77.522164599383e0},
	}
}

// operations is the number of floating point operations of niter iterations,
// by the formula of the NPB.
func (p *params) operations(niter int) float64 {
	w := float64(p.nonzer * (p.nonzer + 1))
	return 2 * float64(niter) * float64(p.na) * (3 + w + inner*(5+w) + 3)
}

// elements returns the maximum number of elements of the matrix: some coincide.
func (p *params) elements() int64 {
	return int64(p.na) * int64(p.nonzer+1) * int64(p.nonzer+1)
}

// Kernel returns CG in the form common to all kernels.
func Kernel() nas.Kernel {
	return nas.Kernel{Name: "cg", Describe: Describe, Allowed: Allowed, Memory: Memory, Run: Run}
}

// Describe returns the problem of a class.
func Describe(class nas.Class) (nas.Problem, error) {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return nas.Problem{}, err
	}
	return nas.Problem{Kernel: name, Class: class, Size: nas.Count(int64(p.na)), Iterations: p.niter}, nil
}

// Allowed returns nil if procs processes can run the class: powers of two for which no block of the matrix
// is empty, and no block has more elements than can be indexed with 32 bits, which requires 4 processes in
// class E.
func Allowed(procs int, class nas.Class) error {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return err
	}
	return nas.CheckCount(name, class, procs, "a power of two", func(n int) bool {
		return nas.IsPowerOfTwo(n) && 2*newGrid(n, 0).cols <= p.na && p.elements()/int64(n) <= math.MaxInt32
	})
}

// Memory returns approximately how many bytes the class needs on procs processes together. Making the
// matrix needs most: every process draws all random vectors, and temporarily has its columns in two forms.
func Memory(procs int, class nas.Class) int64 {
	p := classes()[class]
	na, entries := int64(p.na), int64(p.na)*int64(p.nonzer+1)
	nonzeros := p.elements()
	each := entries*(4+8) + na*(4+8) // positions and values; counts and weights
	return int64(procs)*each + nonzeros*(8+4+2) + entries*4 + na*7*8
}

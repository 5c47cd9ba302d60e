package ft

import (
	"math"

	"rhinet/npb/nas"
)

const (
	name      = "FT"
	seed      = 314159265
	alpha     = 1e-6
	terms     = 1024 // of a checksum
	tolerance = 1e-12
)

// params is one class; the checksums of its iterations are in checksums.go.
type params struct {
	nx, ny, nz, niter int
	checksums         []complex128
}

func classes() nas.Table[params] {
	return nas.Table[params]{
		nas.S: {64, 64, 64, 6, checksumsS()},
		nas.W: {128, 128, 32, 6, checksumsW()},
		nas.A: {256, 256, 128, 6, checksumsA()},
		nas.B: {512, 256, 256, 20, checksumsB()},
		nas.C: {512, 512, 512, 20, checksumsC()},
		nas.D: {2048, 1024, 1024, 25, checksumsD()},
		nas.E: {4096, 2048, 2048, 25, checksumsE()},
	}
}

func (p *params) points() float64 { return float64(p.nx) * float64(p.ny) * float64(p.nz) }

// operations is the number of floating point operations of niter iterations,
// by the formula of the NPB.
func (p *params) operations(niter int) float64 {
	l := math.Log(p.points())
	return p.points() * (14.8157 + 7.19641*l + (5.23518+7.21113*l)*float64(niter))
}

// Kernel returns FT in the form common to all kernels.
func Kernel() nas.Kernel {
	return nas.Kernel{Name: "ft", Describe: Describe, Allowed: Allowed, Memory: Memory, Run: Run, CheckGrid: CheckGrid}
}

// Describe returns the problem of a class.
func Describe(class nas.Class) (nas.Problem, error) {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return nas.Problem{}, err
	}
	return nas.Problem{Kernel: name, Class: class, Size: nas.Grid(p.nx, p.ny, p.nz), Iterations: p.niter}, nil
}

// Allowed returns nil if procs processes can run the class: powers of two for which each process has a slab
// of planes, or a pencil of lines, of at least one.
func Allowed(procs int, class nas.Class) error {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return err
	}
	return nas.CheckCount(name, class, procs, "a power of two, at most one process per line along x", func(n int) bool {
		return nas.IsPowerOfTwo(n) && p.cuts(p.gridOf(n))
	})
}

// Memory returns approximately how many bytes the class needs on procs processes together: the box in
// frequency order and in between, once more if it is exchanged, and a plane for each process; with more
// processes than planes, three boxes.
func Memory(procs int, class nas.Class) int64 {
	p := classes()[class]
	boxes := int64(2)
	if procs > 1 {
		boxes++
	}
	if procs > p.nz {
		return 8 * 2 * boxes * int64(p.nx) * int64(p.ny) * int64(p.nz)
	}
	sheets := int64(p.nz) * (int64(p.ny)*int64(2*p.nx) + int64(procs)*cell)
	plane := int64(p.ny) * int64(2*p.nx+cell)
	return 8 * (boxes*sheets + int64(procs)*plane)
}

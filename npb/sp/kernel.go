package sp

import (
	"rhinet/mpi"
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

// march is all that makes SP of the kernel that BT and SP have in common.
func march() *cfd.MarchKernel {
	return &cfd.MarchKernel{
		Name: "SP", Classes: classes, Operations: operations, Comps: cfd.Sound + 1, TIn: true, Lines: newLines,
	}
}

// Kernel returns SP as users of all kernels know it.
func Kernel() nas.Kernel {
	return nas.Kernel{Name: "sp", Describe: Describe, Allowed: Allowed, Memory: Memory, Run: Run}
}

// Describe returns the size, time steps and time step length of a class.
func Describe(class nas.Class) (nas.Problem, error) { return march().Describe(class) }

// Allowed returns nil if the class can run on procs ranks: a square number that
// leaves cells of at least three points to an edge. The error names the counts.
func Allowed(procs int, class nas.Class) error { return march().Allowed(procs, class) }

// Memory returns about how many bytes the class takes on procs ranks together.
func Memory(procs int, class nas.Class) int64 { return march().Memory(procs, class) }

// Run computes one class on all ranks of world. It is collective; the result is
// complete on rank 0.
func Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error) { return march().Run(world, cfg) }

package bt

import (
	"rhinet/mpi"
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

// march returns the part of BT that differs from the kernel that BT and SP share.
func march() *cfd.MarchKernel {
	return &cfd.MarchKernel{
		Name: "BT", Classes: classes, Operations: operations, Comps: cfd.Reciprocal + 1, Lines: newLines,
	}
}

// Kernel returns BT in the form common to all kernels.
func Kernel() nas.Kernel {
	return nas.Kernel{Name: "bt", Describe: Describe, Allowed: Allowed, Memory: Memory, Run: Run}
}

// Describe returns the size, time steps and time step length of a class.
func Describe(class nas.Class) (nas.Problem, error) { return march().Describe(class) }

// Allowed returns nil if the class can run on procs ranks: a square number that
// leaves cells of at least three points to an edge. The error names the counts.
func Allowed(procs int, class nas.Class) error { return march().Allowed(procs, class) }

// Memory returns approximately how many bytes the class needs on procs ranks together.
func Memory(procs int, class nas.Class) int64 { return march().Memory(procs, class) }

// Run computes one class on all ranks of world. It is collective; the result is
// complete on rank 0.
func Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error) { return march().Run(world, cfg) }

package nas

import "rhinet/mpi"

// A Kernel is one benchmark, as the package of every kernel offers it.
type Kernel struct {
	Name string // in small letters, such as "cg"

	// Describe returns the problem of a class, or a *ClassError.
	Describe func(class Class) (Problem, error)

	// Allowed returns nil if the class can run on procs processes, a *CountError
	// that lists the counts if not, or a *ClassError.
	Allowed func(procs int, class Class) error

	// Memory returns about how many bytes procs processes, an allowed number,
	// take for the class, all together.
	Memory func(procs int, class Class) int64

	// Run computes the class of cfg. It is collective; the result is complete
	// on rank 0.
	Run func(world *mpi.Comm, cfg Config) (Result, error)
}

// Package nas holds what the NAS Parallel Benchmarks have in common: the random
// number generator with skip-ahead, problem classes and their tables, the rules
// for process counts, verification, timers, and the report block that tools
// scrape.
//
// A kernel is a package without state of its own, with the functions of a Kernel:
//
//	func Describe(class nas.Class) (nas.Problem, error)
//	func Allowed(procs int, class nas.Class) error
//	func Memory(procs int, class nas.Class) int64
//	func Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error)
//
// Run is collective over world. The Result is complete on rank 0 only: the
// other ranks know the problem, but not the time or the verdict. Nothing is
// registered anywhere: rhinet/npb holds the one list of kernels.
//
// The rules are those of the NAS Parallel Benchmarks 3.4, MPI flavour.
package nas

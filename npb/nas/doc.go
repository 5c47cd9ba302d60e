// Package nas contains what the NAS Parallel Benchmarks share: the random number generator with skip-ahead,
// problem classes and their tables, the rules for process counts, verification, timers, and the report
// block that tools parse.
//
// A kernel is a package without global state, with the functions of a Kernel:
//
//	func Describe(class nas.Class) (nas.Problem, error)
//	func Allowed(procs int, class nas.Class) error
//	func Memory(procs int, class nas.Class) int64
//	func Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error)
//
// Run is collective over world. The Result is complete on rank 0 only: the other ranks know the problem,
// but not the time or the verdict. There is no registration: rhinet/npb contains the only list of kernels.
//
// The rules are those of the NAS Parallel Benchmarks 3.4, MPI version.
package nas

// Package virtual measures collective operations of very many ranks in virtual time, each algorithm on the
// network models of mpirun --time. The ranks are goroutines of this process, one per rank, next to the
// service that keeps their time: switching between them is many times faster than between processes, and
// the results are the same to the last digit.
//
//	plan.go  what to measure
//	job.go   a program on all ranks, each with an engine, a port and a translator of its own
//	hang.go  the end of a program that hangs
//	run.go   one call as such a program
//	row.go   results: tables and curves
package virtual

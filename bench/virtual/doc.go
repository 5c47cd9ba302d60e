// Package virtual measures collective operations of very many ranks in virtual time, each
// algorithm on the models of networks that mpirun --time has. The ranks are goroutines of this
// process, one a rank, beside the service that keeps their time: they take turns many times
// quicker than processes do, and find the same to the last digit.
//
//	plan.go  what is to be measured
//	job.go   a program on all ranks, each with an engine, a port and a translator of its own
//	hang.go  the end of a program that hangs
//	run.go   one call as such a program
//	row.go   what came of it: tables and curves
package virtual

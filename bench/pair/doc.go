// Package pair runs measurements below MPI: on two or three processes, or goroutines, that share the memory
// of a job of emulated network interfaces. The first process leads, and starts the others as further copies
// of its program. Other ranks of the job exist in memory only, idle.
//
// The time measured is that of Run of a Side, which all processes call; how often it is repeated is decided
// by a Policy of package bench.
package pair

// Package pair measures below MPI: one measurement runs on two processes, or
// three, or goroutines, that share the memory of a job of emulated network
// interfaces. The first leads, and starts the others as further copies of its
// program; other ranks of the job exist in memory only, idle.
//
// What is timed is the body of a Side, which all run; the policy of repetition
// is that of package bench.
package pair

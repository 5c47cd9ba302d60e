// Npb runs NAS Parallel Benchmarks as MPI programs:
//
//	mpirun -n 4 ./cmd/npb -class S ep is cg
//
// Each kernel prints the usual NAS report. The exit status is 0 if no verification failed, 1 if one did,
// and 2 for a mistake in the command line.
package main

import (
	"fmt"
	"os"

	"rhinet/internal/checked"
	"rhinet/mpi"
)

func main() {
	world, err := mpi.Init()
	if err != nil {
		fmt.Fprintln(os.Stderr, "npb:", err)
		os.Exit(exitFailed)
	}
	out := &checked.Writer{W: os.Stdout}
	code, err := run(world, os.Args[1:], out, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "npb:", err)
		mpi.Abort(world, exitFailed)
	}
	if err := mpi.Finalize(world); err != nil {
		fmt.Fprintln(os.Stderr, "npb:", err)
		os.Exit(exitFailed)
	}
	os.Exit(out.Status("npb", os.Stderr, code))
}

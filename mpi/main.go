package mpi

import (
	"fmt"
	"os"
	"runtime/debug"
)

// Main runs an MPI program: Init, run, Finalize. If run fails, the job ends
// with its error on standard error and status 1; if it panics, or calls
// runtime.Goexit, with the stack and status 2. Main returns when the program has succeeded.
//
//	func main() { mpi.Main(run) }
//
// Not in the standard.
func Main(run func(world *Comm) error) {
	if run == nil {
		fmt.Fprintln(os.Stderr, "mpi: Main: the function is nil; pass the one that is to run on every rank")
		os.Exit(1)
	}
	world, err := Init()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if status := runMain(world, run); status != 0 {
		os.Exit(status)
	}
}

// runMain is Main after Init; it returns the status of the process.
func runMain(world *Comm, run func(*Comm) error) (status int) {
	returned := false
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(os.Stderr, "rank %d: panic: %v\n\n%s", world.Rank(), v, debug.Stack())
			status = 2
		} else if !returned { // nothing after this function runs any more
			fmt.Fprintf(os.Stderr, "rank %d: the program ended its goroutine with runtime.Goexit, as t.Fatal of package testing does; return an error instead\n\n%s", world.Rank(), debug.Stack())
			os.Exit(2)
		}
	}()
	err := run(world)
	returned = true
	if err == nil && world.state.Load() != commFinalized {
		err = Finalize(world)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "rank %d: %v\n", world.Rank(), err)
		if f := world.w.failed; f != nil && world.state.Load() != commFinalized {
			_ = f() // the error is told already
		}
		return 1
	}
	return 0
}

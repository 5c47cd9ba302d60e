// Sessions uses MPI without a world: two parts of a program open a session each and know nothing of each
// other.
package main

import (
	"errors"
	"fmt"
	"os"

	"rhinet/mpi"
)

func main() {
	if err := program(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func program() error {
	s, err := mpi.SessionInit()
	if err != nil {
		return err
	}
	return errors.Join(run(s), s.Finalize())
}

func run(s *mpi.Session) error {
	// A library that the program uses opens a session of its own.
	library, err := s.Open()
	if err != nil {
		return err
	}
	norm, err := pythagoras(library)
	if err := errors.Join(err, library.Finalize()); err != nil {
		return err
	}
	all, err := s.Group(mpi.PsetWorld)
	if err != nil {
		return err
	}
	comm, err := mpi.CommFromGroup(all, "example of the program")
	if err != nil {
		return err
	}
	if comm.Rank() == 0 {
		fmt.Printf("%d processes have a norm of %d\n", comm.Size(), norm)
	}
	return comm.Free()
}

// pythagoras returns the sum of the squares of the numbers of all processes.
func pythagoras(s *mpi.Session) (int, error) {
	all, err := s.Group(mpi.PsetWorld)
	if err != nil {
		return 0, err
	}
	comm, err := mpi.CommFromGroup(all, "example of the library")
	if err != nil {
		return 0, err
	}
	n, sum := comm.Size(), []int{0}
	if err := mpi.Allreduce(comm, []int{comm.Rank() * comm.Rank()}, sum, mpi.Sum); err != nil {
		return 0, err
	}
	if want := (n - 1) * n * (2*n - 1) / 6; sum[0] != want {
		return 0, fmt.Errorf("the sum of squares is %d, want %d", sum[0], want)
	}
	return sum[0], comm.Free()
}

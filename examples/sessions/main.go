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
	// A library may use MPI before the program does, beside it, or after it.
	norm, err := pythagoras(mpi.SessionInit)
	if err != nil {
		return err
	}
	s, err := mpi.SessionInit()
	if err != nil {
		return err
	}
	again, err := run(s, mpi.SessionInit)
	if again != norm {
		err = errors.Join(err, fmt.Errorf("the norm was %d and is %d", norm, again))
	}
	return errors.Join(err, s.Finalize())
}

// An opener opens a session: [mpi.SessionInit], or, in a test whose ranks are goroutines, Open of the session of
// the rank.
type opener func(...mpi.Info) (*mpi.Session, error)

// run uses a session, and the library beside it.
func run(s *mpi.Session, open opener) (norm int, err error) {
	if norm, err = pythagoras(open); err != nil {
		return 0, err
	}
	all, err := s.Group(mpi.PsetWorld)
	if err != nil {
		return 0, err
	}
	comm, err := mpi.CommFromGroup(all, "example of the program")
	if err != nil {
		return 0, err
	}
	if comm.Rank() == 0 {
		fmt.Printf("%d processes have a norm of %d\n", comm.Size(), norm)
	}
	return norm, comm.Free()
}

// pythagoras returns the sum of the squares of the numbers of all processes. It is a library: it has a session
// of its own, and does not know whether there are others.
func pythagoras(open opener) (_ int, err error) {
	s, err := open()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Finalize()) }()
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

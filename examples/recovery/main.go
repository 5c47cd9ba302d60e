// Recovery adds up squares although processes die on the way: under mpirun --keep-going the others continue
// and divide the work anew.
//
//	mpirun --keep-going -n 8 ./examples/recovery
package main

import (
	"errors"
	"fmt"
	"os"

	"rhinet/mpi"
)

const numbers = 1000

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	return sum(world, func() {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			_ = self.Kill()
		}
		select {} // until the signal arrives
	})
}

// sum has the ranks 1, 4 and 6 of world die in the first rounds, if there are at least 8.
func sum(world *mpi.Comm, die func()) error {
	comm := world
	for round := 0; ; round++ {
		if me := world.Rank(); world.Size() >= 8 && (round == 0 && (me == 1 || me == 4) || round == 1 && me == 6) {
			die()
		}
		part, total := []int{0}, []int{0}
		for i := comm.Rank(); i < numbers; i += comm.Size() {
			part[0] += i * i
		}
		err := mpi.Allreduce(comm, part, total, mpi.Sum)
		again, err := failed(comm, err)
		if err != nil {
			return err
		}
		if !again {
			return report(comm, total[0])
		}
		if comm, err = comm.Shrink(); err != nil {
			return err
		}
	}
}

// failed has all ranks agree on whether they must try again. err is the error of this rank; an error that
// is not about failed processes ends the program.
func failed(comm *mpi.Comm, err error) (bool, error) {
	if errors.Is(err, mpi.ErrUnsupported) {
		return false, err
	}
	good := uint64(1)
	if err != nil {
		if !errors.Is(err, mpi.ErrProcFailed) && !errors.Is(err, mpi.ErrRevoked) {
			return false, err
		}
		good = 0
		if err := comm.Revoke(); err != nil { // other ranks may be waiting for this one
			return false, err
		}
	}
	good, err = comm.Agree(good)
	switch {
	case errors.Is(err, mpi.ErrUnsupported):
		return false, nil // no process can have died
	case errors.Is(err, mpi.ErrProcFailed):
		return true, nil
	}
	return good == 0, err
}

func report(comm *mpi.Comm, total int) error {
	if want := (numbers - 1) * numbers * (2*numbers - 1) / 6; total != want {
		return fmt.Errorf("the sum of squares is %d, want %d", total, want)
	}
	if comm.Rank() == 0 {
		fmt.Printf("%d ranks are left, and the sum of squares is %d\n", comm.Size(), total)
	}
	return nil
}

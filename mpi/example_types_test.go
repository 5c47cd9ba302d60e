package mpi_test

import (
	"errors"
	"fmt"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// A rank waits for a collective operation or for the end of its patience, whichever is
// first. The request must be completed in both cases.
func ExampleRequest_Done() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		sum := []int{0}
		r := mpi.Iallreduce(world, []int{1}, sum, mpi.Sum)
		select {
		case <-r.Done(): // Wait now returns at once
		case <-time.After(time.Minute):
			fmt.Println("the others are late")
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(sum[0], "ranks")
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 3 ranks
}

// Each rank sends a number to rank 0 and a text to rank 1, by one call.
func ExampleAlltoallw() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		numbers := make([]float64, 2)
		texts := make([][]byte, 2)
		send := []mpi.Part{mpi.PartOf([]float64{0.5 + float64(world.Rank())}), mpi.PartOf(fmt.Appendf(nil, "rank %d", world.Rank()))}
		recv := make([]mpi.Part, 2)
		for from := range recv {
			if world.Rank() == 0 {
				recv[from] = mpi.PartOf(numbers[from:][:1])
			} else {
				texts[from] = make([]byte, len("rank 0"))
				recv[from] = mpi.PartOf(texts[from])
			}
		}
		if err := mpi.Alltoallw(world, send, recv); err != nil {
			return err
		}
		all := make([]byte, 12)
		if world.Rank() == 1 {
			return mpi.Send(world, append(texts[0], texts[1]...), 0, 0)
		}
		if _, err := mpi.Recv(world, all, 1, 0); err != nil {
			return err
		}
		fmt.Printf("rank 0 has %v, rank 1 has %s\n", numbers, all)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: rank 0 has [0.5 1.5], rank 1 has rank 0rank 1
}

// Of each particle only the position travels, into particles that keep their names.
func ExampleFields() {
	type particle struct {
		Name [4]byte
		X, Y float64
	}
	err := mpitest.World(2, func(world *mpi.Comm) error {
		swarm := make([]particle, 2)
		for i := range swarm {
			swarm[i] = particle{Name: [4]byte{'r', 'a', 'n', '0' + byte(world.Rank())}, X: float64(world.Rank()), Y: float64(i)}
		}
		places := mpi.Views(swarm, 2, mpi.Fields[particle]("X", "Y"))
		if world.Rank() == 1 {
			return mpi.Send(world, places, 0, 0)
		}
		st, err := mpi.Recv(world, places, 1, 0)
		if err != nil {
			return err
		}
		fmt.Printf("%d places: %s at %v, %v\n", st.Count, swarm[1].Name, swarm[1].X, swarm[1].Y)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 2 places: ran0 at 1, 1
}

// A library reports its own errors as MPI does: by class, and to the error handler.
func ExampleNewErrorClass() {
	singular := mpi.NewErrorClass("the matrix is singular")
	err := mpitest.World(1, func(world *mpi.Comm) error {
		err := world.CallErrhandler(mpi.NewErrorCode(singular, "column 3 is 0"))
		fmt.Println(errors.Is(err, singular), errors.Is(err, mpi.ErrRank))
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: true false
}

// A receive that no message matches is given up.
func ExampleRequest_Cancel() {
	err := mpitest.World(1, func(world *mpi.Comm) error {
		r := mpi.Irecv(world, make([]int, 1), mpi.AnySource, mpi.AnyTag)
		if err := r.Cancel(); err != nil {
			return err
		}
		st, err := r.Wait()
		fmt.Println("cancelled:", st.Cancelled())
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: cancelled: true
}

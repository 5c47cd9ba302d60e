package mpi_test

import (
	"errors"
	"fmt"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Rank 2 dies. The others notice it, agree on that, and go on without it.
func ExampleComm_Shrink() {
	err := mpitest.World(4, func(world *mpi.Comm) error {
		if world.Rank() == 2 {
			mpitest.Die()
		}
		if err := mpi.Barrier(world); !errors.Is(err, mpi.ErrProcFailed) && !errors.Is(err, mpi.ErrRevoked) {
			return err
		}
		if err := world.Revoke(); err != nil { // ends waits of ranks for others than rank 2
			return err
		}
		rest, err := world.Shrink()
		if err != nil {
			return err
		}
		sum := []int{0}
		if err := mpi.Allreduce(rest, []int{1}, sum, mpi.Sum); err != nil {
			return err
		}
		if rest.Rank() == 0 {
			fmt.Println(sum[0], "ranks go on")
		}
		return nil
	}, mpitest.KeepGoing())
	if err != nil {
		fmt.Println(err)
	}
	// Output: 3 ranks go on
}

// A handler is called with every error of a communicator; the call still returns the
// error.
func ExampleComm_SetErrhandler() {
	err := mpitest.World(1, func(world *mpi.Comm) error {
		err := world.SetErrhandler(func(c *mpi.Comm, err *mpi.Error) {
			fmt.Printf("%s failed on %s\n", err.Call, c.Name())
		})
		if err != nil {
			return err
		}
		if err := mpi.Send(world, []int{1}, 5, 0); errors.Is(err, mpi.ErrRank) {
			fmt.Println(err)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// Send failed on world
	// mpi: Send on world to 5 tag 0: there is no rank 5; ranks are 0 to 0
}

// Work of the program completes a request, which is waited for like any other.
func ExampleNewRequest() {
	err := mpitest.World(1, func(world *mpi.Comm) error {
		work, complete, err := mpi.NewRequest(world)
		if err != nil {
			return err
		}
		go func() { complete(mpi.Status{Tag: 7}, nil) }()
		barrier := mpi.Ibarrier(world)
		sts, err := mpi.WaitAllStatus(work, barrier)
		if err == nil {
			fmt.Println("tag", sts[0].Tag)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: tag 7
}

// Each rank names the ranks that it receives from and sends to, here along a line.
func ExampleComm_DistGraphCreateAdjacent() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		var in, out []mpi.Edge
		me := world.Rank()
		if me > 0 {
			in = append(in, mpi.Edge{Source: me - 1, Dest: me})
		}
		if me < 2 {
			out = append(out, mpi.Edge{Source: me, Dest: me + 1})
		}
		line, err := world.DistGraphCreateAdjacent(in, out)
		if err != nil {
			return err
		}
		before := make([]int, len(in))
		if err := mpi.NeighborAllgather(line, []int{10 * me}, before); err != nil {
			return err
		}
		if me == 2 {
			fmt.Println("before me is", before)
		}
		return line.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: before me is [10]
}

package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Ranks with even numbers have a communicator, and so have those with odd ones.
func ExampleComm_Split() {
	err := mpitest.World(5, func(world *mpi.Comm) error {
		half, err := world.Split(world.Rank()%2, world.Rank())
		if err != nil {
			return err
		}
		sum := []int{0}
		if err := mpi.Allreduce(half, []int{world.Rank()}, sum, mpi.Sum); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(half.Size(), "even ranks add up to", sum[0])
		}
		return half.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3 even ranks add up to 6
}

// A communicator of ranks that are listed.
func ExampleComm_Create() {
	err := mpitest.World(4, func(world *mpi.Comm) error {
		all, err := world.Group()
		if err != nil {
			return err
		}
		ends, err := all.Incl(3, 0)
		if err != nil {
			return err
		}
		c, err := world.Create(ends)
		if err != nil || c == nil { // nil on the others
			return err
		}
		if world.Rank() == 3 {
			fmt.Println("rank 3 of the world is", c.Rank(), "of", c.Size())
		}
		return c.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// rank 3 of the world is 0 of 2
}

// A library caches its data with the communicator.
func ExampleNewKeyval() {
	err := mpitest.World(1, func(world *mpi.Comm) error {
		calls := mpi.NewKeyval[int](mpi.Keep[int], nil)
		if err := calls.Set(world, 3); err != nil {
			return err
		}
		d, err := world.Dup()
		if err != nil {
			return err
		}
		n, found, err := calls.Value(d)
		fmt.Println(n, found)
		return errors.Join(err, d.Free())
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3 true
}

// A grid of ranks, and the neighbors in it.
func ExampleComm_CartCreate() {
	err := mpitest.World(6, func(world *mpi.Comm) error {
		grid, err := world.CartCreate([]int{2, 3}, []bool{false, true})
		if err != nil {
			return err
		}
		left, right, err := grid.CartShift(1, 1)
		if err != nil {
			return err
		}
		up, down, err := grid.CartShift(0, 1)
		if grid.Rank() == 3 {
			fmt.Println("left", left, "right", right, "up", up, "nobody below:", down == mpi.ProcNull)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// left 5 right 4 up 0 nobody below: true
}

// Every rank receives from each neighbor in a ring.
func ExampleNeighborAllgather() {
	err := mpitest.World(4, func(world *mpi.Comm) error {
		ring, err := world.CartCreate([]int{4}, []bool{true})
		if err != nil {
			return err
		}
		got := make([]int, 2)
		if err := mpi.NeighborAllgather(ring, []int{ring.Rank()}, got); err != nil {
			return err
		}
		if ring.Rank() == 0 {
			fmt.Println(got)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [3 1]
}

// A receive with a time limit.
func ExampleComm_WithContext() {
	err := mpitest.World(1, func(world *mpi.Comm) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		_, err := mpi.Recv(world.WithContext(ctx), make([]int, 1), 0, 0)
		fmt.Println(errors.Is(err, mpi.ErrCancelled), errors.Is(err, context.DeadlineExceeded))
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// true true
}

// What an error says, and how a program tests for its class.
func ExampleError() {
	err := mpitest.World(1, func(world *mpi.Comm) error {
		err := mpi.Send(world, []int{1}, 5, 0)
		fmt.Println(err)
		fmt.Println(errors.Is(err, mpi.ErrRank))
		var e *mpi.Error
		if errors.As(err, &e) {
			fmt.Println(e.Call, e.Peer)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// mpi: Send on world to 5 tag 0: there is no rank 5; ranks are 0 to 0
	// true
	// Send 5
}

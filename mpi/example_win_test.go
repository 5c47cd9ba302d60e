package mpi_test

import (
	"fmt"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Every rank writes its number into the memory of the next one, between two fences.
func ExampleWinAllocate() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](world, 1)
		if err != nil {
			return err
		}
		if err := w.Fence(); err != nil {
			return err
		}
		if err := w.Put([]int{world.Rank()}, (world.Rank()+1)%3, 0); err != nil {
			return err
		}
		if err := w.Fence(); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println("rank", w.Local()[0], "has written here")
		}
		return w.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// rank 2 has written here
}

// A counter from which any rank takes the next number; rank 0 has it and takes no part.
func ExampleWin_FetchAndOp() {
	err := mpitest.World(4, func(world *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](world, 1)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		mine, err := w.FetchAndOp(1, 0, 0, mpi.Sum)
		if err != nil {
			return err
		}
		if err := w.UnlockAll(); err != nil {
			return err
		}
		sum := []int{0}
		if err := mpi.Allreduce(world, []int{mine}, sum, mpi.Sum); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println("the numbers 0 to 3 add up to", sum[0])
		}
		return w.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// the numbers 0 to 3 add up to 6
}

// One rank reads and writes the memory of another exclusively.
func ExampleWin_Lock() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](world, 1)
		if err != nil {
			return err
		}
		if err := w.Lock(mpi.LockExclusive, 0); err != nil {
			return err
		}
		v := []int{0}
		if err := w.Get(v, 0, 0); err != nil {
			return err
		}
		if err := w.Flush(0); err != nil { // now v has arrived
			return err
		}
		v[0] += 5
		if err := w.Put(v, 0, 0); err != nil {
			return err
		}
		if err := w.Unlock(0); err != nil {
			return err
		}
		if err := mpi.Barrier(world); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(w.Local()[0])
		}
		return w.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 10
}

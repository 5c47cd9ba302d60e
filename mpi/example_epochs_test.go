package mpi_test

import (
	"fmt"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Only the two ranks concerned take part: rank 1 exposes its memory to rank 0.
func ExampleWin_Start() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](world, 2)
		if err != nil {
			return err
		}
		all, err := w.Group()
		if err != nil {
			return err
		}
		switch world.Rank() {
		case 0:
			targets, err := all.Incl(1)
			if err != nil {
				return err
			}
			if err := w.Start(targets); err != nil { // waits for Post
				return err
			}
			if err := w.Put([]int{4, 2}, 1, 0); err != nil {
				return err
			}
			if err := w.Complete(); err != nil {
				return err
			}
		case 1:
			origins, err := all.Incl(0)
			if err != nil {
				return err
			}
			if err := w.Post(origins); err != nil {
				return err
			}
			if err := w.Wait(); err != nil { // for Complete
				return err
			}
			fmt.Println("rank 1 has", w.Local())
		}
		return w.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: rank 1 has [4 2]
}

// The ranks of a host read each other's parts as slices, with no call for an access.
func ExampleWinAllocateShared() {
	err := mpitest.World(4, func(world *mpi.Comm) error {
		host, err := world.SplitType(mpi.SplitShared, 0)
		if err != nil {
			return err
		}
		w, err := mpi.WinAllocateShared[int](host, 1)
		if err != nil {
			return err
		}
		if err := w.Fence(); err != nil {
			return err
		}
		w.Local()[0] = host.Rank()
		if err := w.Fence(); err != nil { // now all ranks have stored theirs
			return err
		}
		right, err := w.Shared((host.Rank() + 1) % host.Size())
		if err != nil {
			return err
		}
		if host.Rank() == 0 {
			fmt.Println("rank 0 sees the", right[0], "of its neighbor")
		}
		return w.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: rank 0 sees the 1 of its neighbor
}

// Rank 1 attaches memory when it needs it, and tells rank 0 where it is.
func ExampleWinDynamic() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		w, err := mpi.WinDynamic[int](world)
		if err != nil {
			return err
		}
		at, found := []int{0}, []int{0, 0}
		if world.Rank() == 1 {
			if at[0], err = w.Attach([]int{7, 8, 9}); err != nil {
				return err
			}
		}
		if err := mpi.Bcast(world, at, 1); err != nil {
			return err
		}
		if world.Rank() == 0 {
			if err := w.Lock(mpi.LockShared, 1); err != nil {
				return err
			}
			if err := w.Get(found, 1, at[0]+1); err != nil {
				return err
			}
			if err := w.Unlock(1); err != nil {
				return err
			}
			fmt.Println("rank 0 has read", found)
		}
		return w.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: rank 0 has read [8 9]
}

// Rank 0 writes the second column of a matrix of rank 1, which is stored by rows.
func ExampleWin_PutLayout() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](world, 3*3)
		if err != nil {
			return err
		}
		if err := w.Fence(); err != nil {
			return err
		}
		if world.Rank() == 0 {
			if err := w.PutLayout([]int{1, 2, 3}, 1, 1, mpi.Vector(3, 1, 3)); err != nil {
				return err
			}
		}
		if err := w.Fence(); err != nil {
			return err
		}
		if world.Rank() == 1 {
			fmt.Println(w.Local())
		}
		return w.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: [0 1 0 0 2 0 0 3 0]
}

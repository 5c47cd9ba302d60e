package collective

import (
	"fmt"

	"rhinet/mpi"
)

func continues(world *mpi.Comm) {
	for range 3 {
		if world.Rank() == 0 {
			continue
		}
		_ = mpi.Barrier(world) // want `not all ranks of the communicator come to this Barrier: those with world.Rank\(\) == 0 continue in line 11; let them call it, too`
	}
}

func breaks(world *mpi.Comm, last int) {
	for i := 0; i < 3; i++ {
		rank := world.Rank()
		if root := rank == last; !root {
			fmt.Println(i)
		} else {
			break
		}
		_ = mpi.Barrier(world) // want `those with !\(!root\) break in line 21`
	}
}

func returnsFromLoop(world *mpi.Comm) error {
	for range 3 {
		if world.Rank() == world.Size()-1 {
			return nil
		}
		fmt.Println("ready")
	}
	return mpi.Barrier(world) // want `those with world.Rank\(\) == world.Size\(\) - 1 return in line 32`
}

// What follows is right.

func inTurns(world *mpi.Comm, buf []int, done func() bool) error {
	rank := world.Rank()
	for root := range world.Size() {
		if rank == root {
			continue // each rank does so once
		}
		_ = mpi.Bcast(world, buf, 0)
	}
	for i := 0; i < 3; i++ {
		if rank == 0 && i > 5 {
			break
		}
		if rank == 0 && done() {
			return nil
		}
		if buf[i]++; rank == 0 && buf[0] > 2 {
			return nil
		}
		_ = mpi.Scan(world, buf, buf, mpi.Sum)
	}
	return nil
}

func changedInTheLoop(world *mpi.Comm, last int) {
	for range 3 {
		if world.Rank() == last {
			continue
		}
		_ = mpi.Barrier(world)
		last = 1
	}
}

func otherCommunicators(world []*mpi.Comm) {
	c := world[0]
	for _, next := range world {
		if c.Rank() == 0 {
			break
		}
		_ = mpi.Barrier(c)
		c = next
	}
}

func madeUpFor(world *mpi.Comm, buf []int) error {
	for range 3 {
		if world.Rank() == 0 {
			continue
		}
		_ = mpi.Bcast(world, buf, 0)
	}
	for range 3 {
		if world.Rank() == 0 {
			_ = mpi.Bcast(world, buf, 0)
			continue
		}
		if world.Rank() == 1 {
			_ = others(world, buf)
			break
		}
		_ = mpi.Bcast(world, buf, 0)
	}
	if world.Rank() == 0 {
		return mpi.Bcast(world, buf, 0)
	}
	return others(world, buf)
}

func breaksFromSwitch(world *mpi.Comm, mode int) error {
	switch mode {
	case 1:
		if world.Rank() == 0 {
			break
		}
		fmt.Println("ready")
	}
	for range 3 {
		switch mode {
		case 1:
			if world.Rank() == 0 {
				break
			}
			fmt.Println("ready")
		}
		fmt.Println("done")
	}
	return mpi.Barrier(world)
}

func loopInLoop(world *mpi.Comm) {
outer:
	for range 3 {
		for range 3 {
			if world.Rank() == 0 {
				continue outer
			}
			if world.Rank() == 1 {
				break
			}
			_ = mpi.Barrier(world)
		}
	}
}

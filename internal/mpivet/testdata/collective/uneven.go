package collective

import (
	"errors"
	"fmt"

	"rhinet/mpi"
)

func upToRank(world *mpi.Comm) error {
	for i := 0; i < world.Rank(); i++ {
		if err := mpi.Barrier(world); err != nil { // want `Barrier is called in every turn of a loop whose number of turns depends on world.Rank\(\); all ranks of the communicator must call it equally often: move it out of the loop`
			return err
		}
	}
	return nil
}

func rangeOfRank(world *mpi.Comm, buf []int) error {
	rank := world.Rank()
	if err := mpi.Bcast(world, buf, 0); err != nil { // all ranks call it once more
		return err
	}
	for range rank + 1 {
		_ = mpi.Bcast(world, buf, 0) // want `Bcast is called in every turn of a loop whose number of turns depends on rank \+ 1`
	}
	return nil
}

func fromRank(world *mpi.Comm, n int) (err error) {
	size := world.Size()
	for range n {
		for i := world.Rank(); size > i; i++ {
			fmt.Println(i)
			err = errors.Join(err, meet(world, "each")) // want `Barrier is called in every turn of a loop whose number of turns depends on world.Rank\(\)`
		}
	}
	return err
}

func downFromRank(world *mpi.Comm, on bool) {
	if on {
		for i := world.Rank(); i != 0; i-- {
			r := mpi.Ibarrier(world) // want `Ibarrier is called in every turn of a loop whose number of turns depends on world.Rank\(\)`
			_, _ = r.Wait()
		}
	}
}

func onSomeRanks(world *mpi.Comm) {
	if world.Rank() > 0 {
		for range world.Rank() {
			_ = mpi.Barrier(world) // want `only ranks with world.Rank\(\) > 0 call Barrier here`
		}
	}
}

func inSomeCases(world *mpi.Comm) {
	switch world.Rank() {
	case 0:
		fmt.Println("none")
	default:
		for range world.Rank() {
			_ = mpi.Barrier(world) // want `not all cases of this switch on world.Rank\(\) call Barrier`
		}
	}
}

// What follows is right, or may be.

func leftAfterTheCall(world *mpi.Comm, buf []int) {
	for range world.Rank() {
		_ = mpi.Barrier(world)
		if buf[0] > 0 {
			break
		}
	}
}

func perhapsInAFunction(world *mpi.Comm, on bool) {
	for range world.Rank() {
		_ = meetPerhaps(world, on)
	}
}

func madeUpForInAFunction(world *mpi.Comm, on bool) {
	for range world.Rank() {
		_ = mpi.Barrier(world)
	}
	_ = meetPerhaps(world, on)
}

// inOrder lets one rank after the other print: each calls Barrier as often as there are ranks.
func inOrder(world *mpi.Comm) {
	for i := 0; i < world.Rank(); i++ {
		_ = mpi.Barrier(world)
	}
	fmt.Println(world.Rank())
	for i := world.Rank(); i < world.Size(); i++ {
		_ = mpi.Barrier(world)
	}
}

func inOrderInAFunction(world *mpi.Comm) error {
	for range world.Rank() {
		_ = mpi.Barrier(world)
	}
	return remaining(world)
}

func remaining(world *mpi.Comm) error { return errors.Join(mpi.Barrier(world), atLeast(world, 1)) }

func atLeast(world *mpi.Comm, n int) error {
	_, err := world.Split(n, 0)
	return err
}

func shared(world *mpi.Comm, buf []int, n int) {
	rank, size := world.Rank(), world.Size()
	for i := rank; i < 8; i += size { // 8 may be a multiple of the size
		_ = mpi.Barrier(world)
	}
	for i := rank; i < n; i++ { // n may be rank+3
		_ = mpi.Bcast(world, buf, 0)
	}
	for i := rank; i < rank+3; i++ {
		_ = mpi.Scan(world, buf, buf, mpi.Sum)
	}
	for i := rank; i < 0; i++ {
		_ = mpi.Exscan(world, buf, buf, mpi.Sum)
	}
	for i := rank; i < size; i++ {
		if i == size-1 {
			_ = mpi.Alltoall(world, buf, buf)
		}
	}
	for i := 0; i < rank; i++ {
		i = rank
		_ = mpi.Allgather(world, buf, buf)
	}
	for i := rank; i < size; i++ {
		if buf[0] > 0 {
			break
		}
		_ = mpi.Allreduce(world, buf, buf, mpi.Sum)
	}
	for i := rank; i < size; i-- {
		_ = mpi.Gather(world, buf, buf, 0)
	}
	for i := rank; len(buf) < size; i++ {
		_ = mpi.Scatter(world, buf, buf, 0)
	}
	for i := 0; i < size; i++ {
		_ = mpi.Reduce(world, buf, buf, mpi.Sum, i)
	}
}

func otherwiseMadeUpFor(world *mpi.Comm, buf []int, last bool) {
	for range world.Rank() {
		_ = mpi.Bcast(world, buf, 0)
	}
	if !last {
		_ = mpi.Bcast(world, buf, 0)
	}
	switch world.Rank() % 2 {
	case 0:
		for range world.Rank() {
			_ = mpi.Barrier(world)
		}
	case 1:
		for range world.Rank() + 1 {
			_ = mpi.Barrier(world)
		}
	}
}

func othersOnly(world, others *mpi.Comm) {
	for range world.Rank() {
		_ = mpi.Barrier(others)
	}
}

// Hello lets every rank say who it is, in order.
package main

import (
	"fmt"

	"rhinet/mpi"
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	rank, size := world.Rank(), world.Size()
	// A token goes from rank to rank: who has it may print.
	turn := []int{0}
	if rank > 0 {
		if _, err := mpi.Recv(world, turn, rank-1, 0); err != nil {
			return err
		}
	}
	fmt.Printf("hello from rank %d of %d\n", rank, size)
	turn[0]++
	if rank < size-1 {
		return mpi.Send(world, turn, rank+1, 0)
	}
	if turn[0] != size {
		return fmt.Errorf("%d ranks said hello, not %d", turn[0], size)
	}
	return nil
}

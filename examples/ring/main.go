// Ring passes what each rank has around a ring until every rank has seen it.
package main

import (
	"fmt"

	"rhinet/mpi"
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	rank, size := world.Rank(), world.Size()
	right, left := (rank+1)%size, (rank+size-1)%size
	have, sum := []int{rank * rank}, 0
	for range size {
		sum += have[0]
		got := []int{0}
		if _, err := mpi.Sendrecv(world, have, right, 0, got, left, 0); err != nil {
			return err
		}
		have = got
	}
	if want := (size - 1) * size * (2*size - 1) / 6; sum != want {
		return fmt.Errorf("the sum of squares is %d, want %d", sum, want)
	}
	if rank == 0 {
		fmt.Printf("sum of the squares below %d: %d\n", size, sum)
	}
	return nil
}

// Graph spreads numbers along the edges of a graph: in each round, every rank sends along its edges the
// largest number that it knows, and keeps the largest that it receives. In the end all ranks have the
// largest number of all.
package main

import (
	"fmt"
	"slices"

	"rhinet/mpi"
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	size, rank := world.Size(), world.Rank()
	// Rank r sends to r+1 and 2r. Each rank specifies the edges that it knows: those that start at it.
	next, twice := (rank+1)%size, 2*rank%size
	graph, err := world.DistGraphCreate(
		mpi.Edge{Source: rank, Dest: next, Weight: 1},
		mpi.Edge{Source: rank, Dest: twice, Weight: 1})
	if err != nil {
		return err
	}
	in, out, err := graph.DistGraphNeighbors()
	if err != nil {
		return err
	}
	if len(out) != 2 {
		return fmt.Errorf("%d edges lead away, not 2", len(out))
	}
	known, heard := []int{number(rank)}, make([]int, len(in))
	for range size { // the ring among the edges needs no more rounds
		if err := mpi.NeighborAllgather(graph, known, heard); err != nil {
			return err
		}
		known[0] = max(known[0], slices.Max(heard))
	}
	want := 0
	for r := range size {
		want = max(want, number(r))
	}
	if known[0] != want {
		return fmt.Errorf("rank %d knows %d, the largest number is %d", rank, known[0], want)
	}
	if rank == 0 {
		fmt.Printf("all %d ranks know the largest number, %d\n", size, want)
	}
	return nil
}

// number returns the number that a rank starts with.
func number(rank int) int { return (rank*7 + 3) % 11 * 100 }

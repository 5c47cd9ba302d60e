// Halo solves the heat equation on a rod that is cut into one piece per rank. Each step exchanges the end
// points of the pieces with nonblocking calls while the inner points are computed. Beyond the ends of the
// rod there is no neighbor (MPI_PROC_NULL).
package main

import (
	"fmt"
	"math"

	"rhinet/mpi"
)

const (
	points = 60 // of the rod, divisible by 1 to 5 ranks
	steps  = 400
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	size, rank := world.Size(), world.Rank()
	if points%size != 0 {
		return fmt.Errorf("%d points cannot be cut into %d equal pieces", points, size)
	}
	n := points / size
	left, right := rank-1, rank+1
	if left < 0 {
		left = mpi.ProcNull
	}
	if right == size {
		right = mpi.ProcNull
	}
	// The ends of the rod are held at 0 and 1; u[0] and u[n+1] are the halo.
	u, next := make([]float64, n+2), make([]float64, n+2)
	if right == mpi.ProcNull {
		u[n+1], next[n+1] = 1, 1
	}
	for range steps {
		fromLeft, fromRight := mpi.Irecv(world, u[:1], left, 0), mpi.Irecv(world, u[n+1:], right, 1)
		toRight, toLeft := mpi.Isend(world, u[n:n+1], right, 0), mpi.Isend(world, u[1:2], left, 1)
		relax(next, u, 2, n-1)
		if err := mpi.WaitAll(fromLeft, fromRight, toRight, toLeft); err != nil {
			return err
		}
		relax(next, u, 1, min(1, n))
		relax(next, u, max(2, n), n)
		u, next = next, u
	}
	return compare(world, u[1:n+1])
}

// relax computes the points first to last.
func relax(next, u []float64, first, last int) {
	for i := first; i <= last; i++ {
		next[i] = u[i] + 0.4*(u[i-1]-2*u[i]+u[i+1])
	}
}

// compare gathers the rod and compares it with the result of a single rank.
func compare(world *mpi.Comm, piece []float64) error {
	rod := make([]float64, points)
	if err := mpi.Gather(world, piece, rod, 0); err != nil || world.Rank() != 0 {
		return err
	}
	u, next := make([]float64, points+2), make([]float64, points+2)
	u[points+1], next[points+1] = 1, 1
	for range steps {
		relax(next, u, 1, points)
		u, next = next, u
	}
	for i, v := range rod {
		if math.Abs(v-u[i+1]) > 1e-15 {
			return fmt.Errorf("point %d is %v, want %v", i, v, u[i+1])
		}
	}
	fmt.Printf("after %d steps the middle of the rod is at %.4f\n", steps, rod[points/2])
	return nil
}

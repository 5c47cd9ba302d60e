// Kmeans finds the centers of clouds of points (k-means, Lloyd 1982). Every rank has some of the points; in
// each round it sums up the points nearest to each center, and the sums of all ranks give the next centers.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rhinet/mpi"
)

const (
	points = 3000 // in all
	rounds = 50   // at most
)

// A point is a point in the plane.
type point struct{ X, Y float64 }

// The clouds that the points are drawn from.
var clouds = []point{{0, 0}, {10, 0}, {0, 10}, {12, 12}}

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	mine := draw(world.Rank(), world.Size())
	centers := []point{{1, 2}, {7, 1}, {2, 6}, {8, 8}} // a guess, the same on all ranks
	for range rounds {
		next, err := step(world, mine, centers)
		if err != nil {
			return err
		}
		moved := distance(next, centers)
		centers = next
		if moved == 0 { // the same on all ranks, because the sums are
			break
		}
	}
	if d := distance(centers, clouds); d > 0.2 {
		return fmt.Errorf("the centers are %v, which is %.2f from the clouds", centers, d)
	}
	if world.Rank() == 0 {
		fmt.Printf("the centers of %d points are %.1f\n", points, centers)
	}
	return nil
}

// draw returns every size-th point, starting with point rank.
func draw(rank, size int) (mine []point) {
	for i := rank; i < points; i += size {
		rnd := rand.New(rand.NewPCG(3, uint64(i)))
		c := clouds[i%len(clouds)]
		mine = append(mine, point{c.X + rnd.NormFloat64(), c.Y + rnd.NormFloat64()})
	}
	return mine
}

// A cluster is a sum of points and their number.
type cluster struct{ X, Y, N float64 }

// step returns, for each center, the mean of the points of all ranks that are nearest to it.
func step(world *mpi.Comm, mine, centers []point) ([]point, error) {
	sums := make([]cluster, len(centers))
	for _, p := range mine {
		s := &sums[nearest(p, centers)]
		s.X, s.Y, s.N = s.X+p.X, s.Y+p.Y, s.N+1
	}
	add := mpi.OpFunc(func(in, inout []cluster) {
		for i, s := range in {
			inout[i].X, inout[i].Y, inout[i].N = inout[i].X+s.X, inout[i].Y+s.Y, inout[i].N+s.N
		}
	}, mpi.Commutative)
	if err := mpi.Allreduce(world, sums, sums, add); err != nil {
		return nil, err
	}
	next := make([]point, len(centers))
	for i, s := range sums {
		if next[i] = centers[i]; s.N > 0 {
			next[i] = point{s.X / s.N, s.Y / s.N}
		}
	}
	return next, nil
}

func nearest(p point, centers []point) (best int) {
	for i, c := range centers {
		if math.Hypot(p.X-c.X, p.Y-c.Y) < math.Hypot(p.X-centers[best].X, p.Y-centers[best].Y) {
			best = i
		}
	}
	return best
}

// distance returns the largest distance between points of the same index.
func distance(a, b []point) (d float64) {
	for i := range a {
		d = max(d, math.Hypot(a[i].X-b[i].X, a[i].Y-b[i].Y))
	}
	return d
}

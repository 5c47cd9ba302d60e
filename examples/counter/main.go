// Counter hands out work by a counter in a window: each rank takes the next piece with FetchAndOp when it
// has finished one, so there is no master, and a slow rank takes fewer pieces.
package main

import (
	"errors"
	"fmt"

	"rhinet/mpi"
)

const (
	intervals = 1_000_000 // of the integral of 4/(1+x*x) from 0 to 1
	piece     = 10_000
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) (err error) {
	next, err := mpi.WinAllocate[int](world, one(world.Rank() == 0))
	if err != nil {
		return err
	}
	if err := next.LockAll(); err != nil {
		return err
	}
	mine, pieces := 0.0, 0
	for {
		first, err := next.FetchAndOp(piece, 0, 0, mpi.Sum)
		if err != nil {
			return err
		}
		if first >= intervals {
			break
		}
		mine += integral(first)
		pieces++
	}
	if err := next.UnlockAll(); err != nil {
		return err
	}
	pi, done := []float64{mine}, []int{pieces}
	if err := errors.Join(mpi.Allreduce(world, pi, pi, mpi.Sum), mpi.Allreduce(world, done, done, mpi.Sum)); err != nil {
		return err
	}
	if done[0] != intervals/piece {
		return fmt.Errorf("%d pieces were taken, of %d", done[0], intervals/piece)
	}
	if pi[0] < 3.141592 || pi[0] > 3.141593 {
		return fmt.Errorf("pi is %v", pi[0])
	}
	if world.Rank() == 0 {
		fmt.Printf("pi is %.6f, from %d pieces\n", pi[0], done[0])
	}
	return next.Free()
}

// one returns the length of a rank's part of the window: only one rank has the counter.
func one(has bool) int {
	if has {
		return 1
	}
	return 0
}

// integral returns the integral over the piece that begins at interval first.
func integral(first int) (sum float64) {
	for i := first; i < first+piece; i++ {
		x := (float64(i) + 0.5) / intervals
		sum += 4 / (1 + x*x) / intervals
	}
	return sum
}

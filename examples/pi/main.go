// Pi integrates 4/(1+x*x) from 0 to 1; each rank integrates a part of the interval.
package main

import (
	"fmt"
	"math"

	"rhinet/mpi"
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	steps := []int{0}
	if world.Rank() == 0 {
		steps[0] = 100_000 // as if read from a file
	}
	if err := mpi.Bcast(world, steps, 0); err != nil {
		return err
	}
	width, sum := 1/float64(steps[0]), 0.0
	for i := world.Rank(); i < steps[0]; i += world.Size() {
		x := (float64(i) + 0.5) * width
		sum += 4 / (1 + x*x)
	}
	pi := []float64{0}
	if err := mpi.Reduce(world, []float64{sum * width}, pi, mpi.Sum, 0); err != nil {
		return err
	}
	if world.Rank() != 0 {
		return nil
	}
	if math.Abs(pi[0]-math.Pi) > 1e-9 {
		return fmt.Errorf("pi is %v", pi[0])
	}
	fmt.Printf("pi is about %.9f\n", pi[0])
	return nil
}

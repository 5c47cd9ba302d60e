// Montecarlo finds pi by throwing darts at a square. A nonblocking reduction adds up the hits of a batch
// over all ranks while the next batch is thrown; all ranks stop together when the result is good enough.
package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"rhinet/mpi"
)

const (
	batch   = 20_000 // darts of one rank
	batches = 200    // at most
	wanted  = 0.005  // error to stop at: three times the standard deviation
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	rnd := rand.New(rand.NewPCG(1, uint64(world.Rank())))
	mine, sums := []int{0, 0}, []int{0, 0} // hits and darts
	throw(rnd, mine)
	total := [2]int{}
	rounds := 0
	for {
		reduction := mpi.Iallreduce(world, mine, sums, mpi.Sum)
		next := []int{0, 0} // mine belongs to the reduction until it completes
		throw(rnd, next)
		if _, err := reduction.Wait(); err != nil {
			return err
		}
		total[0] += sums[0]
		total[1] += sums[1]
		mine = next
		if rounds++; rounds == batches || deviation(total) < wanted/3 {
			break
		}
	}
	pi := 4 * float64(total[0]) / float64(total[1])
	if total[1] != rounds*batch*world.Size() {
		return fmt.Errorf("%d darts in %d rounds", total[1], rounds)
	}
	if math.Abs(pi-math.Pi) > 2*wanted {
		return fmt.Errorf("pi is %v", pi)
	}
	if world.Rank() == 0 {
		fmt.Printf("pi is about %.2f, after %d darts\n", pi, total[1])
	}
	return nil
}

// throw throws a batch of darts and adds to count.
func throw(rnd *rand.Rand, count []int) {
	for range batch {
		x, y := rnd.Float64(), rnd.Float64()
		if x*x+y*y < 1 {
			count[0]++
		}
		count[1]++
	}
}

// deviation returns the standard deviation of the estimate of pi.
func deviation(total [2]int) float64 {
	p := float64(total[0]) / float64(total[1])
	return 4 * math.Sqrt(p*(1-p)/float64(total[1]))
}

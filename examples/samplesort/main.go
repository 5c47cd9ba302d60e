// Samplesort sorts numbers that are spread over all ranks. Each rank sorts its own and offers a sample; the
// samples of all give the limits between the results of the ranks; then each rank sends every other rank
// what belongs there.
package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"rhinet/mpi"
)

const numbers = 5000 // of each rank

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	mine := make([]int, numbers)
	rnd := rand.New(rand.NewPCG(7, uint64(world.Rank())))
	for i := range mine {
		mine[i] = rnd.IntN(1_000_000)
	}
	sorted, err := sort(world, mine)
	if err != nil {
		return err
	}
	return check(world, mine, sorted)
}

// sort returns this rank's part of the numbers of all ranks in sorted order.
func sort(world *mpi.Comm, mine []int) ([]int, error) {
	mine = slices.Sorted(slices.Values(mine))
	limits, err := limits(world, mine)
	if err != nil {
		return nil, err
	}
	size := world.Size()
	give, take := make([]int, size), make([]int, size) // counts of numbers
	first := 0
	for r := range size {
		end := len(mine)
		if r < len(limits) {
			end, _ = slices.BinarySearch(mine, limits[r])
		}
		give[r], first = end-first, end
	}
	if err := mpi.Alltoall(world, give, take); err != nil {
		return nil, err
	}
	n := 0
	for _, k := range take {
		n += k
	}
	sorted := make([]int, n)
	if err := mpi.Alltoallv(world, mine, give, nil, sorted, take, nil); err != nil {
		return nil, err
	}
	slices.Sort(sorted)
	return sorted, nil
}

// limits returns the smallest numbers of ranks 1, 2, and so on.
func limits(world *mpi.Comm, mine []int) ([]int, error) {
	size := world.Size()
	sample, all := make([]int, size), make([]int, size*size)
	for i := range sample {
		sample[i] = mine[i*len(mine)/size]
	}
	if err := mpi.Allgather(world, sample, all); err != nil {
		return nil, err
	}
	slices.Sort(all)
	var limits []int
	for r := 1; r < size; r++ {
		limits = append(limits, all[r*size])
	}
	return limits, nil
}

// check verifies this rank's part of the result: it is in order, above that of the rank before, and all
// ranks together have the same count and sum of numbers as before.
func check(world *mpi.Comm, mine, sorted []int) error {
	if !slices.IsSorted(sorted) {
		return fmt.Errorf("rank %d: the numbers are not in order", world.Rank())
	}
	before, largest := []int{-1}, []int{-1}
	if len(sorted) > 0 {
		largest[0] = sorted[len(sorted)-1]
	}
	if err := mpi.Exscan(world, largest, before, mpi.Max); err != nil {
		return err
	}
	if world.Rank() > 0 && len(sorted) > 0 && sorted[0] < before[0] {
		return fmt.Errorf("rank %d begins with %d, and %d is before it", world.Rank(), sorted[0], before[0])
	}
	sums := []int{len(mine), sum(mine), -len(sorted), -sum(sorted)}
	if err := mpi.Allreduce(world, sums, sums, mpi.Sum); err != nil {
		return err
	}
	if sums[0]+sums[2] != 0 || sums[1]+sums[3] != 0 {
		return fmt.Errorf("the numbers are not those that there were: %v", sums)
	}
	if world.Rank() == 0 {
		fmt.Printf("%d numbers are sorted\n", sums[0])
	}
	return nil
}

func sum(numbers []int) (s int) {
	for _, n := range numbers {
		s += n
	}
	return s
}

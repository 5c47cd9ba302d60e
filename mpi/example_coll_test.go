package mpi_test

import (
	"fmt"
	"slices"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Rank 0 has the input that all ranks need.
func ExampleBcast() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		input := make([]int, 2)
		if world.Rank() == 0 {
			input = []int{3, 4}
		}
		if err := mpi.Bcast(world, input, 0); err != nil {
			return err
		}
		if world.Rank() == 2 {
			fmt.Println(input)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [3 4]
}

// The sum of the contributions of all ranks, on all ranks.
func ExampleAllreduce() {
	err := mpitest.World(4, func(world *mpi.Comm) error {
		sum := []int{0}
		if err := mpi.Allreduce(world, []int{world.Rank()}, sum, mpi.Sum); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(sum[0])
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 6
}

// Which rank has the smallest value? In place: out is in.
func ExampleReduce() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		best := []mpi.ValLoc[float64]{{Val: float64((world.Rank() + 1) % 3), Loc: world.Rank()}}
		if err := mpi.Reduce(world, best, best, mpi.MinLoc, 0); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println("rank", best[0].Loc, "has", best[0].Val)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// rank 2 has 0
}

// An operation of the program: the smallest interval that covers all.
func ExampleOpFunc() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		type interval struct{ Low, High int }
		cover := mpi.OpFunc(func(in, inout []interval) {
			for i, v := range in {
				inout[i] = interval{min(v.Low, inout[i].Low), max(v.High, inout[i].High)}
			}
		}, mpi.Commutative)
		all := make([]interval, 1)
		mine := []interval{{10 - world.Rank(), 10 + 2*world.Rank()}}
		if err := mpi.Allreduce(world, mine, all, cover); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(all[0])
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// {8 14}
}

// An operation on items: each is a matrix of a size that only the program knows, and the
// operation, a product, needs all of it.
func ExampleOpFunc_items() {
	const n = 2
	product := mpi.OpFunc(func(in, inout []float64) { // whole matrices, packed
		for ; len(in) > 0; in, inout = in[n*n:], inout[n*n:] {
			left, right := in[:n*n], slices.Clone(inout[:n*n])
			for i := range n * n {
				inout[i] = 0
				for k := range n {
					inout[i] += left[i/n*n+k] * right[k*n+i%n]
				}
			}
		}
	})
	err := mpitest.World(3, func(world *mpi.Comm) error {
		table := make([]float64, n*5) // the matrix is its first two columns
		table[0], table[1], table[5], table[6] = 1, float64(world.Rank()), 0, 2
		block := mpi.View(table, mpi.Vector(n, n, 5))
		if err := mpi.Allreduce(world, block, block, product); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(table[:5], table[5:])
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [1 4 0 0 0] [0 8 0 0 0]
}

// Rank 0 receives a part from every rank.
func ExampleGather() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		var all []int
		if world.Rank() == 0 {
			all = make([]int, 2*world.Size())
		}
		if err := mpi.Gather(world, []int{world.Rank(), -world.Rank()}, all, 0); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(all)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [0 0 1 -1 2 -2]
}

// Rank 0 has a part for each rank, of different lengths.
func ExampleScatterv() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		var all, counts []int
		if world.Rank() == 0 {
			all, counts = []int{1, 2, 2, 3, 3, 3}, []int{1, 2, 3}
		}
		mine := make([]int, world.Rank()+1)
		if err := mpi.Scatterv(world, all, counts, nil, mine, 0); err != nil {
			return err
		}
		if world.Rank() == 2 {
			fmt.Println(mine)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [3 3 3]
}

// Every rank has an element for each rank.
func ExampleAlltoall() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		send, recv := make([]int, 3), make([]int, 3)
		for i := range send {
			send[i] = 10*world.Rank() + i
		}
		if err := mpi.Alltoall(world, send, recv); err != nil {
			return err
		}
		if world.Rank() == 1 {
			fmt.Println(recv)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [1 11 21]
}

// Where a rank's part begins, if the parts of all ranks follow each other.
func ExampleExscan() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		length, begin := []int{100 * (world.Rank() + 1)}, []int{0}
		if err := mpi.Exscan(world, length, begin, mpi.Sum); err != nil {
			return err
		}
		if world.Rank() == 2 {
			fmt.Println(begin[0])
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 300
}

// A reduction that makes progress while the program computes.
func ExampleIallreduce() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		in, sum := []int{world.Rank() + 1}, []int{0}
		r := mpi.Iallreduce(world, in, sum, mpi.Sum)
		// ... compute, without using in and sum ...
		if _, err := r.Wait(); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(sum[0])
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3
}

// A persistent reduction is made once and started several times.
func ExampleAllreduceInit() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		in, sum := []int{0}, []int{0}
		r, err := mpi.AllreduceInit(world, in, sum, mpi.Sum)
		if err != nil {
			return err
		}
		for i := range 2 {
			in[0] = world.Rank() + 10*i
			if err := r.Start(); err != nil {
				return err
			}
			if _, err := r.Wait(); err != nil {
				return err
			}
			if world.Rank() == 0 {
				fmt.Println(sum[0])
			}
		}
		return r.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1
	// 21
}

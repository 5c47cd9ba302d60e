// Grid splits the world into rows and columns of a grid of ranks, finds the
// largest value of each row and the sum of each column, and prints the grid.
package main

import (
	"fmt"
	"io"
	"os"

	"rhinet/mpi"
)

const width = 2

func main() {
	mpi.Main(func(world *mpi.Comm) error { return run(world, os.Stdout) })
}

func run(world *mpi.Comm, out io.Writer) error {
	me := world.Rank()
	row, err := world.Split(me/width, me)
	if err != nil {
		return err
	}
	col, err := world.Split(me%width, me)
	if err != nil {
		return err
	}
	most, sum := []int{0}, []int{0}
	if err := mpi.Allreduce(row, []int{me}, most, mpi.Max); err != nil {
		return err
	}
	if err := mpi.Allreduce(col, []int{me}, sum, mpi.Sum); err != nil {
		return err
	}
	wantMost := min(me/width*width+width, world.Size()) - 1
	wantSum := 0
	for r := me % width; r < world.Size(); r += width {
		wantSum += r
	}
	if most[0] != wantMost || sum[0] != wantSum {
		return fmt.Errorf("row has %d, column %d; want %d and %d", most[0], sum[0], wantMost, wantSum)
	}
	if err := show(world, out, most[0], sum[0]); err != nil {
		return err
	}
	if err := row.Free(); err != nil {
		return err
	}
	return col.Free()
}

// show has rank 0 print what the ranks know of their rows and columns.
func show(world *mpi.Comm, out io.Writer, most, sum int) error {
	size := world.Size()
	all := make([]struct{ Most, Sum int }, size)
	mine := all[:1:1]
	mine[0].Most, mine[0].Sum = most, sum
	if world.Rank() > 0 {
		return mpi.Gather(world, mine, nil, 0)
	}
	if err := mpi.Gather(world, all, all, 0); err != nil { // in place
		return err
	}
	for first := 0; first < size; first += width {
		fmt.Fprintf(out, "row %d: ranks %d to %d, the largest is %d\n", first/width, first, min(first+width, size)-1, all[first].Most)
	}
	for c := range min(width, size) {
		fmt.Fprintf(out, "column %d: the sum is %d\n", c, all[c].Sum)
	}
	return nil
}

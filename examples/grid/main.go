// Grid splits the world into rows and columns of a grid of ranks, and finds
// the largest value of each row and the sum of each column.
package main

import (
	"fmt"

	"rhinet/mpi"
)

const width = 2

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
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
	if err := row.Free(); err != nil {
		return err
	}
	return col.Free()
}

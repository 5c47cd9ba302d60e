// Stencil smooths a grid that is divided into blocks. Each rank keeps its block with a border of one cell.
// The borders come from the neighbors in a Cartesian topology, as layouts: rows and columns of the same
// memory. Nothing is packed.
package main

import (
	"fmt"

	"rhinet/mpi"
)

const (
	size  = 24 // cells of the grid in each direction
	steps = 10
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	dims := []int{0, 0}
	if err := mpi.DimsCreate(world.Size(), dims); err != nil {
		return err
	}
	grid, err := world.CartCreate(dims, []bool{true, true})
	if err != nil {
		return err
	}
	_, _, at, err := grid.CartGet()
	if err != nil {
		return err
	}
	rows, row0 := share(size, dims[0], at[0])
	cols, col0 := share(size, dims[1], at[1])
	block := newField(rows, cols, row0, col0)
	for range steps {
		if err := block.exchange(grid); err != nil {
			return err
		}
		block.smooth()
	}
	return check(world, block)
}

// share returns how many of n cells part i of parts has, and the first of them.
func share(n, parts, i int) (count, first int) {
	return n*(i+1)/parts - n*i/parts, n * i / parts
}

// A field is a block of the grid with a border.
type field struct {
	rows, cols, row0, col0 int
	cells                  []float64
	in, out                []mpi.Part
}

func newField(rows, cols, row0, col0 int) *field {
	f := &field{rows: rows, cols: cols, row0: row0, col0: col0, cells: make([]float64, (rows+2)*(cols+2))}
	for i := range rows {
		for j := range cols {
			f.cells[f.at(i, j)] = float64((row0+i)*(col0+j)%7 + (row0 + i) - (col0 + j))
		}
	}
	row := func(i int) mpi.Part { return mpi.PartOf(mpi.View(f.cells, f.part(1, cols, i, 0))) }
	col := func(j int) mpi.Part { return mpi.PartOf(mpi.View(f.cells, f.part(rows, 1, 0, j))) }
	// In the order of the neighbors: up, down, left, right.
	f.out = []mpi.Part{row(0), row(rows - 1), col(0), col(cols - 1)}
	f.in = []mpi.Part{row(-1), row(rows), col(-1), col(cols)}
	return f
}

// at returns the index of the cell in row i and column j; rows -1 and f.rows are the border.
func (f *field) at(i, j int) int { return (i+1)*(f.cols+2) + j + 1 }

// part returns the layout of n by m cells from row i and column j on.
func (f *field) part(n, m, i, j int) mpi.Layout {
	return mpi.Subarray([]int{f.rows + 2, f.cols + 2}, []int{n, m}, []int{i + 1, j + 1})
}

// exchange fills the border with the cells of the neighbors.
func (f *field) exchange(grid *mpi.Comm) error { return mpi.NeighborAlltoallw(grid, f.out, f.in) }

// smooth replaces each cell by the mean of its four neighbors.
func (f *field) smooth() {
	next := make([]float64, len(f.cells))
	for i := range f.rows {
		for j := range f.cols {
			next[f.at(i, j)] = (f.cells[f.at(i-1, j)] + f.cells[f.at(i+1, j)] + f.cells[f.at(i, j-1)] + f.cells[f.at(i, j+1)]) / 4
		}
	}
	copy(f.cells, next)
}

// check compares all blocks with what one rank computes alone.
func check(world *mpi.Comm, block *field) error {
	whole := newField(size, size, 0, 0)
	for range steps {
		for i := range size {
			whole.cells[whole.at(i, -1)], whole.cells[whole.at(i, size)] = whole.cells[whole.at(i, size-1)], whole.cells[whole.at(i, 0)]
			whole.cells[whole.at(-1, i)], whole.cells[whole.at(size, i)] = whole.cells[whole.at(size-1, i)], whole.cells[whole.at(0, i)]
		}
		whole.smooth()
	}
	wrong := []int{0}
	for i := range block.rows {
		for j := range block.cols {
			if block.cells[block.at(i, j)] != whole.cells[whole.at(block.row0+i, block.col0+j)] {
				wrong[0]++
			}
		}
	}
	if err := mpi.Allreduce(world, wrong, wrong, mpi.Sum); err != nil {
		return err
	}
	if wrong[0] > 0 {
		return fmt.Errorf("%d cells are wrong", wrong[0])
	}
	if world.Rank() == 0 {
		fmt.Printf("%d steps on %d by %d cells agree\n", steps, size, size)
	}
	return nil
}

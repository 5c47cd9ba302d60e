// Carthalo plays the game of life on a torus that is cut into a grid of blocks, one for each rank. In every
// generation each block needs a frame of its eight neighbors' cells: first columns go left and right, then
// rows, with the corners that have just arrived, go up and down.
package main

import (
	"fmt"

	"rhinet/mpi"
)

const (
	side        = 60 // cells of the torus in each direction
	generations = 40
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
	b := newBlock(dims, at)
	alive := []int{b.alive()}
	whole := newBlock([]int{1, 1}, []int{0, 0}) // the reference: the whole torus on one rank
	for range generations {
		if err := b.exchange(grid); err != nil {
			return err
		}
		b.step()
		whole.wrap()
		whole.step()
		alive[0] = b.alive()
		sum := []int{0}
		if err := mpi.Allreduce(grid, alive, sum, mpi.Sum); err != nil {
			return err
		}
		if sum[0] != whole.alive() {
			return fmt.Errorf("%d cells live, not %d", sum[0], whole.alive())
		}
	}
	if err := b.equal(whole); err != nil {
		return err
	}
	if world.Rank() == 0 {
		fmt.Printf("after %d generations on %d x %d ranks %d cells live\n", generations, dims[0], dims[1], whole.alive())
	}
	return nil
}

// A block is a part of the torus with a frame of one cell.
type block struct {
	top, left  int // position of its first cell in the torus
	rows, cols int
	cells      []uint8 // with the frame, row by row
}

// newBlock returns the block at a position of the grid, in the first generation.
func newBlock(dims, at []int) *block {
	top, left := side*at[0]/dims[0], side*at[1]/dims[1]
	b := &block{top: top, left: left, rows: side*(at[0]+1)/dims[0] - top, cols: side*(at[1]+1)/dims[1] - left}
	b.cells = make([]uint8, (b.rows+2)*(b.cols+2))
	for i := range b.rows {
		for j := range b.cols {
			if (7*(b.top+i)*(b.left+j)+3*(b.top+i)+5*(b.left+j))%11 < 4 {
				b.row(i)[j+1] = 1
			}
		}
	}
	return b
}

// row returns row i with its frame; rows -1 and b.rows are the frame itself.
func (b *block) row(i int) []uint8 { return b.cells[(i+1)*(b.cols+2):][:b.cols+2] }

// column returns a copy of column j without the frame.
func (b *block) column(j int) []uint8 {
	c := make([]uint8, b.rows)
	for i := range c {
		c[i] = b.row(i)[j+1]
	}
	return c
}

func (b *block) setColumn(j int, c []uint8) {
	for i, v := range c {
		b.row(i)[j+1] = v
	}
}

// exchange fills the frame with the cells of the neighbors.
func (b *block) exchange(grid *mpi.Comm) error {
	left, right, err := grid.CartShift(1, 1)
	if err != nil {
		return err
	}
	up, down, err := grid.CartShift(0, 1)
	if err != nil {
		return err
	}
	fromLeft, fromRight := make([]uint8, b.rows), make([]uint8, b.rows)
	toRight := mpi.Isendrecv(grid, b.column(b.cols-1), right, 0, fromLeft, left, 0)
	toLeft := mpi.Isendrecv(grid, b.column(0), left, 1, fromRight, right, 1)
	if err := mpi.WaitAll(toRight, toLeft); err != nil {
		return err
	}
	b.setColumn(-1, fromLeft)
	b.setColumn(b.cols, fromRight)
	toDown := mpi.Isendrecv(grid, b.row(b.rows-1), down, 2, b.row(-1), up, 2)
	toUp := mpi.Isendrecv(grid, b.row(0), up, 3, b.row(b.rows), down, 3)
	return mpi.WaitAll(toDown, toUp)
}

// wrap fills the frame of a block that is the whole torus.
func (b *block) wrap() {
	b.setColumn(-1, b.column(b.cols-1))
	b.setColumn(b.cols, b.column(0))
	copy(b.row(-1), b.row(b.rows-1))
	copy(b.row(b.rows), b.row(0))
}

// step advances to the next generation. The frame must be filled.
func (b *block) step() {
	next := make([]uint8, len(b.cells))
	for i := range b.rows {
		above, own, below := b.row(i-1), b.row(i), b.row(i+1)
		for j := 1; j <= b.cols; j++ {
			n := above[j-1] + above[j] + above[j+1] + own[j-1] + own[j+1] + below[j-1] + below[j] + below[j+1]
			if n == 3 || n == 2 && own[j] == 1 {
				next[(i+1)*(b.cols+2)+j] = 1
			}
		}
	}
	b.cells = next
}

func (b *block) alive() (n int) {
	for i := range b.rows {
		for _, v := range b.row(i)[1 : b.cols+1] {
			n += int(v)
		}
	}
	return n
}

// equal checks that the block equals its part of whole.
func (b *block) equal(whole *block) error {
	for i := range b.rows {
		for j, v := range b.row(i)[1 : b.cols+1] {
			if v != whole.row(b.top + i)[b.left+j+1] {
				return fmt.Errorf("the cell at %d, %d differs from the reference", b.top+i, b.left+j)
			}
		}
	}
	return nil
}

// Summa multiplies two matrices on a grid of ranks, each of which has a block of every matrix (SUMMA, van
// de Geijn and Watts 1997). In each step the ranks of one column send their part of a few columns of A
// along their rows, and the ranks of one row send their part of a few rows of B along their columns.
package main

import (
	"fmt"

	"rhinet/mpi"
)

const (
	side  = 60 // rows and columns of the matrices
	panel = 4  // columns of A, and rows of B, in one step; a divisor of side
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	g, err := newGrid(world)
	if err != nil {
		return err
	}
	a, b := g.fill(elementA), g.fill(elementB)
	c := make([]float64, g.rows*g.cols)
	for k := 0; k < side; k += panel {
		if err := g.step(a, b, c, k); err != nil {
			return err
		}
	}
	if err := g.check(c); err != nil {
		return err
	}
	if world.Rank() == 0 {
		fmt.Printf("the product of two matrices of %d x %d is right\n", side, side)
	}
	return nil
}

// A grid describes the position of a rank and of its blocks.
type grid struct {
	row, column *mpi.Comm // the ranks in the same row, and in the same column
	dims, at    []int
	top, left   int // position of the blocks in the matrices
	rows, cols  int
}

func newGrid(world *mpi.Comm) (*grid, error) {
	dims := []int{0, 0}
	if err := mpi.DimsCreate(world.Size(), dims); err != nil {
		return nil, err
	}
	cart, err := world.CartCreate(dims, []bool{false, false})
	if err != nil {
		return nil, err
	}
	_, _, at, err := cart.CartGet()
	if err != nil {
		return nil, err
	}
	row, err := cart.CartSub(false, true)
	if err != nil {
		return nil, err
	}
	column, err := cart.CartSub(true, false)
	if err != nil {
		return nil, err
	}
	g := &grid{row: row, column: column, dims: dims, at: at}
	g.top, g.rows = part(at[0], dims[0])
	g.left, g.cols = part(at[1], dims[1])
	return g, nil
}

// part returns where part i of n begins and how long it is; parts consist of whole panels.
func part(i, n int) (first, length int) {
	first = side / panel * i / n * panel
	return first, side/panel*(i+1)/n*panel - first
}

// owner returns which of n parts has element k, and its index there.
func owner(k, n int) (i, index int) {
	for {
		first, length := part(i, n)
		if k < first+length {
			return i, k - first
		}
		i++
	}
}

func (g *grid) fill(f func(i, j int) float64) []float64 {
	m := make([]float64, 0, g.rows*g.cols)
	for i := range g.rows {
		for j := range g.cols {
			m = append(m, f(g.top+i, g.left+j))
		}
	}
	return m
}

// step adds to c the product of columns k to k+panel-1 of A and the same rows of B.
func (g *grid) step(a, b, c []float64, k int) error {
	left, right := make([]float64, g.rows*panel), make([]float64, panel*g.cols)
	has, j := owner(k, g.dims[1])
	if has == g.at[1] {
		for i := range g.rows {
			copy(left[i*panel:][:panel], a[i*g.cols+j:])
		}
	}
	if err := mpi.Bcast(g.row, left, has); err != nil {
		return err
	}
	has, i := owner(k, g.dims[0])
	if has == g.at[0] {
		copy(right, b[i*g.cols:])
	}
	if err := mpi.Bcast(g.column, right, has); err != nil {
		return err
	}
	for i := range g.rows {
		for l, x := range left[i*panel:][:panel] {
			for j, y := range right[l*g.cols:][:g.cols] {
				c[i*g.cols+j] += x * y
			}
		}
	}
	return nil
}

// The elements are small integers, so that sums are exact in any order.
func elementA(i, j int) float64 { return float64((3*i+j)%7 - 3) }
func elementB(i, j int) float64 { return float64((i+5*j)%9 - 4) }

func (g *grid) check(c []float64) error {
	for i := range g.rows {
		for j := range g.cols {
			want := 0.0
			for k := range side {
				want += elementA(g.top+i, k) * elementB(k, g.left+j)
			}
			if c[i*g.cols+j] != want {
				return fmt.Errorf("element %d, %d is %v, not %v", g.top+i, g.left+j, c[i*g.cols+j], want)
			}
		}
	}
	return nil
}

package cg

import "rhinet/npb/nas"

// A grid is the arrangement of the ranks: rows x cols, with cols = rows (square)
// or cols = 2*rows.
type grid struct {
	rows, cols int
	row, col   int // of this rank
	stages     int // log2 cols: the partners along the row
	square     bool
}

func newGrid(size, rank int) grid {
	l := nas.Log2(size)
	g := grid{rows: 1 << (l / 2)}
	g.cols = size / g.rows
	g.row, g.col = rank/g.cols, rank%g.cols
	g.stages = nas.Log2(g.cols)
	g.square = g.rows == g.cols
	return g
}

// rowRange is the range of matrix rows of this rank.
func (g *grid) rowRange(na int) (first, n int) { return nas.Split(na, g.rows, g.row) }

// columnRange is the range of matrix columns of this rank, and of its vectors.
func (g *grid) columnRange(na int) (first, n int) {
	if g.square {
		return nas.Split(na, g.cols, g.col)
	}
	first, n = nas.Split(na, g.cols/2, g.col/2)
	start, n := half(n, g.col)
	return first + start, n
}

// half splits n items in two and returns the part of an even or an odd owner.
func half(n, owner int) (start, length int) {
	upper := (n + 1) / 2
	if owner%2 == 0 {
		return 0, upper
	}
	return upper, n - upper
}

// kept returns the part of a product by rows that this rank sums up and passes on.
func (g *grid) kept(rows int) (start, n int) {
	if g.square {
		return 0, rows
	}
	return half(rows, g.col)
}

// partner returns the rank of the partner in stage i = 1..stages of a sum along the row: the distance
// halves with each stage.
func (g *grid) partner(i int) int { return g.row*g.cols + g.col ^ g.cols>>i }

// transposed returns the rank that needs this rank's part of a product, and has the part that this one
// needs.
func (g *grid) transposed() int {
	if g.square {
		return g.col*g.cols + g.row
	}
	return 2*(g.col/2*g.rows+g.row) + g.col%2
}

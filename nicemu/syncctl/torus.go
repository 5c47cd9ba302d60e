package syncctl

import "fmt"

// A Torus is the network of the controllers: nodes in rows and columns, each
// row and each column a ring (sync-controller, section 1.1). Node r,c has number r*Columns+c.
type Torus struct{ Rows, Columns int }

// A Direction is the direction of a neighbour, and of the link to it.
type Direction int

// The directions; stay means none.
const (
	Right Direction = iota
	Left
	Down
	Up
	directions
	stay
)

// check returns an error if the torus is invalid.
func (t Torus) check() error {
	if t.Rows < 1 || t.Columns < 1 || t.Rows > MostNodes/t.Columns {
		return fmt.Errorf("syncctl: a torus of %d rows and %d columns; it has 1 to %d nodes", t.Rows, t.Columns, MostNodes)
	}
	return nil
}

// Nodes returns the number of nodes.
func (t Torus) Nodes() int { return t.Rows * t.Columns }

// Place returns the row and the column of a node.
func (t Torus) Place(node int) (row, column int) { return node / t.Columns, node % t.Columns }

// Node returns the node in a row and column, which wrap round.
func (t Torus) Node(row, column int) int {
	return (row+t.Rows)%t.Rows*t.Columns + (column+t.Columns)%t.Columns
}

// Neighbour returns the node one hop from node in a direction.
func (t Torus) Neighbour(node int, d Direction) int {
	r, c := t.Place(node)
	switch d {
	case Right:
		c++
	case Left:
		c--
	case Down:
		r++
	case Up:
		r--
	}
	return t.Node(r, c)
}

// Hops returns the length of the shortest path.
func (t Torus) Hops(a, b int) int {
	ra, ca := t.Place(a)
	rb, cb := t.Place(b)
	return shorter(ra, rb, t.Rows) + shorter(ca, cb, t.Columns)
}

func shorter(a, b, n int) int {
	d := (b - a + n) % n
	return min(d, n-d)
}

// Next returns the direction of the first hop from a to b: columns first, then rows, in the shorter
// direction, or right and down if both are equally long (our choice; the specification gives no
// routing).
func (t Torus) Next(a, b int) Direction {
	ra, ca := t.Place(a)
	rb, cb := t.Place(b)
	if d := (cb - ca + t.Columns) % t.Columns; d != 0 {
		if 2*d <= t.Columns {
			return Right
		}
		return Left
	}
	if d := (rb - ra + t.Rows) % t.Rows; d != 0 {
		if 2*d <= t.Rows {
			return Down
		}
		return Up
	}
	return stay
}

// Grid returns the torus of n nodes whose sides differ least.
func Grid(n int) Torus {
	rows := 1
	for r := 1; r*r <= n; r++ {
		if n%r == 0 {
			rows = r
		}
	}
	return Torus{rows, n / rows}
}

package bench

// A Computer computes for a given time without using the network: products of the rows of a matrix with a
// vector. The peers' programs do the same.
type Computer struct {
	matrix  [][computerSize]float32
	vector  [computerSize]float32
	product [computerSize]float32
	next    int     // row
	row     float64 // seconds per row
}

const (
	computerSize = 100
	calibrations = 5    // the fastest counts
	calibrated   = 2000 // rows in each
)

// NewComputer returns a computer that has calibrated its speed by the clock now, which is in seconds.
func NewComputer(now func() float64) *Computer {
	c := &Computer{matrix: make([][computerSize]float32, computerSize)}
	for i := range c.vector {
		c.vector[i] = 1 / float32(i+1)
		for j := range c.matrix {
			c.matrix[j][i] = float32(i+j) / computerSize
		}
	}
	for range calibrations {
		begin := now()
		c.Compute(calibrated)
		if row := (now() - begin) / calibrated; c.row == 0 || row < c.row {
			c.row = row
		}
	}
	c.row = max(c.row, 1e-9)
	return c
}

// RowsIn returns how many rows take the given time, at least one.
func (c *Computer) RowsIn(seconds float64) int { return max(1, int(seconds/c.row+0.5)) }

// Compute computes the given number of rows.
func (c *Computer) Compute(rows int) {
	for range rows {
		sum := float32(0)
		for i, v := range c.matrix[c.next] {
			sum += v * c.vector[i]
		}
		c.product[c.next] = sum
		c.next = (c.next + 1) % computerSize
	}
}

package cfd

import (
	"math"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// Cell is a cell of this rank in a multi-partition run, with its fields.
type Cell struct {
	Box
	UL, RL  Layout
	U, R    []float64 // states with ghosts, update vector without
	forcing []float64 // times the time step
	op      *Operator // with T_in if the plan says so
	plain   *Operator
}

// March is the part of BT and SP that they share: the cells of a rank, the face
// exchange, the right-hand side, and the norms.
type March struct {
	Partition
	Cells []*Cell
	n     int
	dt    float64
	faces *exchange
	prim  *Primitives
	comm  *mpi.Comm
}

// MarchPlan describes a March.
type MarchPlan struct {
	N     int
	Dt    float64
	Comps int  // components of a state: Reciprocal+1 or Sound+1
	TIn   bool // apply SP's T_in to the right-hand side
	Level nas.Level
}

// NewMarch prepares the cells of a rank. The communicator is used for the faces
// and the norms.
func NewMarch(c *mpi.Comm, p MarchPlan) *March {
	m := &March{
		Partition: NewPartition(p.N, c.Size(), c.Rank()),
		n:         p.N, dt: p.Dt, comm: c,
		prim: NewPrimitives(p.Comps, p.Level),
	}
	for _, box := range m.Boxes {
		first, _ := box.Inside(0)
		cell := &Cell{
			Box: box,
			UL:  RowLayout(box.Edge, Ghosts, p.Comps, first),
			RL:  RowLayout(box.Edge, 0, Components, first),
		}
		cell.U, cell.R, cell.forcing = cell.UL.New(), cell.RL.New(), cell.RL.New()
		plan := Plan{Box: box, U: cell.UL, R: cell.RL, Scale: p.Dt, Level: p.Level}
		cell.plain = NewOperator(plan)
		box.Fill(cell.U, &cell.UL, ExactAt)
		m.primitives(cell)
		cell.plain.Apply(cell.R, cell.U, cell.forcing)
		cell.R, cell.forcing = cell.forcing, cell.R
		plan.Transform = p.TIn
		cell.op = NewOperator(plan)
		m.Cells = append(m.Cells, cell)
	}
	m.faces = newExchange(m)
	m.Restart()
	return m
}

// Restart sets the initial field.
func (m *March) Restart() {
	for _, c := range m.Cells {
		c.Fill(c.U, &c.UL, Initial)
		m.primitives(c)
	}
}

// RightHandSide exchanges the faces and sets R = dt*(R(U) - G), transformed if
// the plan says so.
func (m *March) RightHandSide(t *nas.Timers, faces, rhs int) error {
	t.Begin(faces)
	err := m.exchange()
	t.End(faces)
	if err != nil {
		return err
	}
	t.Begin(rhs)
	for _, c := range m.Cells {
		m.rightHandSide(c, c.op)
	}
	t.End(rhs)
	return nil
}

// primitives computes the derived components of a cell, with one ghost layer. From then on the kernels
// update those of the interior.
func (m *March) primitives(c *Cell) {
	for k := -1; k <= c.Edge[2]; k++ {
		for j := -1; j <= c.Edge[1]; j++ {
			m.prim.Fill(c.U, &c.UL, c.UL.At(-1, j, k), c.Edge[0]+2)
		}
	}
}

// ghostPrimitives computes the derived components of the nearest ghost layer.
func (m *March) ghostPrimitives(c *Cell) {
	e := c.Edge
	for k := -1; k <= e[2]; k++ {
		for j := -1; j <= e[1]; j++ {
			if k == -1 || k == e[2] || j == -1 || j == e[1] {
				m.prim.Fill(c.U, &c.UL, c.UL.At(0, j, k), e[0])
				continue
			}
			m.prim.Fill(c.U, &c.UL, c.UL.At(-1, j, k), 1)
			m.prim.Fill(c.U, &c.UL, c.UL.At(e[0], j, k), 1)
		}
	}
}

// exchange fills the ghost layers.
func (m *March) exchange() error {
	if m.Root == 1 {
		return nil
	}
	return m.faces.run(m)
}

// rightHandSide evaluates an operator on a cell with fresh ghost layers.
func (m *March) rightHandSide(c *Cell, op *Operator) {
	if m.Root > 1 {
		m.ghostPrimitives(c)
	}
	op.Apply(c.R, c.U, c.forcing)
}

// Error returns the norm of U - u* over all points.
func (m *March) Error() ([Components]float64, error) {
	var sum [Components]float64
	for _, c := range m.Cells {
		c.AddErrorSquares(&sum, c.U, &c.UL)
	}
	return RootMeanSquare(m.comm, sum, m.n)
}

// Update returns the norm of the update vector R.
func (m *March) Update() ([Components]float64, error) {
	var sum [Components]float64
	for _, c := range m.Cells {
		c.AddSquares(&sum, c.R, &c.RL)
	}
	return RootMeanSquare(m.comm, sum, m.n)
}

// Added returns the norm of what a step has added to the state of the only cell; before is the state before
// the step.
func (m *March) Added(before []float64) ([Components]float64, error) {
	c := m.Cells[0]
	diff := make([]float64, len(before))
	for i := range diff {
		diff[i] = c.U[i] - before[i]
	}
	var sum [Components]float64
	c.AddSquares(&sum, diff, &c.UL)
	return RootMeanSquare(m.comm, sum, m.n)
}

// Residual exchanges the faces and returns the norm of R(U) - G. It
// overwrites R.
func (m *March) Residual() ([Components]float64, error) {
	var sum [Components]float64
	if err := m.exchange(); err != nil {
		return sum, err
	}
	for _, c := range m.Cells {
		m.rightHandSide(c, c.plain)
		c.AddSquares(&sum, c.R, &c.RL)
	}
	norm, err := RootMeanSquare(m.comm, sum, m.n)
	for i := range norm {
		norm[i] /= m.dt
	}
	return norm, err
}

// RootMeanSquare adds the sums of squares of all ranks and returns the norms of
// the components (section 1.8).
func RootMeanSquare(c *mpi.Comm, sum [Components]float64, n int) ([Components]float64, error) {
	var total [Components]float64
	if err := mpi.Allreduce(c, sum[:], total[:], mpi.Sum); err != nil {
		return total, err
	}
	points := float64(n-2) * float64(n-2) * float64(n-2)
	for m := range total {
		total[m] = math.Sqrt(total[m] / points)
	}
	return total, nil
}

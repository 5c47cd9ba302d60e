package cg

import (
	"math"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// The phases of the timed section.
const (
	phaseProduct = iota
	phaseVectors
	phaseRowSum
	phaseTranspose
	phaseReduce
)

// A solver is one rank's part of the iteration.
type solver struct {
	world   *mpi.Comm
	line    *mpi.Comm // the ranks of the same grid row; nil if there is only one
	grid    grid
	p       params
	a       *matrix
	product product
	timers  *nas.Timers
	work    nas.Work // a part is a product

	x, z, d, q, r []float64 // vectors by column range; d is the search direction
	w, in         []float64 // a product by row range, and a partner's part of it
	sums          [2]float64
	rnorm         float64 // |x - A z| of the last linear system
}

// newSolver makes this rank's block of the matrix. Collective.
func newSolver(world *mpi.Comm, p params, level nas.Level, timers bool) (*solver, error) {
	s := &solver{
		world: world, grid: newGrid(world.Size(), world.Rank()), p: p, product: newProduct(level),
		timers: nas.NewTimers(timers,
			nas.Phase{Name: "matrix products"}, nas.Phase{Name: "vector updates"},
			nas.Phase{Name: "row sums", Comm: true}, nas.Phase{Name: "transpose", Comm: true},
			nas.Phase{Name: "scalar sums", Comm: true}),
	}
	row0, rows := s.grid.rowRange(p.na)
	col0, cols := s.grid.columnRange(p.na)
	s.a = newMatrix(p, row0, rows, col0, cols)
	for _, v := range []*[]float64{&s.x, &s.z, &s.d, &s.q, &s.r} {
		*v = make([]float64, cols)
	}
	s.reset()
	if s.grid.cols == 1 {
		return s, nil
	}
	s.w, s.in = make([]float64, rows), make([]float64, rows)
	var err error
	s.line, err = world.Split(s.grid.row, s.grid.col)
	return s, err
}

// reset makes x the vector of ones.
func (s *solver) reset() {
	for i := range s.x {
		s.x[i] = 1
	}
}

// free frees the communicator of the grid row.
func (s *solver) free() error {
	if s.line == nil {
		return nil
	}
	return s.line.Free()
}

// iterate is one outer iteration; it returns the estimate of the eigenvalue.
func (s *solver) iterate() (zeta float64, err error) {
	if err := s.solve(); err != nil {
		return 0, err
	}
	s.timers.Begin(phaseVectors)
	xz, zz := dots(s.x, s.z)
	s.timers.End(phaseVectors)
	if xz, zz, err = s.reduce2(xz, zz); err != nil {
		return 0, err
	}
	s.timers.Begin(phaseVectors)
	scale(s.x, 1/math.Sqrt(zz), s.z)
	s.timers.End(phaseVectors)
	return s.p.shift + 1/xz, nil
}

// solve approximates A z = x by the conjugate gradient method.
func (s *solver) solve() error {
	s.timers.Begin(phaseVectors)
	clear(s.z)
	copy(s.r, s.x)
	copy(s.d, s.x)
	rr := dot(s.r, s.r)
	s.timers.End(phaseVectors)
	rho, err := s.reduce(rr)
	if err != nil {
		return err
	}
	for range inner {
		if err := s.multiply(s.q, s.d); err != nil {
			return err
		}
		s.timers.Begin(phaseVectors)
		dq := dot(s.d, s.q)
		s.timers.End(phaseVectors)
		if dq, err = s.reduce(dq); err != nil {
			return err
		}
		s.timers.Begin(phaseVectors)
		rr := advance(s.z, s.r, rho/dq, s.d, s.q)
		s.timers.End(phaseVectors)
		old := rho
		if rho, err = s.reduce(rr); err != nil {
			return err
		}
		s.timers.Begin(phaseVectors)
		direct(s.d, s.r, rho/old)
		s.timers.End(phaseVectors)
	}
	if err := s.multiply(s.r, s.z); err != nil {
		return err
	}
	s.timers.Begin(phaseVectors)
	dd := distance(s.x, s.r)
	s.timers.End(phaseVectors)
	dd, err = s.reduce(dd)
	s.rnorm = math.Sqrt(dd)
	return err
}

// reduce sums a scalar along the grid row, in which each segment occurs once.
func (s *solver) reduce(v float64) (float64, error) {
	if s.line == nil {
		return v, nil
	}
	s.timers.Begin(phaseReduce)
	s.sums[0] = v
	err := mpi.Allreduce(s.line, s.sums[:1], s.sums[:1], mpi.Sum)
	s.timers.End(phaseReduce)
	return s.sums[0], err
}

// reduce2 sums two scalars at once.
func (s *solver) reduce2(v, w float64) (float64, float64, error) {
	if s.line == nil {
		return v, w, nil
	}
	s.timers.Begin(phaseReduce)
	s.sums = [2]float64{v, w}
	err := mpi.Allreduce(s.line, s.sums[:], s.sums[:], mpi.Sum)
	s.timers.End(phaseReduce)
	return s.sums[0], s.sums[1], err
}

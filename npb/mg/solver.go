package mg

import (
	"math"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// The phases of the timed section.
const (
	phaseResidual = iota
	phaseSmooth
	phaseRestrict
	phaseProlong
	phaseGhosts
	phaseMessages
	phaseNorm
	phaseReduce
)

// A solver is one rank's part of the multigrid method. Index k of its slices
// is the grid of 2^k points per axis; 0 is not used.
type solver struct {
	world   *mpi.Comm
	p       params
	shape   [axes]int
	levels  []*level
	u, r    [][]float64
	v       []float64 // the right-hand side on the finest grid
	buffers buffers
	sums    [2]float64
	timers  *nas.Timers
}

func newSolver(world *mpi.Comm, p params, vectors nas.Level, timers bool) *solver {
	s := &solver{
		world: world, p: p, shape: shape(world.Size()),
		timers: nas.NewTimers(timers,
			nas.Phase{Name: "residual"}, nas.Phase{Name: "smoother"}, nas.Phase{Name: "restriction"},
			nas.Phase{Name: "prolongation"}, nas.Phase{Name: "ghost copies"},
			nas.Phase{Name: "ghost messages", Comm: true},
			nas.Phase{Name: "norm"}, nas.Phase{Name: "norm sums", Comm: true}),
	}
	top := nas.Log2(p.n)
	s.levels = make([]*level, top+1)
	s.u, s.r = make([][]float64, top+1), make([][]float64, top+1)
	for k := 1; k <= top; k++ {
		l := newLevel(k, s.shape, world.Rank(), vectors)
		s.levels[k], s.u[k], s.r[k] = l, make([]float64, l.size), make([]float64, l.size)
	}
	s.v = make([]float64, s.finest().size)
	s.buffers = newBuffers(s.finest())
	return s
}

func (s *solver) top() int       { return len(s.levels) - 1 }
func (s *solver) finest() *level { return s.levels[s.top()] }

// setUp sets u to zero and v to the charges. Collective.
func (s *solver) setUp() error {
	clear(s.u[s.top()])
	plus, minus, err := findCharges(s.world, s.finest(), s.p.n)
	if err != nil {
		return err
	}
	s.finest().place(s.v, s.p.n, plus, minus)
	return s.exchange(s.finest(), s.v)
}

// cycle runs one V-cycle. It expects r = v - A u on the finest grid, and improves u.
func (s *solver) cycle() error {
	top := s.top()
	for k := top; k >= 2; k-- {
		if err := s.restrict(k); err != nil {
			return err
		}
	}
	clear(s.u[1])
	if err := s.smooth(1); err != nil {
		return err
	}
	for k := 2; k <= top; k++ {
		if err := s.prolong(k); err != nil {
			return err
		}
		v := s.r[k] // the restricted residual is the right-hand side
		if k == top {
			v = s.v
		}
		if err := s.residual(k, v); err != nil {
			return err
		}
		if err := s.smooth(k); err != nil {
			return err
		}
	}
	return nil
}

// restrict computes the right-hand side of level k-1 from the residual of level k.
func (s *solver) restrict(k int) error {
	l, c := s.levels[k], s.levels[k-1]
	if c.dead {
		return nil
	}
	s.timers.Begin(phaseRestrict)
	l.restrict(c, s.r[k-1], s.r[k])
	s.timers.End(phaseRestrict)
	return s.exchange(c, s.r[k-1])
}

// prolong adds the correction of level k-1 to level k. Except on the finest level it is the first
// contribution, so it is stored instead of added.
func (s *solver) prolong(k int) error {
	l, c := s.levels[k], s.levels[k-1]
	if !c.dead {
		s.timers.Begin(phaseProlong)
		l.prolong(c, s.u[k], s.u[k-1], k < s.top())
		s.timers.End(phaseProlong)
	}
	return s.handOver(l, c, s.u[k])
}

// residual sets r = v - A u on level k.
func (s *solver) residual(k int, v []float64) error {
	l := s.levels[k]
	s.timers.Begin(phaseResidual)
	l.residual(s.r[k], v, s.u[k])
	s.timers.End(phaseResidual)
	return s.exchange(l, s.r[k])
}

// smooth applies the smoother on level k.
func (s *solver) smooth(k int) error {
	l := s.levels[k]
	s.timers.Begin(phaseSmooth)
	l.smooth(s.u[k], s.r[k], &s.p.smoother)
	s.timers.End(phaseSmooth)
	return s.exchange(l, s.u[k])
}

// norm returns the L2 norm of the residual on the finest grid and its largest
// magnitude. Collective.
func (s *solver) norm() (rnm2, most float64, err error) {
	s.timers.Begin(phaseNorm)
	sum, most := s.finest().norm(s.r[s.top()])
	s.timers.End(phaseNorm)
	s.timers.Begin(phaseReduce)
	defer s.timers.End(phaseReduce)
	b := s.sums[:]
	b[0], b[1] = sum, most
	if err := mpi.Allreduce(s.world, b[:1], b[:1], mpi.Sum); err != nil {
		return 0, 0, err
	}
	if err := mpi.Allreduce(s.world, b[1:], b[1:], mpi.Max); err != nil {
		return 0, 0, err
	}
	n := float64(s.p.n)
	return math.Sqrt(b[0] / (n * n * n)), b[1], nil
}

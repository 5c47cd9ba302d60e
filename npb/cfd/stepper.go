package cfd

import (
	"rhinet/mpi"
	"rhinet/npb/nas"
)

// Tolerance is the largest relative difference of a verified norm, and the largest
// absolute difference of a verified time step.
const Tolerance = 1e-8

// MarchClass is the definition of a class of BT or SP.
type MarchClass struct {
	N, Steps        int
	Dt              float64
	Residual, Error [Components]float64 // norms after the last step
}

// Phases of BT and SP, in the order of the timers of a Stepper.
const (
	PhaseFaces = iota
	PhaseRHS
	PhaseX
	PhaseY
	PhaseZ
	PhaseLines
)

// Phases returns the names of the phases. The waiting for lines is also part of the three solves.
func Phases() []nas.Phase {
	return []nas.Phase{
		{Name: "faces", Comm: true}, {Name: "rhs"}, {Name: "xsolve"}, {Name: "ysolve"}, {Name: "zsolve"},
		{Name: "lines", Comm: true},
	}
}

// Stepper advances a March by one time step.
type Stepper struct {
	*March
	sweeper *Sweeper
	Timers  *nas.Timers
	Work    nas.Work // a part is a step
}

// NewStepper prepares a time step from a March and the line systems of a kernel.
func NewStepper(solves *mpi.Comm, m *March, lines *Lines, level nas.Level, timers bool) *Stepper {
	t := nas.NewTimers(timers, Phases()...)
	return &Stepper{March: m, sweeper: NewSweeper(solves, m, lines, level, t), Timers: t}
}

// stageShare is the share of the right-hand side and of each of the three solves in the work of a step.
// They are assumed equal, because they take about the same time.
const stageShare = 1.0 / 4

// Solve solves the systems along direction d.
func (s *Stepper) Solve(d int) error {
	if err := s.Work.Do(stageShare); err != nil {
		return err
	}
	s.Timers.Begin(PhaseX + d)
	err := s.sweeper.Solve(d)
	s.Timers.End(PhaseX + d)
	return err
}

// Step advances U by one time step; the solve along z adds the update.
func (s *Stepper) Step() error {
	if err := s.Work.Do(stageShare); err != nil {
		return err
	}
	if err := s.RightHandSide(s.Timers, PhaseFaces, PhaseRHS); err != nil {
		return err
	}
	for d := range 3 {
		if err := s.Solve(d); err != nil {
			return err
		}
	}
	return nil
}

package is

import (
	"rhinet/mpi"
	"rhinet/npb/nas"
)

// The phases of the timed section.
const (
	phaseBuckets = iota
	phaseTotals
	phaseExchange
	phaseRanking
)

// Run computes one class on all ranks of world. It is collective; the result
// is complete on rank 0.
func Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error) {
	if err := Allowed(world.Size(), cfg.Class); err != nil {
		return nas.Result{}, err
	}
	if err := nas.CheckVariant(name, cfg.Variant, variants()); err != nil {
		return nas.Result{}, err
	}
	niter, verifiable := cfg.Count(iterations)
	p := classes()[cfg.Class]
	s := newSorter(world, p, cfg.Timers)
	if cfg.Variant == alltoallv {
		s.vector = newVector(s.size)
	}
	// The first message between two ranks makes the connection, which is not part of the sort. This
	// exchange, which has no keys yet, makes all connections.
	if err := s.exchange(); err != nil {
		return nas.Result{}, err
	}
	if err := s.iterate(1); err != nil {
		return nas.Result{}, err
	}
	s.passed = 0
	s.timers.Reset()

	work := nas.NewWork(world, "is", float64(niter)*float64(p.keys()), niter)
	start := cfg.Wtime()
	for it := 1; it <= niter; it++ {
		cfg.Step(s.rank, it, niter)
		if err := work.Do(1); err != nil {
			return nas.Result{}, err
		}
		if err := s.iterate(it); err != nil {
			return nas.Result{}, err
		}
	}
	seconds := cfg.Wtime() - start
	r, err := s.result(cfg.Class, niter, verifiable)
	if err != nil {
		return r, err
	}
	r.Variant = cfg.Variant
	return r, r.Finish(world, s.timers, seconds, float64(niter)*float64(p.keys()))
}

// iterate ranks all keys once.
func (s *sorter) iterate(it int) error {
	s.timers.Begin(phaseBuckets)
	s.alter((it-1)%iterations + 1)
	s.bucketSort()
	s.timers.End(phaseBuckets)

	if err := s.total(); err != nil {
		return err
	}
	s.assign()

	if err := s.exchange(); err != nil {
		return err
	}

	s.timers.Begin(phaseRanking)
	runningSum(s.counts)
	s.check(it)
	s.timers.End(phaseRanking)
	return nil
}

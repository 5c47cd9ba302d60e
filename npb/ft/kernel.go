package ft

import (
	"fmt"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// Run computes one class on all ranks of world. It is collective; the result
// is complete on rank 0. The time reported is that of rank 0.
func Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error) {
	if err := Allowed(world.Size(), cfg.Class); err != nil {
		return nas.Result{}, err
	}
	p := classes()[cfg.Class]
	niter, verifiable := cfg.Count(p.niter)
	if cfg.Grid != [2]int{} {
		if err := CheckGrid(world.Size(), cfg.Class, cfg.Grid); err != nil {
			return nas.Result{}, err
		}
	}
	f, timers, err := newField(world, p, cfg.Grid, nas.BestLevel(), cfg.Timers)
	if err != nil {
		return nas.Result{}, err
	}
	f.setUp()
	if err := f.forward(); err != nil {
		return nas.Result{}, err
	}
	if err := mpi.Barrier(world); err != nil {
		return nas.Result{}, err
	}
	timers.Reset()

	sums := make([]complex128, niter)
	start := cfg.Wtime()
	work := nas.NewWork(world, "ft", p.operations(niter), niter)
	step := func(it int) error {
		cfg.Step(world.Rank(), it, niter)
		return work.Do(1)
	}
	if err := solve(f, sums, step); err != nil {
		return nas.Result{}, err
	}
	r := p.judge(cfg.Class, niter, verifiable, sums)
	seconds := cfg.Wtime() - start
	r.Details = append([]string{"Layout: " + f.layout()}, r.Details...)
	if cfg.Grid != [2]int{} {
		r.Variant = fmt.Sprintf("grid %dx%d", cfg.Grid[0], cfg.Grid[1])
	}
	if err := r.FinishOwn(world, timers, seconds, p.operations(niter)); err != nil {
		return r, err
	}
	return r, f.free()
}

// solve is the timed section: set-up, transform, and the checksums of all iterations, which only rank 0
// gets.
func solve(f field, sums []complex128, step func(it int) error) error {
	f.setUp()
	if err := f.forward(); err != nil {
		return err
	}
	for it := range sums {
		if err := step(it + 1); err != nil {
			return err
		}
		if err := f.step(); err != nil {
			return err
		}
		var err error
		if sums[it], err = f.reduce(f.checksum()); err != nil {
			return err
		}
	}
	return nil
}

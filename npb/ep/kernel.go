package ep

import (
	"rhinet/mpi"
	"rhinet/npb/nas"
)

// The phases of the timed section.
const (
	phaseDraw = iota
	phaseSums
)

// Run computes one class on all ranks of world. It is collective; the result
// is complete on rank 0.
func Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error) {
	if err := Allowed(world.Size(), cfg.Class); err != nil {
		return nas.Result{}, err
	}
	p := classes()[cfg.Class]
	add := newAdder(nas.BestLevel())
	timers := nas.NewTimers(cfg.Timers, nas.Phase{Name: "deviates"}, nas.Phase{Name: "sums", Comm: true})

	var warm tally
	add(&warm, seed, blockPairs)
	if err := mpi.Barrier(world); err != nil {
		return nas.Result{}, err
	}
	t := new(tally)
	start := cfg.Wtime()
	if err := generate(t, world, p, add, timers, &cfg); err != nil {
		return nas.Result{}, err
	}
	seconds := cfg.Wtime() - start
	r := result(cfg, p, t)
	return r, r.Finish(world, timers, seconds, float64(r.Size.Count))
}

// generate is the timed section: this rank's batches, then the sums over ranks.
func generate(t *tally, world *mpi.Comm, p params, add adder, timers *nas.Timers, cfg *nas.Config) error {
	timers.Begin(phaseDraw)
	first, batches := nas.Split(1<<(p.m-batchLog), world.Size(), world.Rank())
	work := nas.NewWork(world, "ep", float64(int64(world.Size())<<(p.m+1)), 1<<(p.m-batchLog))
	for b := range batches {
		cfg.Step(world.Rank(), b+1, batches)
		// A pair takes two numbers.
		skip := uint64(first+b) << (batchLog + 1)
		add(t, nas.Skip(seed, skip), 1<<batchLog)
		if err := work.Do(1); err != nil {
			return err
		}
	}
	timers.End(phaseDraw)

	timers.Begin(phaseSums)
	defer timers.End(phaseSums)
	for i := range t.sums {
		if err := mpi.Allreduce(world, t.sums[i:i+1], t.sums[i:i+1], mpi.Sum); err != nil {
			return err
		}
	}
	return mpi.Allreduce(world, t.q[:], t.q[:], mpi.Sum)
}

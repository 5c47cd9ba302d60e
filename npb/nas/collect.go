package nas

import "rhinet/mpi"

// Finish fills in what every result ends with: the processes, the time, which is
// the largest of the ranks' seconds, the rate by operations in all, and
// the phases. Collective.
func (r *Result) Finish(world *mpi.Comm, t *Timers, seconds, operations float64) error {
	longest := []float64{seconds}
	if err := mpi.Allreduce(world, longest, longest, mpi.Max); err != nil {
		return err
	}
	return r.FinishOwn(world, t, longest[0], operations)
}

// FinishOwn is Finish with the time of rank 0 alone, as FT reports it. Collective.
func (r *Result) FinishOwn(world *mpi.Comm, t *Timers, seconds, operations float64) error {
	r.Seconds, r.Mops = seconds, Rate(operations, seconds)
	r.Processes, r.Active = world.Size(), world.Size()
	r.Library, r.CallCost = world.Library()
	var err error
	r.Phases, err = t.Gather(world)
	return err
}

// Gather returns the mean and maximum over the ranks of c for each phase, and
// last the same for [CommWait], on every rank. It returns nil at once if the
// timers are off. Collective.
func (t *Timers) Gather(c *mpi.Comm) ([]PhaseTime, error) {
	if !t.on {
		return nil, nil
	}
	mean := t.seconds()
	most := append([]float64(nil), mean...)
	if err := mpi.Allreduce(c, mean, mean, mpi.Sum); err != nil {
		return nil, err
	}
	if err := mpi.Allreduce(c, most, most, mpi.Max); err != nil {
		return nil, err
	}
	for i := range mean {
		mean[i] /= float64(c.Size())
	}
	return t.phaseTimes(mean, most), nil
}

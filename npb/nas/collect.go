package nas

import "rhinet/mpi"

// Finish sets the fields that all kernels set at the end: the number of processes, the time (the largest of
// the ranks' seconds), the rate (operations is the total number), and the phases. Collective.
func (r *Result) Finish(world *mpi.Comm, t *Timers, seconds, operations float64) error {
	longest := []float64{seconds}
	if err := mpi.Allreduce(world, longest, longest, mpi.Max); err != nil {
		return err
	}
	return r.FinishOwn(world, t, longest[0], operations)
}

// FinishOwn does the same as Finish, but with the time of rank 0 alone, which FT reports. Collective.
func (r *Result) FinishOwn(world *mpi.Comm, t *Timers, seconds, operations float64) error {
	r.Seconds, r.Mops = seconds, Rate(operations, seconds)
	r.Processes, r.Active = world.Size(), world.Size()
	r.Library, r.CallCost = world.Library()
	var err error
	r.Phases, err = t.Gather(world)
	return err
}

// Gather returns the mean and maximum over the ranks of c for each phase, and as the last entry those of
// [CommWait], on every rank. If the timers are off, it returns nil without communicating. Collective.
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

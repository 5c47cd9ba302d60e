package nas

import "rhinet/mpi"

// MaxSeconds returns the largest of the ranks' times, on every rank.
func MaxSeconds(c *mpi.Comm, seconds float64) (float64, error) {
	t := []float64{seconds}
	err := mpi.Allreduce(c, t, t, mpi.Max)
	return t[0], err
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

package bench

import "rhinet/mpi"

// barrier times mpi.Barrier on all ranks.
func barrier() Workload {
	return Workload{
		Name: "barrier", About: "all ranks wait for each other",
		Sizes: []int{0}, Min: 1, Unit: 1, Scale: 1,
		Body: func(world *mpi.Comm, _ *Buffers, reps int) error {
			for range reps {
				if err := mpi.Barrier(world); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// allreduce times the sum of float64 values over all ranks.
func allreduce() Workload {
	sizes := powers()[4:]
	return Workload{
		Name: "allreduce", About: "sum of float64 values over all ranks",
		Sizes: sizes, Min: 1, Unit: 8, Scale: 1, Moves: 1,
		Body: func(world *mpi.Comm, b *Buffers, reps int) error {
			for range reps {
				if err := mpi.Allreduce(world, b.SendVals, b.RecvVals, mpi.Sum); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

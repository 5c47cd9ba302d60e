package bench

import "rhinet/mpi"

// exchange sends to both neighbours of a ring and receives from both, the
// pattern of a one-dimensional halo.
func exchange() Workload {
	return Workload{
		Name: "exchange", About: "send to and receive from both neighbours of a ring",
		Sizes: powers(), Min: 2, Unit: 1, Scale: 1, Moves: 4,
		Body: func(world *mpi.Comm, b *Buffers, reps int) error {
			size := world.Size()
			left, right := (world.Rank()+size-1)%size, (world.Rank()+1)%size
			for range reps {
				toRight := mpi.Isend(world, b.Send, right, tag)
				toLeft := mpi.Isend(world, b.Send, left, tag)
				if _, err := mpi.Recv(world, b.Recv, left, tag); err != nil {
					return err
				}
				if _, err := mpi.Recv(world, b.Recv, right, tag); err != nil {
					return err
				}
				if err := mpi.WaitAll(toRight, toLeft); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

package bench

import "rhinet/mpi"

const tag = 1

// pingPong bounces one buffer between ranks 0 and 1. What arrives is what goes
// back, so the bytes really move from core to core; with a send buffer that
// nobody writes, the reader would find it in its own cache.
func pingPong() Workload {
	return Workload{
		Name: "pingpong", About: "one-way time between ranks 0 and 1",
		Sizes: powers(), Min: 2, Unit: 1, Scale: 0.5, Moves: 1,
		Body: func(world *mpi.Comm, b *Buffers, reps int) error {
			switch world.Rank() {
			case 0:
				for range reps {
					if err := mpi.Send(world, b.Send, 1, tag); err != nil {
						return err
					}
					if _, err := mpi.Recv(world, b.Send, 1, tag); err != nil {
						return err
					}
				}
			case 1:
				for range reps {
					if _, err := mpi.Recv(world, b.Send, 0, tag); err != nil {
						return err
					}
					if err := mpi.Send(world, b.Send, 0, tag); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
}

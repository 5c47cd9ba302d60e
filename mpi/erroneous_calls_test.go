package mpi_test

import (
	"errors"
	"slices"

	"rhinet/mpi"
)

// The calls of erroneous programs.

// send has rank 0 send and rank 1 receive.
func send[S, R any](n, m int, how func(c *mpi.Comm, b []S, dst, tag int) error) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		if c.Rank() == 0 {
			return how(c, make([]S, n), 1, 7)
		}
		_, err := mpi.Recv(c, make([]R, m), 0, 7)
		return err
	}
}

// posted is send with the receive posted first.
func posted[S, R any](n int, how func(c *mpi.Comm, b []S, dst, tag int) error) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		if c.Rank() == 1 {
			r := mpi.Irecv(c, make([]R, n), mpi.AnySource, mpi.AnyTag)
			err := mpi.Send(c, []byte(nil), 0, 1)
			_, e := r.Wait()
			return errors.Join(err, e)
		}
		if _, err := mpi.Recv(c, []byte(nil), 1, 1); err != nil {
			return err
		}
		return how(c, make([]S, n), 1, 7)
	}
}

// by calls zero on rank 0 and others on the other ranks.
func by(zero, others func(c *mpi.Comm) error) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		if c.Rank() == 0 {
			return zero(c)
		}
		return others(c)
	}
}

func allreduce[T any](n int, op mpi.Op) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return mpi.Allreduce(c, make([]T, n), make([]T, n), op) }
}

// allreduceItems is Allreduce of n items of size elements.
func allreduceItems(n, size int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		v := mpi.Views(make([]int, 2*n*size), n, mpi.Vector(size, 1, 2).Resized(0, 16*size))
		return mpi.Allreduce(c, v, v, userSum)
	}
}

func reduce[T any](n int, op mpi.Op, root int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return mpi.Reduce(c, make([]T, n), make([]T, n), op, root) }
}

func scan[T any](n int, op mpi.Op) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return mpi.Scan(c, make([]T, n), make([]T, n), op) }
}

func bcast[T any](n, root int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return mpi.Bcast(c, make([]T, n), root) }
}

func allgather[T any](n int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return mpi.Allgather(c, make([]T, n), make([]T, n*c.Size())) }
}

func alltoall[T any](n int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		return mpi.Alltoall(c, make([]T, n*c.Size()), make([]T, n*c.Size()))
	}
}

func gather[T any](n, root int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return mpi.Gather(c, make([]T, n), make([]T, n*c.Size()), root) }
}

func scatter[T any](n, root int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return mpi.Scatter(c, make([]T, n*c.Size()), make([]T, n), root) }
}

// gatherv has root expect n elements from each rank, which send m.
func gatherv(n, m int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		if c.Rank() == 0 {
			return mpi.Gatherv(c, make([]int, n), make([]int, n*c.Size()), slices.Repeat([]int{n}, c.Size()), nil, 0)
		}
		return mpi.Gatherv(c, make([]int, m), nil, nil, nil, 0)
	}
}

// scatterv is the same in the other direction.
func scatterv(n, m int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		if c.Rank() == 0 {
			return mpi.Scatterv(c, make([]int, n*c.Size()), slices.Repeat([]int{n}, c.Size()), nil, make([]int, n), 0)
		}
		return mpi.Scatterv(c, nil, nil, nil, make([]int, m), 0)
	}
}

// iallreduce and the following functions wait for a nonblocking call.
func iallreduce[T any](n int, op mpi.Op) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		return waited(mpi.Iallreduce(c, make([]T, n), make([]T, n), op))
	}
}

func ibcast[T any](n, root int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return waited(mpi.Ibcast(c, make([]T, n), root)) }
}

func iallgather[T any](n int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		return waited(mpi.Iallgather(c, make([]T, n), make([]T, n*c.Size())))
	}
}

func ialltoall[T any](n int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		return waited(mpi.Ialltoall(c, make([]T, n*c.Size()), make([]T, n*c.Size())))
	}
}

func ibarrier(c *mpi.Comm) error { return waited(mpi.Ibarrier(c)) }

func allreduceInit[T any](n int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		r, err := mpi.AllreduceInit(c, make([]T, n), make([]T, n), mpi.Sum)
		if err != nil {
			return err
		}
		return errors.Join(r.Start(), waited(r))
	}
}

func exscan[T any](n int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return mpi.Exscan(c, make([]T, n), make([]T, n), mpi.Sum) }
}

func alltoallw(n int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error {
		var send, recv []mpi.Part
		for range c.Size() {
			send, recv = append(send, mpi.PartOf(make([]int, n))), append(recv, mpi.PartOf(make([]int, n)))
		}
		return mpi.Alltoallw(c, send, recv)
	}
}

// waitFor makes a nonblocking send that waits.
func waitFor[T any](how func(c *mpi.Comm, b []T, dst, tag int) *mpi.Request) func(c *mpi.Comm, b []T, dst, tag int) error {
	return func(c *mpi.Comm, b []T, dst, tag int) error { return waited(how(c, b, dst, tag)) }
}

// started makes a send that starts a persistent one once.
func started[T any](how func(c *mpi.Comm, b []T, dst, tag int) (*mpi.Request, error)) func(c *mpi.Comm, b []T, dst, tag int) error {
	return func(c *mpi.Comm, b []T, dst, tag int) error {
		r, err := how(c, b, dst, tag)
		if err != nil {
			return err
		}
		return errors.Join(r.Start(), waited(r))
	}
}

// buffered makes a send in buffered mode that attaches a buffer first.
func buffered[T any](how func(c *mpi.Comm, b []T, dst, tag int) error) func(c *mpi.Comm, b []T, dst, tag int) error {
	return func(c *mpi.Comm, b []T, dst, tag int) error {
		return errors.Join(c.AttachBuffer(nil), how(c, b, dst, tag))
	}
}

// matched has rank 0 send two float32, and rank 1 match them first.
func matched(take func(m *mpi.Message) error) func(c *mpi.Comm) error {
	return by(
		func(c *mpi.Comm) error { return mpi.Send(c, make([]float32, 2), 1, 7) },
		func(c *mpi.Comm) error {
			m, _, err := mpi.Mprobe(c, 0, 7)
			if err != nil {
				return err
			}
			return take(m)
		})
}

package mpi_test

import (
	"fmt"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Rank 0 sends three numbers to rank 1, which has room for more.
func ExampleSend() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		if world.Rank() == 0 {
			return mpi.Send(world, []float64{1, 2, 3}, 1, 7)
		}
		buf := make([]float64, 10)
		st, err := mpi.Recv(world, buf, 0, 7)
		if err != nil {
			return err
		}
		fmt.Println("from", st.Source, "with tag", st.Tag, buf[:st.Count])
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// from 0 with tag 7 [1 2 3]
}

// Every rank passes its number on to the next one, around a ring.
func ExampleSendrecv() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		rank, size := world.Rank(), world.Size()
		got := []int{0}
		_, err := mpi.Sendrecv(world, []int{rank}, (rank+1)%size, 0, got, (rank+size-1)%size, 0)
		if rank == 0 {
			fmt.Println("rank 0 has the number of rank", got[0])
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// rank 0 has the number of rank 2
}

// Both ranks send and receive at the same time, and compute meanwhile.
func ExampleIsend() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		other := 1 - world.Rank()
		got := make([]int, 1)
		recv := mpi.Irecv(world, got, other, 0)
		send := mpi.Isend(world, []int{10 * world.Rank()}, other, 0)
		// ... compute ...
		if err := mpi.WaitAll(recv, send); err != nil {
			return err
		}
		if world.Rank() == 0 {
			fmt.Println(got)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [10]
}

// A message of unknown length: probe it first, and make room.
func ExampleProbe() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		if world.Rank() == 0 {
			return mpi.Send(world, []int32{5, 6, 7, 8}, 1, 3)
		}
		st, err := mpi.Probe(world, mpi.AnySource, mpi.AnyTag)
		if err != nil {
			return err
		}
		buf := make([]int32, mpi.Count[int32](st))
		_, err = mpi.Recv(world, buf, st.Source, st.Tag)
		fmt.Println(buf)
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [5 6 7 8]
}

// The same if several goroutines receive: no other one gets the message.
func ExampleMprobe() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		if world.Rank() == 0 {
			return mpi.Send(world, []int32{5, 6}, 1, 3)
		}
		m, st, err := mpi.Mprobe(world, mpi.AnySource, mpi.AnyTag)
		if err != nil {
			return err
		}
		buf := make([]int32, mpi.Count[int32](st))
		_, err = mpi.Mrecv(m, buf)
		fmt.Println(buf)
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [5 6]
}

// A persistent send is made once and started several times.
func ExampleSendInit() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		buf := []int{0}
		if world.Rank() == 1 {
			for range 3 {
				if _, err := mpi.Recv(world, buf, 0, 0); err != nil {
					return err
				}
				fmt.Println(buf[0])
			}
			return nil
		}
		r, err := mpi.SendInit(world, buf, 1, 0)
		if err != nil {
			return err
		}
		for i := range 3 {
			buf[0] = i * i
			if err := r.Start(); err != nil {
				return err
			}
			if _, err := r.Wait(); err != nil {
				return err
			}
		}
		return r.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0
	// 1
	// 4
}

// A message of which each partition is sent as soon as it is ready.
func ExamplePsendInit() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		const parts = 4
		buf := make([]int, 2*parts)
		if world.Rank() == 1 {
			r, err := mpi.PrecvInit(world, buf, parts, 0, 0)
			if err != nil {
				return err
			}
			if err := r.Start(); err != nil {
				return err
			}
			_, err = r.Wait()
			fmt.Println(buf)
			return err
		}
		r, err := mpi.PsendInit(world, buf, parts, 1, 0)
		if err != nil {
			return err
		}
		if err := r.Start(); err != nil {
			return err
		}
		for i := range parts { // in any order, by any goroutine
			buf[2*i], buf[2*i+1] = i, -i
			if err := r.Pready(i); err != nil {
				return err
			}
		}
		_, err = r.Wait()
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [0 0 1 -1 2 -2 3 -3]
}

// A send that does not wait for its receiver, with a buffer of the program.
func ExampleBsend() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		if world.Rank() == 1 {
			got := []int{0}
			_, err := mpi.Recv(world, got, 0, 0)
			fmt.Println(got)
			return err
		}
		if err := mpi.BufferAttach(world, make([]byte, 1024+mpi.BsendOverhead)); err != nil {
			return err
		}
		if err := mpi.Bsend(world, []int{42}, 1, 0); err != nil {
			return err
		}
		_, err := mpi.BufferDetach(world) // waits until the message has left
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [42]
}

// Answers are used in the order in which they arrive.
func ExampleWaitAny() {
	err := mpitest.World(3, func(world *mpi.Comm) error {
		if world.Rank() > 0 {
			return mpi.Send(world, []int{world.Rank()}, 0, 0)
		}
		bufs := [][]int{{0}, {0}}
		reqs := []*mpi.Request{mpi.Irecv(world, bufs[0], 1, 0), mpi.Irecv(world, bufs[1], 2, 0)}
		sum := 0
		for {
			i, _, err := mpi.WaitAny(reqs...)
			if err != nil {
				return err
			}
			if i == mpi.Undefined { // none is left
				fmt.Println(sum)
				return nil
			}
			sum += bufs[i][0]
		}
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3
}

// A column of a matrix is sent without a copy by the program.
func ExampleView() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		m := []float64{
			1, 2, 3,
			4, 5, 6,
			7, 8, 9,
		}
		column := mpi.View(m[1:], mpi.Vector(3, 1, 3))
		if world.Rank() == 0 {
			return mpi.Send(world, column, 1, 0)
		}
		got := make([]float64, 3)
		_, err := mpi.Recv(world, got, 0, 0)
		fmt.Println(got)
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [2 5 8]
}

// A layout tells how it was made, and another one is made from that.
func ExampleLayout_Contents() {
	block := mpi.Subarray([]int{10, 10}, []int{2, 3}, []int{0, 4})
	next := block.Contents()
	next.Starts[0] += next.Subsizes[0]
	fmt.Println(next.Combiner, block, next.Layout())
	// Output:
	// Subarray Subarray([10 10], [2 3], [0 4]) Subarray([10 10], [2 3], [2 4])
}

// Data of several types in one message.
func ExamplePack() {
	err := mpitest.World(2, func(world *mpi.Comm) error {
		buf := make([]byte, 100)
		if world.Rank() == 0 {
			pos, err := mpi.Pack(world, []int32{7}, buf, 0)
			if err != nil {
				return err
			}
			if pos, err = mpi.Pack(world, []float64{0.5, 1.5}, buf, pos); err != nil {
				return err
			}
			return mpi.Send(world, buf[:pos], 1, 0)
		}
		if _, err := mpi.Recv(world, buf, 0, 0); err != nil {
			return err
		}
		n, x := []int32{0}, make([]float64, 2)
		pos, err := mpi.Unpack(world, buf, 0, n)
		if err != nil {
			return err
		}
		_, err = mpi.Unpack(world, buf, pos, x)
		fmt.Println(n, x)
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [7] [0.5 1.5]
}

package mpi_test

import (
	"fmt"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Two groups, each with a communicator of its own, exchange messages.
func ExampleComm_IntercommCreate() {
	err := mpitest.World(5, func(world *mpi.Comm) error {
		producer := world.Rank() < 2 // ranks 0 and 1 produce, the others consume
		color, other := 0, 2
		if !producer {
			color, other = 1, 0
		}
		local, err := world.Split(color, 0)
		if err != nil {
			return err
		}
		across, err := local.IntercommCreate(0, world, other, 0)
		if err != nil {
			return err
		}
		made := []int{0}
		if producer {
			made[0] = 10 * (across.Rank() + 1)
		}
		sum := []int{0}
		if err := mpi.Allreduce(across, made, sum, mpi.Sum); err != nil {
			return err
		}
		if !producer && across.Rank() == 0 {
			fmt.Printf("%d producers made %d for %d consumers\n", across.RemoteSize(), sum[0], across.Size())
		}
		return across.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: 2 producers made 30 for 3 consumers
}

// A program without a world: it knows a set of processes by name.
func ExampleCommFromGroup() {
	err := mpitest.Sessions(3, func(s *mpi.Session) error {
		all, err := s.Group(mpi.PsetWorld)
		if err != nil {
			return err
		}
		comm, err := mpi.CommFromGroup(all, "rhinet.example")
		if err != nil {
			return err
		}
		sum := []int{0}
		if err := mpi.Allreduce(comm, []int{comm.Rank()}, sum, mpi.Sum); err != nil {
			return err
		}
		if comm.Rank() == 0 {
			fmt.Println("sum of the ranks:", sum[0])
		}
		return comm.Free()
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: sum of the ranks: 3
}

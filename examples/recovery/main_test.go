package main

import (
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

func TestRun(t *testing.T) {
	for _, n := range []int{1, 3, 8, 9} {
		mpitest.Run(t, n, func(world *mpi.Comm) error { return sum(world, mpitest.Die) }, mpitest.KeepGoing())
	}
}

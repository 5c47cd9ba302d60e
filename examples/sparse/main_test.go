package main

import (
	"testing"

	"rhinet/mpi/mpitest"
)

func TestRun(t *testing.T) {
	for n := 1; n <= 5; n++ {
		mpitest.Run(t, n, run)
	}
}

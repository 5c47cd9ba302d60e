package main

import (
	"testing"

	"rhinet/mpi/mpitest"
)

func TestRun(t *testing.T) {
	for n := 1; n <= 9; n++ {
		if err := mpitest.Sessions(n, run); err != nil {
			t.Fatal(err)
		}
	}
}

package main

import (
	"testing"

	"rhinet/mpi/mpitest"
)

func TestHello(t *testing.T) {
	mpitest.Run(t, 3, run)
	if kib := resident(); kib != 0 && kib < 100 {
		t.Errorf("a process of %d KiB", kib)
	}
}

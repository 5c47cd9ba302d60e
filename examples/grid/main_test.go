package main

import (
	"bytes"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

func TestRun(t *testing.T) {
	want := map[int]string{
		1: "row 0: ranks 0 to 0, the largest is 0\ncolumn 0: the sum is 0\n",
		5: "row 0: ranks 0 to 1, the largest is 1\nrow 1: ranks 2 to 3, the largest is 3\nrow 2: ranks 4 to 4, the largest is 4\n" +
			"column 0: the sum is 6\ncolumn 1: the sum is 4\n",
	}
	for n := 1; n <= 5; n++ {
		var out bytes.Buffer // rank 0 alone writes
		mpitest.Run(t, n, func(world *mpi.Comm) error { return run(world, &out) })
		if text, known := want[n]; known && out.String() != text || out.Len() == 0 {
			t.Errorf("%d ranks print\n%s", n, out.String())
		}
	}
}

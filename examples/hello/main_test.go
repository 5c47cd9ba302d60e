package main

import (
	"bytes"
	"fmt"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

func TestRun(t *testing.T) {
	for n := 1; n <= 5; n++ {
		var out bytes.Buffer // rank 0 alone writes
		mpitest.Run(t, n, func(world *mpi.Comm) error { return run(world, &out) })
		want := ""
		for r := range n {
			want += fmt.Sprintf("hello from rank %d of %d\n", r, n)
		}
		if out.String() != want {
			t.Errorf("%d ranks say\n%s", n, out.String())
		}
	}
}

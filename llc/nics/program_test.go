package nics_test

import (
	"fmt"
	"testing"

	"rhinet/llc/nics"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// TestProgramsOnEveryNIC runs messages of all protocols, to the neighbour and
// all to one, and collective calls, on each NIC of the table.
func TestProgramsOnEveryNIC(t *testing.T) {
	for _, name := range append(nics.Names(), "ib:ud:faults=some", "ib:ud:faults=many") {
		t.Run(name, func(t *testing.T) {
			mpitest.Run(t, 4, exercise, mpitest.NIC(name))
		})
	}
}

func exercise(world *mpi.Comm) error {
	me, n := world.Rank(), world.Size()
	for _, size := range []int{0, 1, 40, 41, 1984, 2020, 2021, 8164, 8165, 16384, 16385, 300_000} {
		out, in := make([]byte, size), make([]byte, size)
		for i := range out {
			out[i] = byte(i*7 + me + i>>8)
		}
		if _, err := mpi.Sendrecv(world, out, (me+1)%n, size, in, (me+n-1)%n, size); err != nil {
			return err
		}
		for i, b := range in {
			if b != byte(i*7+(me+n-1)%n+i>>8) {
				return fmt.Errorf("byte %d of %d is %d", i, size, b)
			}
		}
	}
	const each = 500
	if me == 0 {
		next := make([]int, n)
		for range each * (n - 1) {
			var v [1]int
			st, err := mpi.Recv(world, v[:], mpi.AnySource, 1)
			if err != nil {
				return err
			}
			if v[0] != next[st.Source] {
				return fmt.Errorf("message %d of rank %d came as %d", v[0], st.Source, next[st.Source])
			}
			next[st.Source]++
		}
	} else {
		for i := range each {
			if err := mpi.Send(world, []int{i}, 0, 1); err != nil {
				return err
			}
		}
	}
	sum := make([]int, 1000)
	if err := mpi.Allreduce(world, sum, sum, mpi.Sum); err != nil {
		return err
	}
	return mpi.Barrier(world)
}

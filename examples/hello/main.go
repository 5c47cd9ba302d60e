// Hello lets every rank introduce itself, in order of ranks.
package main

import (
	"fmt"
	"io"
	"os"

	"rhinet/mpi"
)

func main() {
	mpi.Main(func(world *mpi.Comm) error { return run(world, os.Stdout) })
}

// run has rank 0 print the lines of all ranks. If ranks print their own lines, these appear in any order,
// even if the ranks take turns: MPI orders messages, not output.
func run(world *mpi.Comm, out io.Writer) error {
	rank, size := world.Rank(), world.Size()
	var mine [80]byte
	copy(mine[:], fmt.Sprintf("hello from rank %d of %d", rank, size))
	all := make([][80]byte, size) // an array can be an element
	if err := mpi.Gather(world, [][80]byte{mine}, all, 0); err != nil {
		return err
	}
	if rank > 0 {
		return nil
	}
	for r, line := range all {
		var from, of int
		if _, err := fmt.Sscanf(string(line[:]), "hello from rank %d of %d", &from, &of); err != nil || from != r || of != size {
			return fmt.Errorf("rank %d says %q", r, line)
		}
		fmt.Fprintf(out, "hello from rank %d of %d\n", from, of)
	}
	return nil
}

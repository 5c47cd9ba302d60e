// Command hello starts, communicates with the other ranks, prints its rank and its largest resident set in
// KiB, and ends: it shows the cost of a job that does nothing. bench compare measures it as hello. It does
// exactly what the corresponding program of the other runtimes does.
package main

import (
	"bytes"
	"os"
	"strconv"

	"rhinet/mpi"
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	if err := mpi.Barrier(world); err != nil {
		return err
	}
	_, err := os.Stdout.WriteString("hello " + strconv.Itoa(world.Rank()) + " " + strconv.Itoa(resident()) + "\n")
	return err
}

// resident returns the largest resident set of this process so far, in KiB; 0 where the system does not
// tell.
func resident() int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(text, []byte("VmHWM:"))
	kib := 0
	if f := bytes.Fields(rest); len(f) > 0 {
		kib, _ = strconv.Atoi(string(f[0]))
	}
	return kib
}

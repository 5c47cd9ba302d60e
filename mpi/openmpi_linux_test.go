package mpi_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"rhinet/internal/kvs/pmix"
	"rhinet/internal/need"
)

// underOpenMPI returns the command that starts ranks of a program by Open MPI's
// launcher.
func underOpenMPI(t *testing.T, ranks int, program ...string) *exec.Cmd {
	t.Helper()
	return exec.Command(need.Program(t, "mpirun.openmpi"), append([]string{"--allow-run-as-root", "--oversubscribe", "-n", fmt.Sprint(ranks)}, program...)...)
}

// TestOpenMPIWithoutPMIx: a program that cannot talk to Open MPI's launcher says what
// to do, and does not become several worlds of one rank.
func TestOpenMPIWithoutPMIx(t *testing.T) {
	if pmix.Built {
		return
	}
	foreignJob{"good", "", 1, []string{"OMPI_COMM_WORLD_SIZE=2 shows that another launcher started this process as one of several",
		"build the program with -tags pmix, start it with rhinet's mpirun"}}.run(t, underOpenMPI(t, 2, os.Args[0]))
	foreignJob{"good", "", 0, []string{"0 1 3"}}.run(t, underOpenMPI(t, 1, os.Args[0]))
}

//go:build pmix

package mpi_test

import (
	"os"
	"os/exec"
	"testing"

	"rhinet/internal/slurmtest"
)

// TestPMIxOfOpenMPI runs ranks that Open MPI's launcher has started.
func TestPMIxOfOpenMPI(t *testing.T) {
	for _, tc := range launched {
		tc.run(t, underOpenMPI(t, 3, os.Args[0]))
	}
	two := underOpenMPI(t, 1, os.Args[0])
	two.Args = append(two.Args, ":", "-n", "2", os.Args[0])
	foreignJob{"which", "", 0, []string{"0 0 true", "1 1 true", "2 1 true"}}.run(t, two)
	kernels(t, "pmix", func(args ...string) *exec.Cmd { return underOpenMPI(t, 4, args...) }, "is", "cg", "mg")
}

// TestPMIxOfOpenMPIEnds: ranks whose launcher is gone end, also those that wait.
func TestPMIxOfOpenMPIEnds(t *testing.T) {
	launcherIsKilled(t, underOpenMPI(t, 2, os.Args[0]))
}

// TestPMIxOfSlurm runs ranks that Slurm's launcher has started.
func TestPMIxOfSlurm(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Here(1))
	srun := func() *exec.Cmd { return c.Srun("--mpi=pmix", "-K", "-n3", os.Args[0]) }
	for _, tc := range launched {
		tc.run(t, srun())
	}
}

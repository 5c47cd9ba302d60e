package mpi_test

import (
	"os"
	"os/exec"
	"testing"

	"rhinet/internal/slurmtest"
)

// TestSlurm runs ranks that Slurm's launcher has started. With -K it ends a job after a
// rank was killed.
func TestSlurm(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Here(2))
	srun := func(flags ...string) *exec.Cmd {
		return c.Srun(append([]string{"--mpi=pmi2", "-K"}, flags...)...)
	}
	for _, tc := range launched {
		tc.run(t, srun("-n3", os.Args[0]))
	}
	foreignJob{"which", "", 0, []string{"0 0 false", "1 0 false", "2 0 false"}}.run(t, srun("-n3", os.Args[0])) // it does not tell
	foreignJob{"good", "", 0, []string{"0 3 9", "1 3 9", "2 3 9"}}.run(t, srun("-N2", "-n3", os.Args[0]))
	foreignJob{"good", "RHINET_NIC=ofi", 1, []string{"build it with -tags ofi"}}.run(t, srun("-N2", "-n3", os.Args[0]))
	for _, flag := range []string{"--mpi=none", "--mpi=pmix"} {
		foreignJob{"good", "", 1, []string{"SLURM_STEP_NUM_TASKS=2 shows that another launcher started this process as one of several", "srun --mpi=pmi2"}}.run(t, srun(flag, "-n2", os.Args[0]))
	}
	kernels(t, "", func(args ...string) *exec.Cmd { return srun(append([]string{"-n4"}, args...)...) }, "ep", "is", "cg", "mg", "ft", "lu", "bt", "sp")
}

// TestSlurmIsKilled: ranks whose launcher is gone end, also those that wait.
func TestSlurmIsKilled(t *testing.T) {
	c := slurmtest.Start(t, slurmtest.Here(1))
	launcherIsKilled(t, c.Srun("--mpi=pmi2", "-u", "-n2", os.Args[0]))
}

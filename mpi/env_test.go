package mpi

import (
	"errors"
	"strings"
	"testing"

	"rhinet/internal/pmi"
	"rhinet/llc/nics"
)

// environment is a getenv made of NAME=VALUE lines.
func environment(lines ...string) func(string) string {
	return func(name string) string {
		for _, l := range lines {
			if n, v, _ := strings.Cut(l, "="); n == name {
				return v
			}
		}
		return ""
	}
}

func TestTheEnvironmentOfMpirunIsRead(t *testing.T) {
	s, err := readEnvironment(environment("RHINET_JOB=version=1 rank=2 size=5 fabric=3 life=4 nic=martini cpus=8 later=x", "RHINET_DEBUG=1"), 77)
	if want := (setup{
		job:   pmi.Job{Rank: 2, Size: 5, App: pmi.None, Fabric: 3, Life: 4, NIC: "martini", CPUs: 8, Observe: pmi.None},
		watch: nics.Debug{Requests: true},
	}); err != nil || s != want {
		t.Errorf("got %+v, %v; want %+v", s, err, want)
	}
}

// MPI 4.1, section 11.10.2: a program started alone is a world of one rank.
func TestWithoutALauncherTheWorldHasOneRank(t *testing.T) {
	for _, env := range [][]string{
		nil,
		{"PMI_SIZE=1", "PMI_RANK=0"},
		{"OMPI_COMM_WORLD_SIZE=1"},
		{"SLURM_NTASKS=8", "SLURM_PROCID=0"}, // inside a batch script, which sets these for every program
		{"RHINET_INIT=76 active"},            // of the process that started this one
		{"PMIX_NAMESPACE=job", "PMIX_RANK=0", "OMPI_COMM_WORLD_SIZE=1"},
		{"FLUX_JOB_SIZE=4"},
	} {
		s, err := readEnvironment(environment(env...), 77)
		if err != nil || s.job != (pmi.Job{Size: 1, App: pmi.None, Fabric: pmi.None, Life: pmi.None, Observe: pmi.None}) {
			t.Errorf("%v: got %+v, %v", env, s, err)
		}
	}
}

// A launcher that can be asked is asked, also if it only sets the rank.
func TestALauncherThatTellsTheJob(t *testing.T) {
	for _, env := range [][]string{
		{"PMI_FD=9", "PMI_SIZE=4", "PMI_RANK=0"},
		{"PMI_FD=9", "PMI_RANK=1"},
		{"PMI_FD=9", "SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID=1"},
	} {
		if s, err := readEnvironment(environment(env...), 77); err != nil || s.managed != byPMI {
			t.Errorf("%v: got %+v, %v", env, s, err)
		}
	}
	for _, env := range [][]string{
		{"PMI_FD=9", "PMI_SIZE=1", "PMI_RANK=0"},
		{"PMI_FD=9", "PMI_SIZE=2", "RHINET_JOB=version=1 rank=0 size=2 fabric=3 life=4 nic=martini"},
	} {
		if s, err := readEnvironment(environment(env...), 77); err != nil || s.managed != unmanaged {
			t.Errorf("%v: got %+v, %v", env, s, err)
		}
	}
}

func TestAWrongEnvironmentIsAnErrorThatNamesIt(t *testing.T) {
	const job = "RHINET_JOB=version=1 rank=0 size=2 fabric=3 life=4 nic=martini"
	for _, tc := range []struct {
		env   []string
		class Class
		want  string
	}{
		{[]string{"RHINET_DEBUG=yes"}, ErrInit, `RHINET_DEBUG: nothing to watch is called "yes"; there are requests, contract, buffers, checksum`},
		{[]string{"RHINET_NIC=pigeon"}, ErrInit, "RHINET_NIC=pigeon: no such network interface; there is cenju4, "},
		{[]string{"RHINET_NIC=martini+tcp"}, ErrInit, "RHINET_NIC=martini+tcp: for jobs on several hosts only; name one network interface"},
		{[]string{"RHINET_JOB=nonsense"}, ErrInit, `RHINET_JOB is "nonsense": this program speaks version 1; build it and mpirun from the same rhinet`},
		{[]string{"RHINET_JOB=version=2 rank=0 size=2 fabric=3"}, ErrInit, "this program speaks version 1"},
		{[]string{"RHINET_JOB=version=1 rank=x size=2"}, ErrInit, "rank=x is not a number"},
		{[]string{"PMI_SIZE=4", "PMI_RANK=0"}, ErrInit, "PMI_SIZE=4 shows that another launcher started this process as one of several"},
		{[]string{"OMPI_COMM_WORLD_SIZE=2"}, ErrInit, "OMPI_COMM_WORLD_SIZE=2 shows"},
		{[]string{"MPI_LOCALNRANKS=2"}, ErrInit, "MPI_LOCALNRANKS=2 shows"},
		{[]string{"SLURM_NTASKS=2", "SLURM_STEP_ID=0", "SLURM_PROCID=1"}, ErrInit, "SLURM_NTASKS=2 shows"},
		{[]string{"SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID=1"}, ErrInit, "SLURM_STEP_NUM_TASKS=2 shows"},
		{[]string{"PMIX_RANK=3"}, ErrInit, "PMIX_RANK=3 shows"},
		{[]string{"JSM_NAMESPACE_SIZE=2"}, ErrInit, "JSM_NAMESPACE_SIZE=2 shows"},
		{[]string{"FLUX_JOB_SIZE=2", "FLUX_TASK_RANK=0"}, ErrInit, "FLUX_JOB_SIZE=2 shows"},
		{[]string{"PALS_RANKID=1"}, ErrInit, "PALS_RANKID=1 shows"},
		{[]string{"ALPS_APP_PE=1"}, ErrInit, "ALPS_APP_PE=1 shows"},
		{[]string{"PMI_SIZE=4"}, ErrInit, "srun --mpi=pmi2, or unset the variable"},
		{[]string{job, "RHINET_INIT=77 active"}, ErrInit, "the process has called Init before; pass on its communicator"},
		{[]string{"RHINET_INIT=77 finalized"}, ErrFinalized, "the process has called Finalize, after which its use of MPI cannot begin again on the library of another MPI"},
		{[]string{"RHINET_INIT=77 sessions"}, ErrFinalized, "is over, because it begins only once on the library of another MPI; keep a session open"},
	} {
		_, err := readEnvironment(environment(tc.env...), 77)
		if !errors.Is(err, tc.class) || !strings.HasPrefix(err.Error(), "mpi: Init: ") || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: got %v", tc.env, err)
		}
	}
}

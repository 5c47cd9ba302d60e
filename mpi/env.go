package mpi

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"rhinet/collectives"
	"rhinet/internal/kvs"
	"rhinet/internal/kvs/launcher"
	"rhinet/internal/kvs/pmix"
	"rhinet/internal/libmpi"
	"rhinet/internal/onesided"
	"rhinet/internal/pmi"
	"rhinet/llc/nics"
)

// The variables by which a launcher configures a rank.
const (
	envJob  = pmi.Variable  // what mpirun tells a rank, a pmi.Job
	envInit = "RHINET_INIT" // records the call of Init in a process: "pid state"
	envNIC  = nics.Variable // where mpirun does not choose the network interface

	// envIface names the interface, or the address, by which hosts of another launcher's job reach each other.
	envIface = "RHINET_IFACE"

	envDebug = nics.DebugVariable
	envForce = collectives.ForceVariable
	envWin   = onesided.Variable
)

// A setup is how a process becomes a rank.
type setup struct {
	job     pmi.Job
	managed management // interface to ask another launcher for the job
	store   kvs.Store  // of the launcher, where managed
	force   string
	windows string
	watch   nics.Debug

	library string // shim of the library of another MPI that carries the messages; see [libmpi.Variable]

	wanted string // profile that the launcher asks for; see [pmi.Profile]
}

// A management is the process management interface of a launcher.
type management int

const (
	unmanaged management = iota
	byPMI
	byPMIx
)

// readEnvironment finds the setup of process pid.
func readEnvironment(getenv func(string) string, pid int) (setup, error) {
	state, mine := strings.CutPrefix(getenv(envInit), strconv.Itoa(pid)+" ")
	switch {
	case mine && state == stateActive:
		return setup{}, mayInit(state)
	case mine && state == stateFinalized:
		return setup{}, initError(ErrFinalized, "the process has called Finalize, after which its use of MPI cannot begin again on the library of another MPI, or in a program that has replaced it; keep a session open, beside which others can be opened")
	case mine:
		return setup{}, initError(ErrFinalized, "the use of MPI by this process is over, because it begins only once on the library of another MPI; keep a session open, beside which others can be opened")
	}
	watch, err := nics.ParseDebug(getenv(envDebug))
	if err != nil {
		return setup{}, initError(ErrInit, "%s: %v", envDebug, err)
	}
	alone := pmi.Single(0, 1)
	alone.NIC = getenv(envNIC)
	s := setup{job: alone, force: getenv(envForce), windows: getenv(envWin), watch: watch, wanted: getenv(pmi.ProfileVariable)}
	if s.library = getenv(libmpi.Variable); s.library != "" {
		if getenv(envJob) != "" {
			return s, initError(ErrInit, "%s names the library of another MPI, which knows nothing of jobs of rhinet's mpirun; start the program with the launcher of that library, or unset the variable", libmpi.Variable)
		}
		return s, nil
	}
	if job := getenv(envJob); job != "" {
		if s.job, err = pmi.Decode(job); err != nil {
			return s, initError(ErrInit, "%v", err)
		}
		return s, nil
	}
	evidence := otherLauncher(getenv)
	switch {
	case evidence == "":
		if err := oneHost(cmp.Or(alone.NIC, nics.Default)); err != nil {
			return s, initError(ErrInit, "%v", err)
		}
		return s, nil
	case launcher.Speaks(getenv):
		s.managed = byPMI
	case pmix.Speaks(getenv) && pmix.Built:
		s.managed = byPMIx
	default:
		return s, initError(ErrInit, "%s shows that another launcher started this process as one of several, which it cannot know of; "+
			"%s with rhinet's mpirun, MPICH's mpiexec.hydra or srun --mpi=pmi2, or unset the variable to run it alone", evidence, remedy(getenv))
	}
	return s, nil
}

// oneHost returns what is wrong with the network interface that the environment names for ranks of one host.
func oneHost(name string) error {
	err := nics.Check(name)
	if _, spread := nics.Spread(name); err != nil && spread == nil {
		return fmt.Errorf("%s=%s: for jobs on several hosts only; name one network interface", envNIC, name)
	}
	if err != nil {
		return fmt.Errorf("%s=%s: %w", envNIC, name, err)
	}
	return nil
}

// remedy says what to do about a launcher that cannot be asked for the job.
func remedy(getenv func(string) string) string {
	if pmix.Speaks(getenv) {
		return "build the program with -tags pmix, start it"
	}
	return "start the program"
}

// The states of a process in envInit.
const (
	stateActive    = "active"    // it has a world
	stateFinalized = "finalized" // it had one
	stateSessions  = "sessions"  // it has or had sessions, and no world
)

// markEnvironment records the state of process pid, and hides the job from programs that
// this process may start: they inherit the environment, but have other numbers.
func markEnvironment(pid int, state string) {
	for _, name := range slices.Concat(launcher.Variables(), pmix.Variables(), []string{envJob}) {
		os.Unsetenv(name)
	}
	os.Setenv(envInit, fmt.Sprintf("%d %s", pid, state))
}

// otherLauncher returns an assignment of the environment that shows that a launcher
// started this process as one of several, or "".
func otherLauncher(getenv func(string) string) string {
	single := false
	for _, v := range []struct {
		size string // number of processes
		also string // must be set too: a batch job alone sets size for every program
	}{
		{"PMI_SIZE", ""},
		{"OMPI_COMM_WORLD_SIZE", ""},
		{"MPI_LOCALNRANKS", ""},
		{"MV2_COMM_WORLD_SIZE", ""},
		{"JSM_NAMESPACE_SIZE", ""},
		{"FLUX_JOB_SIZE", "FLUX_TASK_RANK"},
		{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
		{"SLURM_NTASKS", "SLURM_STEP_ID"},
	} {
		n, err := strconv.Atoi(getenv(v.size))
		if err != nil || v.also != "" && getenv(v.also) == "" {
			continue
		}
		if n > 1 {
			return v.size + "=" + getenv(v.size)
		}
		single = true
	}
	// Other launchers do not set the size in the environment.
	for _, v := range []string{"PMI_RANK", "PMIX_RANK", "PALS_RANKID", "ALPS_APP_PE"} {
		if r, err := strconv.Atoi(getenv(v)); err == nil && r > 0 {
			return v + "=" + getenv(v)
		}
	}
	if pmix.Speaks(getenv) && !single {
		return "PMIX_RANK=" + getenv("PMIX_RANK")
	}
	return ""
}

// initError is an error of Init.
func initError(class Class, format string, args ...any) error {
	var none *Comm
	return none.errorAt(at("Init"), class, format, args...)
}

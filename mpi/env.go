package mpi

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"rhinet/collectives"
	"rhinet/internal/pmi"
	"rhinet/llc/nics"
)

// The variables through which a launcher and a rank speak.
const (
	envJob  = pmi.Variable  // what mpirun tells a rank, a pmi.Job
	envInit = "RHINET_INIT" // what a process remembers of Init: "pid state"
	envNIC  = "RHINET_NIC"  // the network interface of a world of one rank

	envDebug = nics.DebugVariable
	envForce = collectives.ForceVariable
)

// A setup is how a process becomes a rank.
type setup struct {
	job   pmi.Job
	force string
	watch nics.Debug
}

// readEnvironment finds the setup of process pid.
func readEnvironment(getenv func(string) string, pid int) (setup, error) {
	state, mine := strings.CutPrefix(getenv(envInit), strconv.Itoa(pid)+" ")
	switch {
	case mine && state == stateFinalized:
		return setup{}, initError(ErrFinalized, "the process has called Finalize; MPI can be initialized only once")
	case mine:
		return setup{}, initError(ErrInit, "the process has called Init before; pass on its communicator")
	}
	watch, err := nics.ParseDebug(getenv(envDebug))
	if err != nil {
		return setup{}, initError(ErrInit, "%s: %s", envDebug, strings.TrimPrefix(err.Error(), "nics: "))
	}
	alone := pmi.Job{Size: 1, Fabric: pmi.None, Life: pmi.None, NIC: getenv(envNIC)}
	s := setup{job: alone, force: getenv(envForce), watch: watch}
	if job := getenv(envJob); job != "" {
		if s.job, err = pmi.Decode(job); err != nil {
			return s, initError(ErrInit, "%v", err)
		}
		return s, nil
	}
	if launcher := otherLauncher(getenv); launcher != "" {
		return s, initError(ErrInit, "%s shows that another launcher started this process as one of several, which it cannot know of; "+
			"start the program with rhinet's mpirun, or unset the variable to run it alone", launcher)
	}
	return s, nil
}

// The states of a process in envInit.
const (
	stateActive    = "active"
	stateFinalized = "finalized"
)

// markEnvironment notes that process pid has called Init or Finalize, and
// hides the job from programs that this process may start. The environment is
// the one memory that belongs to the process and not to this package.
func markEnvironment(pid int, state string) {
	os.Unsetenv(envJob)
	os.Setenv(envInit, fmt.Sprintf("%d %s", pid, state))
}

// otherLauncher returns the assignment that shows a launcher which means this
// process to be one of several, or "".
func otherLauncher(getenv func(string) string) string {
	for _, v := range []struct {
		size string // number of processes
		also string // must be set too: a batch job alone sets size for every program
	}{
		{"PMI_SIZE", ""},
		{"OMPI_COMM_WORLD_SIZE", ""},
		{"MPI_LOCALNRANKS", ""},
		{"MV2_COMM_WORLD_SIZE", ""},
		{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
		{"SLURM_NTASKS", "SLURM_STEP_ID"},
	} {
		n, err := strconv.Atoi(getenv(v.size))
		if err == nil && n > 1 && (v.also == "" || getenv(v.also) != "") {
			return v.size + "=" + getenv(v.size)
		}
	}
	// These two launchers may tell the size only to those who ask them.
	for _, v := range []string{"PMI_RANK", "PMIX_RANK"} {
		if r, err := strconv.Atoi(getenv(v)); err == nil && r > 0 {
			return v + "=" + getenv(v)
		}
	}
	return ""
}

// initError is an error of Init.
func initError(class Class, format string, args ...any) error {
	var none *Comm
	return none.errorAt(at("Init"), class, format, args...)
}

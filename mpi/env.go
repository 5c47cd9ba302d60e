package mpi

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"rhinet/collectives"
	"rhinet/llc/nics"
)

// The variables through which a launcher and a rank speak.
const (
	envJob  = "RHINET_JOB"  // what mpirun tells a rank: "version=1 rank=R size=N fabric=FD life=FD nic=NAME cpus=C"
	envInit = "RHINET_INIT" // what a process remembers of Init: "pid state"
	envNIC  = "RHINET_NIC"  // the network interface of a world of one rank

	envDebug = nics.DebugVariable
	envForce = collectives.ForceVariable
)

// jobVersion is the version of the format of envJob.
const jobVersion = 1

// A setup is how a process becomes a rank.
type setup struct {
	rank, size   int
	fabric, life int // descriptors; -1: none
	nic          string
	force        string
	cpus         int // processors that all ranks share; 0: unknown
	watch        nics.Debug
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
	s := setup{size: 1, fabric: -1, life: -1, nic: getenv(envNIC), force: getenv(envForce), watch: watch}
	if job := getenv(envJob); job != "" {
		return s, s.parse(job)
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

// parse reads the value of envJob.
func (s *setup) parse(job string) error {
	s.rank, s.size = -1, -1
	version := -1
	numbers := map[string]*int{"version": &version, "rank": &s.rank, "size": &s.size, "fabric": &s.fabric, "life": &s.life, "cpus": &s.cpus}
	for field := range strings.FieldsSeq(job) {
		key, value, _ := strings.Cut(field, "=")
		if key == "nic" {
			s.nic = value
			continue
		}
		p := numbers[key]
		if p == nil {
			continue // of a later mpirun, which says so with the version if it matters
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return initError(ErrInit, "%s is %q: %s is not a number; start the program with rhinet's mpirun", envJob, job, field)
		}
		*p = n
	}
	switch {
	case version != jobVersion:
		return initError(ErrInit, "%s is %q: this program speaks version %d; build it and mpirun from the same rhinet", envJob, job, jobVersion)
	case s.size < 1 || s.rank < 0 || s.rank >= s.size:
		return initError(ErrInit, "%s is %q: rank and size are missing or do not fit; start the program with rhinet's mpirun", envJob, job)
	case s.fabric < 0:
		return initError(ErrInit, "%s is %q: fabric is missing; start the program with rhinet's mpirun", envJob, job)
	}
	return nil
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

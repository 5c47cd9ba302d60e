package launch

import (
	"fmt"
	"io"
	"os"
	"time"
)

// A Bind says how ranks are bound to cores.
type Bind uint8

// The kinds of binding.
const (
	BindAuto Bind = iota // BindCore if every rank can have a core of its own, else BindNone
	BindCore             // each rank runs on its own share of the usable cores
	BindNone             // the kernel moves ranks freely
)

// A Part is one program of a job and the ranks that run it. A job with several parts is what MPI calls
// multiple program, multiple data (MPI 4.1, section 11.5).
type Part struct {
	Ranks   int      // number of ranks, at least 1
	Program string   // an executable, or a Go main package
	Args    []string // arguments after the program's name
	Dir     string   // working directory; empty: the launcher's
	Env     []string // NAME=VALUE, on top of Job.Env
}

// A Job describes a job to the launcher.
type Job struct {
	Name     string        // prefix of messages, such as "mpirun"
	Parts    []Part        // at least one; ranks are numbered in this order
	MaxRanks int           // largest number of ranks that the fabric can hold
	Env      []string      // NAME=VALUE for every rank, on top of the launcher's own environment
	NIC      string        // network interface of the ranks
	Tuning   string        // encoded settings of package internal/tuning for the ranks; empty: none
	TunedBy  string        // where the settings come from, for messages
	BuildTag string        // build tag for Go packages; empty: none
	Bind     Bind          // binding to cores
	Tag      bool          // prefix every line of output with the rank
	Stamp    bool          // prefix every line of output with the time
	Merge    bool          // the ranks' standard error goes to Stdout as well
	Verbose  bool          // print the placement before the start
	Timeout  time.Duration // end the job after this time; 0: never
	Stall    time.Duration // end the job when all ranks have waited without progress for this time; 0: never
	Debug    []int         // ranks that run under a debugger

	// For a job on several hosts; without Hosts the ranks run here.
	Hosts     []Host
	Launcher  []string // command that starts a command on a host: host and command are appended to it
	Daemon    []string // command of the daemon, which calls [Daemon]
	Interface string   // network interface by which hosts reach this one, or its address; empty: any
	Store     string   // key-value store through which ranks find each other; empty: the launcher's own
	Preload   bool     // send executables to the hosts; programs that are built here are always sent
	Gather    Gathering
	Take      func(*Parcel) // receives the records that Gather asks for, part by part, from one goroutine at a time

	// KeepGoing has the other ranks continue when one fails, and tells them.
	KeepGoing bool

	// RingMemory limits the bytes of the packet rings that each rank grants; 0: no limit.
	RingMemory int

	Stdin  *os.File  // read by rank 0; nil: nothing to read
	Stdout io.Writer // takes the ranks' standard output
	Stderr io.Writer // takes the ranks' standard error and the launcher's messages

	// Observe is memory for the statistics and events of the ranks, or nil. Open may set it.
	Observe *os.File

	// Open creates the fabric of a job with the given number of ranks. It is called once everything else
	// has been checked.
	Open func(ranks int) (Fabric, error)
}

// Exit statuses of the launcher itself. Otherwise the status of a job is that of the first rank that
// failed, or 128 + signal if a signal ended it.
const (
	StatusFailed  = 1   // the job failed, and no rank has a status that says so
	StatusUsage   = 2   // the request cannot be carried out; no rank was started
	StatusTimeout = 124 // Job.Timeout has passed
	statusSignal  = 128
)

// Size returns the number of ranks of all parts.
func (j *Job) Size() int {
	n := 0
	for i := range j.Parts {
		n += j.Parts[i].Ranks
	}
	return n
}

// check returns what is wrong with a job, without looking at the file system.
func (j *Job) check() error {
	if len(j.Parts) == 0 {
		return fmt.Errorf("no program given")
	}
	for _, p := range j.Parts {
		if p.Program == "" {
			return fmt.Errorf("no program given")
		}
		if p.Ranks < 1 || p.Ranks > j.MaxRanks {
			return fmt.Errorf("%d ranks of %s: a job has 1 to %d ranks", p.Ranks, p.Program, j.MaxRanks)
		}
	}
	if n := j.Size(); n > j.MaxRanks {
		return fmt.Errorf("%d ranks in all: a job has at most %d", n, j.MaxRanks)
	}
	return j.checkHosts()
}

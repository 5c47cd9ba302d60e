package compare

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rhinet/bench"
	"rhinet/bench/peer"
)

// A Runtime is one MPI runtime under test.
type Runtime struct {
	Name string
	// command returns the command that runs a job with the given measuring time per size; nil says that
	// this runtime has nothing to run for the job.
	command func(job []Cell, budget time.Duration) []string
	// read takes the figures from the output of the command, which may be incomplete.
	read func(job []Cell, text string, elapsed time.Duration) ([]Sample, error)
	// slow finds what was skipped because it would take too long; nil: nothing is skipped.
	slow func(text string) []TooSlow
	env  []string // added to the environment

	version string // "" if unknown
}

// Ours is this runtime with a setting: the launcher mpirun, the benchmark program self, and the program
// hello.
func Ours(mpirun, self, hello string, s Setting) Runtime {
	return Runtime{
		Name: s.Name,
		command: func(job []Cell, budget time.Duration) []string {
			c := job[0]
			if c.Test == Hello {
				return s.launch(mpirun, c.Ranks, hello)
			}
			args := s.launch(mpirun, c.Ranks, self, "pmb", "--npmin", strconv.Itoa(c.Ranks))
			sizes := c.Bytes
			for _, c := range job {
				args = append(args, c.Test)
				if !c.sizeless() { // which takes no other
					sizes = c.Bytes
				}
			}
			return append(args, "--sizes", join(sizes), "--steady", "--time", budget.String(), "--format", "csv")
		},
		read: rows(parseSuite),
		env:  s.Env,
	}
}

// Flags of the suite that our program and those of the peers have.
const (
	OwnBarrier = "--own-barrier" // a barrier of messages between collective calls, the same on all runtimes, instead of the runtime's own
	Fresh      = "--fresh"       // ranks write what they send before each collective call, and read what they have received
)

// With returns the runtime with a flag of the suite.
func (r Runtime) With(flag string) Runtime {
	plain := r.command
	r.command = func(job []Cell, budget time.Duration) []string { return append(plain(job, budget), flag) }
	return r
}

// A kind is a C runtime as packaged by Debian.
type kind struct {
	name, title, mpicc, launcher, packages string
	fits, oversubscribed                   []string // launcher's flags when ranks fit the cores, and when not

	// Between hosts: the launcher's flags, with parts that [Hosts.launch] fills in; what is added if there
	// are more ranks than processors; the flag for the number of ranks; and why no memory is shared.
	between, yield []string
	ranks, network string
}

var kinds = []kind{
	{"openmpi", "Open MPI", "mpicc.openmpi", "mpirun.openmpi", "openmpi-bin libopenmpi-dev",
		[]string{"--allow-run-as-root", "--bind-to", "core", "-np"}, []string{"--allow-run-as-root", "--oversubscribe", "-np"},
		[]string{"--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--map-by", "slot", "--mca", "plm", "rsh", "--mca", "plm_rsh_agent", "AGENT",
			"--mca", "oob_tcp_if_include", "SUBNET", "--mca", "pml", "ob1", "--mca", "btl", "tcp,vader,self", "--mca", "btl_tcp_if_include", "SUBNET", "--host", "HOSTS"},
		[]string{"--mca", "mpi_yield_when_idle", "1"}, "-np", "pml ob1 with btl tcp, and vader (shared memory) between ranks of one host"},
	{"mpich", "MPICH", "mpicc.mpich", "mpiexec.mpich", "mpich libmpich-dev",
		[]string{"-bind-to", "core", "-n"}, []string{"-n"},
		[]string{"-launcher", "ssh", "-launcher-exec", "AGENT", "-iface", "INTERFACE", "-genv", "UCX_TLS", "tcp,self", "-genv", "UCX_NET_DEVICES", "INTERFACE", "-hosts", "HOSTS"},
		nil, "-n", "UCX_TLS=tcp,self, and its own shared memory between ranks of one host"},
}

// version asks the launcher for its version.
func (k kind) version(ctx context.Context) string {
	text, err := exec.CommandContext(ctx, k.launcher, "--version").Output()
	if err != nil {
		return ""
	}
	return versionNumber.FindString(string(text))
}

var versionNumber = regexp.MustCompile(`[0-9]+\.[0-9]+(\.[0-9]+)?`)

// Title is the name of a runtime as spelled by its makers, with its version if the result has it.
func (res *Result) Title(name string) string {
	title := name
	if k, err := find(name); err == nil {
		title = k.title
	}
	if v := res.Versions[name]; v != "" {
		title += " " + v
	}
	return title
}

// PeerNames returns the names of the C runtimes that can be used for comparison.
func PeerNames() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// CheckPeers reports the first of names that is not such a runtime.
func CheckPeers(names []string) error {
	for i, name := range names {
		if _, err := find(name); err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("runtime %s is named twice", name)
		}
	}
	return nil
}

// ErrNoPeers says that a runtime for comparison is not installed.
var ErrNoPeers = errors.New("a runtime to compare with is missing")

// Installed reports the first of names whose compiler or launcher is missing: an ErrNoPeers that says what
// to install.
func Installed(names []string) error {
	for _, name := range names {
		k, err := find(name)
		if err != nil {
			return err
		}
		for _, tool := range []string{k.mpicc, k.launcher} {
			if _, err := exec.LookPath(tool); err != nil {
				return fmt.Errorf("%w: %s is not in PATH; install it (Debian: apt-get install %s)", ErrNoPeers, tool, k.packages)
			}
		}
	}
	return nil
}

// Peers compiles the peers' program in dir for the named C runtimes. If one is missing, the error is an
// ErrNoPeers that says what to install.
func Peers(ctx context.Context, names []string, dir string) ([]Runtime, error) {
	compile := func(mpicc string) (string, error) { return peer.Compile(ctx, mpicc, dir) }
	return peers(ctx, names, nil, compile, peerBudget, slow)
}

func peerBudget(budget time.Duration) []string { return []string{peer.Budget(budget)} }

// peers makes a runtime of each named C runtime. Its command is the program made by compile, first with the
// arguments first and then with each test of the job and its sizes, run on h; slow is as in Runtime.
func peers(ctx context.Context, names []string, h *Hosts, compile func(mpicc string) (string, error),
	first func(budget time.Duration) []string, slow func(string) []TooSlow) (all []Runtime, err error) {
	for _, name := range names {
		k, err := installed(name)
		if err != nil {
			return nil, err
		}
		bin, err := compile(k.mpicc)
		if err != nil {
			return nil, err
		}
		all = append(all, Runtime{
			Name: k.name,
			command: func(job []Cell, budget time.Duration) []string {
				args := append(append(h.launch(k, job[0].Ranks), bin), first(budget)...)
				for _, c := range job {
					args = append(args, c.Test, join(c.Bytes))
				}
				return args
			},
			read:    rows(peer.Parse),
			slow:    slow,
			version: k.version(ctx),
		})
	}
	return all, nil
}

// Launch returns the compiler driver of a C runtime and the start of the command that runs a job of the
// given number of ranks on it. If it is missing, the error is an [ErrNoPeers].
func Launch(name string, ranks int) (mpicc string, launch []string, err error) {
	k, err := installed(name)
	if err != nil {
		return "", nil, err
	}
	return k.mpicc, k.launch(ranks), nil
}

// installed is find for a C runtime that must be installed: see [Installed].
func installed(name string) (kind, error) {
	k, err := find(name)
	if err == nil {
		err = Installed([]string{name})
	}
	return k, err
}

func find(name string) (kind, error) {
	k, known, ok := bench.Pick(kinds, func(k kind) string { return k.name }, name)
	if !ok {
		return kind{}, fmt.Errorf("unknown runtime %q; the others are %s", name, known)
	}
	return k, nil
}

func join(sizes []int) string {
	text := make([]string, len(sizes))
	for i, n := range sizes {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}

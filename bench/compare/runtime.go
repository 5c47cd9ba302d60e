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

	"rhinet/bench/peer"
)

// A Runtime is one MPI runtime under test.
type Runtime struct {
	Name string
	// command returns the argument list that runs a job with the given time a
	// size; nil says that this runtime has nothing to run for it.
	command func(job []Cell, budget time.Duration) []string
	// read takes the figures from what the command printed, all or a part.
	read func(job []Cell, text string, elapsed time.Duration) ([]Sample, error)
	// slow finds what was left out because it would take too long; nil: nothing is.
	slow func(text string) []TooSlow
	env  []string // added to the environment

	version string // "" if it is not known
}

// Ours is this runtime with a setting: the launcher mpirun, the benchmark
// program self, and the program that only says hello.
func Ours(mpirun, self, hello string, s Setting) Runtime {
	return Runtime{
		Name: s.Name,
		command: func(job []Cell, budget time.Duration) []string {
			c := job[0]
			args := append([]string{mpirun}, s.flags()...)
			args = append(args, "-n", strconv.Itoa(c.Ranks))
			if c.Test == Hello {
				return append(args, hello)
			}
			args = append(args, self)
			args = append(args, "pmb", "--npmin", strconv.Itoa(c.Ranks))
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

// A kind is a C runtime as Debian packages it.
type kind struct {
	name, title, mpicc, launcher, packages string
	fits, crowded                          []string // launcher's flags when ranks fit the cores, and when not
}

var kinds = []kind{
	{"openmpi", "Open MPI", "mpicc.openmpi", "mpirun.openmpi", "openmpi-bin libopenmpi-dev",
		[]string{"--allow-run-as-root", "--bind-to", "core", "-np"}, []string{"--allow-run-as-root", "--oversubscribe", "-np"}},
	{"mpich", "MPICH", "mpicc.mpich", "mpiexec.mpich", "mpich libmpich-dev",
		[]string{"-bind-to", "core", "-n"}, []string{"-n"}},
}

// version asks the launcher.
func (k kind) version(ctx context.Context) string {
	text, err := exec.CommandContext(ctx, k.launcher, "--version").Output()
	if err != nil {
		return ""
	}
	return versionNumber.FindString(string(text))
}

var versionNumber = regexp.MustCompile(`[0-9]+\.[0-9]+(\.[0-9]+)?`)

// Title is the name of a runtime as its makers write it, with its version where a
// result says it.
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

// CheckPeers reports the first of names that is not a runtime to compare with.
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

// ErrNoPeers says that a runtime to compare with is not installed.
var ErrNoPeers = errors.New("a runtime to compare with is missing")

// Installed reports the first of names whose compiler or launcher is not
// there: ErrNoPeers, worded as what to install.
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

// Peers compiles the peers' program in dir for the named C runtimes.
// A missing one is ErrNoPeers, worded as what to install.
func Peers(ctx context.Context, names []string, dir string) ([]Runtime, error) {
	var runtimes []Runtime
	for _, name := range names {
		k, err := find(name)
		if err != nil {
			return nil, err
		}
		if err := Installed([]string{name}); err != nil {
			return nil, err
		}
		bin, err := peer.Compile(ctx, k.mpicc, dir)
		if err != nil {
			return nil, err
		}
		runtimes = append(runtimes, Runtime{
			Name: k.name,
			command: func(job []Cell, budget time.Duration) []string {
				args := append(k.launch(job[0].Ranks), bin, strconv.FormatFloat(budget.Seconds()*1e3, 'f', 3, 64))
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
	return runtimes, nil
}

// Launch returns the compiler driver of a C runtime and the beginning of the
// command that runs a job of so many ranks on it. A missing one is [ErrNoPeers].
func Launch(name string, ranks int) (mpicc string, launch []string, err error) {
	k, err := find(name)
	if err == nil {
		err = Installed([]string{name})
	}
	if err != nil {
		return "", nil, err
	}
	return k.mpicc, k.launch(ranks), nil
}

func find(name string) (kind, error) {
	var known []string
	for _, k := range kinds {
		if k.name == name {
			return k, nil
		}
		known = append(known, k.name)
	}
	return kind{}, fmt.Errorf("unknown runtime %q; the others are %s", name, strings.Join(known, ", "))
}

func join(sizes []int) string {
	text := make([]string, len(sizes))
	for i, n := range sizes {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, ",")
}

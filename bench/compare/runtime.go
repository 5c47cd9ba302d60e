package compare

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"rhinet/bench"
	"rhinet/bench/peer"
)

// A Runtime is one MPI runtime under test.
type Runtime struct {
	Name string
	// command returns the argument list that runs cell with the given time a
	// size; nil says that this runtime has nothing to run for the cell.
	command func(c Cell, budget time.Duration) []string
	// read takes the figures from what the command printed.
	read func(c Cell, text string, elapsed time.Duration) ([]Sample, error)
	env  []string // added to the environment
}

// Ours is this runtime with a setting: the launcher mpirun, the benchmark
// program self, and the program that only says hello.
func Ours(mpirun, self, hello string, s Setting) Runtime {
	return Runtime{
		Name: s.Name,
		command: func(c Cell, budget time.Duration) []string {
			args := append([]string{mpirun}, s.flags()...)
			args = append(args, "-n", strconv.Itoa(c.Ranks))
			if c.Test == Hello {
				return append(args, hello)
			}
			args = append(args, self)
			if inSuite(c.Test) {
				args = append(args, "pmb", "--npmin", strconv.Itoa(c.Ranks))
			}
			return append(args, c.Test, "--sizes", join(c.Bytes), "--time", budget.String(), "--format", "csv")
		},
		read: func(c Cell, text string, elapsed time.Duration) ([]Sample, error) {
			if inSuite(c.Test) {
				return rows(parseSuite)(c, text, elapsed)
			}
			return rows(bench.ParseCSV)(c, text, elapsed)
		},
		env: s.Env,
	}
}

// A kind is a C runtime as Debian packages it.
type kind struct {
	name, mpicc, launcher, packages string
	fits, crowded                   []string // launcher's flags when ranks fit the cores, and when not
}

var kinds = []kind{
	{"openmpi", "mpicc.openmpi", "mpirun.openmpi", "openmpi-bin libopenmpi-dev",
		[]string{"--allow-run-as-root", "--bind-to", "core", "-np"}, []string{"--allow-run-as-root", "--oversubscribe", "-np"}},
	{"mpich", "mpicc.mpich", "mpiexec.mpich", "mpich libmpich-dev",
		[]string{"-bind-to", "core", "-n"}, []string{"-n"}},
}

// CheckPeers reports the first of names that is not a runtime to compare with.
func CheckPeers(names []string) error {
	for _, name := range names {
		if _, err := find(name); err != nil {
			return err
		}
	}
	return nil
}

// ErrNoPeers says that a runtime to compare with is not installed.
var ErrNoPeers = errors.New("a runtime to compare with is missing")

// Peers compiles the peers' program in dir for the named C runtimes.
// A missing one is ErrNoPeers, worded as what to install.
func Peers(ctx context.Context, names []string, dir string) ([]Runtime, error) {
	var runtimes []Runtime
	for _, name := range names {
		k, err := find(name)
		if err != nil {
			return nil, err
		}
		for _, tool := range []string{k.mpicc, k.launcher} {
			if _, err := exec.LookPath(tool); err != nil {
				return nil, fmt.Errorf("%w: %s is not in PATH; install it (Debian: apt-get install %s)", ErrNoPeers, tool, k.packages)
			}
		}
		bin, err := peer.Compile(ctx, k.mpicc, dir)
		if err != nil {
			return nil, err
		}
		runtimes = append(runtimes, Runtime{
			Name: k.name,
			command: func(c Cell, budget time.Duration) []string {
				return append(k.launch(c.Ranks), bin, c.Test, join(c.Bytes), strconv.FormatFloat(budget.Seconds()*1e3, 'f', 0, 64))
			},
			read: rows(peer.Parse),
		})
	}
	return runtimes, nil
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

// measure runs one cell once. Its error says which runtime failed and how.
func (r Runtime) measure(ctx context.Context, c Cell, budget, limit time.Duration) ([]Sample, error) {
	args := r.command(c, budget)
	if args == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(append(os.Environ(), "OMPI_MCA_btl_base_warn_component_unused=0"), r.env...)
	inGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err := cmd.Run()
	elapsed := time.Since(start)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%s: %s on %d ranks did not end within %v", r.Name, c.Test, c.Ranks, limit)
	case err != nil:
		return nil, fmt.Errorf("%s: %s on %d ranks: %v: %s", r.Name, c.Test, c.Ranks, err, strings.TrimSpace(errs.String()))
	}
	samples, err := r.read(c, out.String(), elapsed)
	if err != nil {
		return nil, fmt.Errorf("%s: %s on %d ranks %w", r.Name, c.Test, c.Ranks, err)
	}
	for i := range samples {
		samples[i].Runtime = r.Name
	}
	return samples, nil
}

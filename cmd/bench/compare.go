package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench/compare"
)

func compareCommand(out, errs io.Writer) *cobra.Command {
	var (
		opts           compare.Options
		tests, peers   []string
		format, launch string
		file           string
		short, quiet   bool
	)
	c := &cobra.Command{
		Use:   "compare",
		Short: "Run the same measurements here, on Open MPI and on MPICH in turn, and print medians and ratios",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := compare.CheckFormat(format); err != nil {
				return usage(err)
			}
			if opts.Rounds < 1 {
				return usage(fmt.Errorf("--rounds %d is less than 1", opts.Rounds))
			}
			if opts.Budget <= 0 || opts.Limit <= 0 {
				return usage(fmt.Errorf("--time and --limit must be positive durations, such as 100ms"))
			}
			if err := compare.CheckPeers(peers); err != nil {
				return usage(err)
			}
			plan := compare.Full()
			if short {
				plan = compare.Short()
			}
			var err error
			if opts.Cells, err = compare.Select(plan, tests); err != nil {
				return usage(err)
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			var save *output
			if file != "" {
				if save, err = create(file); err != nil {
					return usage(fmt.Errorf("--out: %w", err))
				}
				defer save.discard()
			}
			dir, err := os.MkdirTemp("", "rhinet-bench-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			others, err := compare.Peers(ctx, peers, dir)
			if err != nil {
				return err
			}
			ours, err := ourselves(ctx, launch, dir)
			if err != nil {
				return err
			}
			opts.Progress = func(int, int, string) {}
			if !quiet && isTerminal(errs) {
				opts.Progress = func(done, all int, what string) {
					fmt.Fprintf(errs, "\r\033[K%3d %%  %s", done*100/all, what)
				}
				defer fmt.Fprint(errs, "\r\033[K")
			}
			res, err := compare.Run(ctx, append([]compare.Runtime{ours}, others...), opts)
			if err != nil {
				return err
			}
			if save != nil {
				if err := save.commit(res); err != nil {
					return err
				}
			}
			return res.Write(out, format)
		},
	}
	f := c.Flags()
	f.IntVar(&opts.Rounds, "rounds", 8, "rounds in rotated order")
	f.DurationVar(&opts.Budget, "time", 50*time.Millisecond, "measuring time of one size")
	f.DurationVar(&opts.Limit, "limit", time.Minute, "longest time of one command; a runtime that hangs is noted")
	f.StringSliceVar(&tests, "tests", nil, "tests to run (default: all of the plan)")
	f.StringSliceVar(&peers, "peers", []string{"openmpi", "mpich"}, "runtimes to compare with")
	f.StringVar(&format, "format", "table", "output format: "+compare.Formats)
	f.StringVar(&launch, "mpirun", "", "our mpirun (default: beside this program, or built)")
	f.StringVar(&file, "out", "", "also write everything measured to this file, as JSON")
	f.BoolVar(&short, "short", false, "a plan of seconds that touches every kind of cell")
	f.BoolVar(&quiet, "quiet", false, "no progress on the terminal")
	return c
}

// ourselves returns the runtime under test: this very program under the
// mpirun named, found beside it, or built into dir.
func ourselves(ctx context.Context, launch, dir string) (compare.Runtime, error) {
	self, err := os.Executable()
	if err != nil {
		return compare.Runtime{}, err
	}
	if launch == "" {
		launch = filepath.Join(filepath.Dir(self), "mpirun")
		if _, err := os.Stat(launch); err != nil {
			launch = filepath.Join(dir, "mpirun")
			text, err := exec.CommandContext(ctx, "go", "build", "-o", launch, "rhinet/cmd/mpirun").CombinedOutput()
			if err != nil {
				return compare.Runtime{}, usage(fmt.Errorf("no mpirun beside this program, and it cannot be built here (%v: %s); name it with --mpirun", err, strings.TrimSpace(string(text))))
			}
		}
	} else if _, err := exec.LookPath(launch); err != nil {
		return compare.Runtime{}, usage(fmt.Errorf("--mpirun %s is not a program", launch))
	}
	return compare.Ours(launch, self), nil
}

// An output is a result file in the making: a temporary file beside it that
// takes its place when whole, so that an older result is lost only to a new
// one, and a bad place is found before anything is measured.
type output struct {
	file string
	tmp  *os.File
}

func create(file string) (*output, error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return nil, err
	}
	return &output{file, tmp}, nil
}

func (o *output) commit(res *compare.Result) error {
	if err := res.Encode(o.tmp); err != nil {
		return err
	}
	if err := o.tmp.Chmod(0o644); err != nil {
		return err
	}
	return os.Rename(o.tmp.Name(), o.file)
}

// discard removes what commit has not put in place.
func (o *output) discard() {
	o.tmp.Close()
	os.Remove(o.tmp.Name())
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"rhinet/bench"
	"rhinet/bench/compare"
)

// A results command makes a folder of result files, one set after another.
type results struct {
	out, errs         io.Writer
	dir               string
	short             bool
	peers, references []string
	mpi               string // of the references
	launch            string
}

func resultsCommand(out, errs io.Writer) *cobra.Command {
	r := &results{out: out, errs: errs}
	c := &cobra.Command{
		Use:   "results DIR",
		Short: "Make a folder of results: comparisons, the suite, NIC and PM levels, kernels, and the report of all; again, it goes on where it was",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usage(errors.New("name one folder to write to, such as results/2026-01-31"))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			r.dir = filepath.Clean(args[0])
			return r.run()
		},
	}
	f := c.Flags()
	f.BoolVar(&r.short, "short", false, "the same sets in seconds, to see that all works")
	f.StringSliceVar(&r.peers, "peers", []string{"openmpi", "mpich"}, "runtimes to compare with")
	f.StringArrayVar(&r.references, "reference", nil, "folder of compiled originals of the kernels, as for bench compare npb; may be repeated")
	f.StringVar(&r.mpi, "reference-mpi", "", "the MPI of the originals: openmpi or mpich (default: the one they are linked with)")
	f.StringVar(&r.launch, "mpirun", "", "our mpirun (default: beside this program, or built)")
	return c
}

// run makes what the folder lacks.
func (r *results) run() error {
	if os.Getenv(rankVariable) != "" {
		return usage(errors.New("results are made by processes of their own; run it without mpirun"))
	}
	if err := compare.CheckPeers(r.peers); err != nil {
		return usage(err)
	}
	if err := compare.Installed(r.peers); err != nil {
		return err
	}
	if _, _, err := compare.References(r.references, r.mpi, nil); err != nil {
		return usage(err)
	}
	if err := ofReferences(r.mpi, r.references); err != nil {
		return err
	}
	if err := r.place(); err != nil {
		return usage(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p, err := newPlace(ctx)
	if err != nil {
		return err
	}
	defer p.close()
	tools := map[string]string{}
	if tools["bench"], err = os.Executable(); err != nil {
		return err
	}
	if tools["mpirun"], err = p.program(r.launch, "mpirun"); err != nil {
		return err
	}
	if err := bench.MakeFolder(r.dir); err != nil {
		return usage(err)
	}
	if err := r.fits(); err != nil { // not at the end of it all
		return usage(err)
	}
	lock, err := lockFolder(r.dir)
	if errors.Is(err, errLost) {
		return usage(fmt.Errorf("another command is at work in %s", r.dir))
	}
	if err != nil {
		return usage(err)
	}
	defer lock.Close()
	if tools["npb"], err = p.program("", "npb"); err != nil {
		return err
	}
	return r.produce(ctx, r.steps(), tools)
}

// place reports why the folder cannot be made or written to, before anything is
// built. The folder itself may be missing; a path to it that is not there is more
// likely a slip, and would be noticed late.
func (r *results) place() error {
	if _, err := os.Stat(r.dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return bench.MakeFolder(r.dir)
	}
	if err := bench.CheckFolder(filepath.Dir(r.dir)); err != nil {
		return fmt.Errorf("%s is not there: %w", r.dir, err)
	}
	return nil
}

// fits reports what stands in the folder where the last step writes.
func (r *results) fits() error {
	if err := reportPage(filepath.Join(r.dir, reportFile)).Check(); err != nil {
		return err
	}
	plots := filepath.Join(r.dir, plotsFolder)
	if _, err := os.Stat(plots); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return bench.MakeFolder(plots)
}

// produce carries out the steps whose files are not there. tools are the paths
// of the programs that steps name.
func (r *results) produce(ctx context.Context, steps []step, tools map[string]string) error {
	log, err := readLog(filepath.Join(r.dir, "commands.txt"))
	if err != nil {
		return usage(err)
	}
	var left time.Duration
	for _, s := range steps {
		done, err := log.done(r.dir, s)
		if err != nil {
			return usage(err)
		}
		if !done {
			left += s.takes
		}
	}
	start := time.Now()
	for i, s := range steps {
		done, err := log.done(r.dir, s)
		if err != nil {
			return err
		}
		if done {
			fmt.Fprintf(r.errs, "[%d/%d] %s: is there\n", i+1, len(steps), s.file)
			continue
		}
		fmt.Fprintf(r.errs, "[%d/%d] %s: %s (about %v of %v left)\n", i+1, len(steps), s.file, s.command(), s.takes, left)
		left -= s.takes
		if err := log.begin(s); err != nil {
			return err
		}
		if err := r.step(ctx, s, tools); err != nil {
			if ctx.Err() != nil {
				err = errors.New("interrupted")
			}
			return fmt.Errorf("%s: %w; what is there stays, and the same command goes on", filepath.Join(r.dir, s.file), err)
		}
	}
	_, err = fmt.Fprintf(r.out, "%s: %s, %v\n", r.dir, bench.Number(len(steps), "set"), time.Since(start).Round(time.Second))
	return err
}

// step runs one command, and puts what it prints in its place when it has
// ended well.
func (r *results) step(ctx context.Context, s step, tools map[string]string) error {
	args := append([]string{tools[s.args[0]]}, s.args[1:]...)
	for i, a := range args[1:] {
		if tools[a] != "" && s.args[0] == "mpirun" {
			args[i+1] = tools[a]
		}
	}
	if s.keeps {
		file := filepath.Join(r.dir, s.stem()+".json")
		args = append(args, "--out", file, "--mpirun", tools["mpirun"])
		for _, have := range []string{file, file + ".part"} {
			if _, err := os.Stat(have); err == nil {
				args = append(args, "--resume")
				break
			}
		}
	}
	out, err := os.Create(filepath.Join(r.dir, s.file+".new")) // the next run takes the same, should this one be killed
	if err != nil {
		return err
	}
	return bench.Place(out, filepath.Join(r.dir, s.file), func(out *os.File) error {
		runtime.LockOSThread() // what attend says at this process's death is said at its thread's
		defer runtime.UnlockOSThread()
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = out, r.errs
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 20 * time.Second
		attend(cmd)
		return cmd.Run()
	})
}

// A step makes one file, or with keeps also the JSON beside it.
type step struct {
	file  string   // what the command prints goes here
	args  []string // bench or mpirun, and what follows
	keeps bool     // the command takes --out and --resume
	again bool     // it is made anew each time
	takes time.Duration
}

func (s step) stem() string { return strings.TrimSuffix(s.file, filepath.Ext(s.file)) }

// command is the step's command as a user would write it.
func (s step) command() string {
	text := strings.Join(s.args, " ")
	if s.keeps {
		text += " --out " + s.stem() + ".json"
	}
	return text
}

// Package results makes a folder of result files: by a plan of commands, each of which writes one file, and
// a log of which command made which file, so that the same command continues an interrupted run and does
// not overwrite other files.
package results

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"rhinet/bench"
	"rhinet/bench/report"
)

// Options say which results a folder has.
type Options struct {
	Dir               string
	Short             bool     // short versions that take seconds
	Peers, References []string // runtimes, and folders of compiled originals, to compare with
	MPI               string   // of the originals; "": the one they are linked with
}

// CheckPlace returns why the folder cannot be created or written to, before anything is built. The folder
// itself may be missing; a missing parent is more likely a mistake, and would be noticed late.
func (o Options) CheckPlace() error {
	if _, err := os.Stat(o.Dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return bench.MakeFolder(o.Dir)
	}
	if err := bench.CheckFolder(filepath.Dir(o.Dir)); err != nil {
		return fmt.Errorf("%s is not there: %w", o.Dir, err)
	}
	return nil
}

// CheckFiles reports files of other origin in the folder where the last step writes.
func (o Options) CheckFiles() error {
	if err := report.PageFile(filepath.Join(o.Dir, reportFile)).Check(); err != nil {
		return err
	}
	plots := filepath.Join(o.Dir, plotsFolder)
	if _, err := os.Stat(plots); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return bench.MakeFolder(plots)
}

// Produce makes what is missing in the folder. tools are the paths of bench, mpirun and npb; progress goes
// to errs, and a final line to out. If the input is wrong, nothing is changed.
func (o Options) Produce(ctx context.Context, tools map[string]string, out, errs io.Writer) error {
	return (&production{o.Dir, tools, out, errs}).produce(ctx, o.steps())
}

// A production makes a folder.
type production struct {
	dir       string
	tools     map[string]string
	out, errs io.Writer
}

// produce runs the steps whose files do not exist.
func (p *production) produce(ctx context.Context, steps []step) error {
	log, err := readLog(filepath.Join(p.dir, "commands.txt"))
	if err != nil {
		return bench.Input(err)
	}
	var left time.Duration
	for _, s := range steps {
		done, err := log.done(p.dir, s)
		if err != nil {
			return bench.Input(err)
		}
		if !done {
			left += s.takes
		}
	}
	start := time.Now()
	for i, s := range steps {
		done, err := log.done(p.dir, s)
		if err != nil {
			return err
		}
		if done {
			fmt.Fprintf(p.errs, "[%d/%d] %s: is there\n", i+1, len(steps), s.file)
			continue
		}
		fmt.Fprintf(p.errs, "[%d/%d] %s: %s (about %v of %v left)\n", i+1, len(steps), s.file, s.command(), s.takes, left)
		left -= s.takes
		if err := log.begin(s); err != nil {
			return err
		}
		if err := p.step(ctx, s); err != nil {
			if ctx.Err() != nil {
				err = errors.New("interrupted")
			}
			return fmt.Errorf("%s: %w; what is there stays, and the same command goes on", filepath.Join(p.dir, s.file), err)
		}
	}
	_, err = fmt.Fprintf(p.out, "%s: %s, %v\n", p.dir, bench.Number(len(steps), "set"), time.Since(start).Round(time.Second))
	return err
}

// step runs one command, and moves its output to its place when it has succeeded.
func (p *production) step(ctx context.Context, s step) error {
	args := append([]string{p.tools[s.args[0]]}, s.args[1:]...)
	for i, a := range args[1:] {
		if p.tools[a] != "" && s.args[0] == "mpirun" {
			args[i+1] = p.tools[a]
		}
	}
	if s.keeps {
		file := filepath.Join(p.dir, s.stem()+".json")
		args = append(args, "--out", file, "--mpirun", p.tools["mpirun"])
		for _, have := range []string{file, file + ".part"} {
			if _, err := os.Stat(have); err == nil {
				args = append(args, "--resume")
				break
			}
		}
	}
	out, err := os.Create(filepath.Join(p.dir, s.file+".new")) // if this run is killed, the next one uses the same name
	if err != nil {
		return err
	}
	return bench.Place(out, filepath.Join(p.dir, s.file), func(out *os.File) error {
		runtime.LockOSThread() // the death signal of attend is tied to this thread
		defer runtime.UnlockOSThread()
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = out, p.errs
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = 20 * time.Second
		attend(cmd)
		return cmd.Run()
	})
}

// A step makes one file, or with keeps also a JSON file beside it.
type step struct {
	file  string   // file for the command's output
	args  []string // bench or mpirun, and its arguments
	keeps bool     // the command takes --out and --resume
	again bool     // it is run again each time
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

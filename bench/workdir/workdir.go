// Package workdir is where a command of bench builds programs and stores files while it runs: a temporary
// directory that is removed when the command ends, however it ends.
package workdir

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"rhinet/bench"
	"rhinet/internal/scratch"
)

// A Dir is a temporary directory.
type Dir struct {
	Context context.Context // ends what is done in the directory
	*scratch.Dir
}

// New makes a directory in the folder for temporary files, and removes those that killed commands have left
// there.
func New(ctx context.Context) (Dir, error) {
	d, err := scratch.Make(os.TempDir(), "rhinet-bench-")
	if err != nil {
		return Dir{}, fmt.Errorf("cannot make a folder to work in: %w (TMPDIR names another place)", err)
	}
	return Dir{ctx, d}, nil
}

// Open makes a directory whose context is cancelled by a signal to end. The caller must call done when it
// needs neither any more.
func Open() (d Dir, done func(), err error) {
	ctx, stop := UntilInterrupted()
	if d, err = New(ctx); err != nil {
		stop()
		return d, nil, err
	}
	return d, func() { _ = d.Remove(); stop() }, nil
}

// UntilInterrupted returns a context that is cancelled by a signal to end.
func UntilInterrupted() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// Program returns the path of one of our programs: the one named, the one next to this program, or else a
// new build.
func (d Dir) Program(named, name string) (string, error) {
	if named != "" {
		if _, err := exec.LookPath(named); err != nil {
			return "", bench.Input(fmt.Errorf("--%s %s is not a program", name, named))
		}
		return named, nil
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	path := filepath.Join(filepath.Dir(self), name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if path, err = d.build(name, name); err != nil {
		return "", bench.Input(fmt.Errorf("no %s beside this program, and %w; name it with --%s", name, err, name))
	}
	return path, nil
}

// Tagged returns the path of one of our programs, built with a tag: NAME-TAG next to this program, or else
// a new build.
func (d Dir) Tagged(name, tag string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	file := name + "-" + tag
	path := filepath.Join(filepath.Dir(self), file)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if path, err = d.build(name, file, "-tags", tag); err != nil {
		return "", bench.Input(fmt.Errorf("%s needs the tag %s here, and %w; run this in the folder of rhinet, or put %s beside this program (go build -tags %s -o %s ./cmd/%s)", name, tag, err, file, tag, file, name))
	}
	return path, nil
}

// build builds one of our programs in the directory.
func (d Dir) build(name, file string, flags ...string) (string, error) {
	path := filepath.Join(d.Path, file)
	words := append(append([]string{"build", "-o", path}, flags...), "rhinet/cmd/"+name)
	if text, err := exec.CommandContext(d.Context, "go", words...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("it cannot be built here (%v: %s)", err, strings.TrimSpace(string(text)))
	}
	return path, nil
}

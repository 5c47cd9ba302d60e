// Package workdir is where a command of bench builds programs and stores files while it runs: a temporary
// directory that is removed when the command ends, however it ends.
package workdir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"rhinet/bench"
)

// prefix is the start of the name of every directory.
const prefix = "rhinet-bench-"

// A Dir is a temporary directory. A command that is killed cannot remove its own; the next command that
// makes a directory does. It recognises abandoned ones by the lock that every living command holds on its
// directory.
type Dir struct {
	Context context.Context // ends what is done in the directory
	Path    string
	lock    *os.File
}

// New makes a directory in the folder for temporary files, and removes those that killed commands have left
// there.
func New(ctx context.Context) (Dir, error) {
	sweep(os.TempDir())
	for {
		dir, err := os.MkdirTemp("", prefix)
		if err != nil {
			return Dir{}, fmt.Errorf("cannot make a folder to work in: %w (TMPDIR names another place)", err)
		}
		lock, err := Lock(dir)
		switch {
		case err == nil:
			return Dir{ctx, dir, lock}, nil
		case !errors.Is(err, ErrLost):
			return Dir{}, errors.Join(err, os.RemoveAll(dir))
		}
	}
}

// Open makes a directory whose context is cancelled by a signal to end. The caller must call done when it
// needs neither any more.
func Open() (d Dir, done func(), err error) {
	ctx, stop := UntilInterrupted()
	if d, err = New(ctx); err != nil {
		stop()
		return d, nil, err
	}
	return d, func() { _ = d.Close(); stop() }, nil
}

// UntilInterrupted returns a context that is cancelled by a signal to end.
func UntilInterrupted() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// Close removes the directory.
func (d Dir) Close() error {
	return errors.Join(os.RemoveAll(d.Path), d.lock.Close())
}

// ErrLost says that a folder belongs, or belonged, to another command.
var ErrLost = errors.New("the folder is another's")

// Lock locks a folder without waiting. The system releases the lock when the file is closed, also at the
// end of the process.
func Lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if os.IsNotExist(err) {
		return nil, ErrLost
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrLost
		}
		return nil, err
	}
	// Another command may have removed the folder before it was locked.
	held, err := f.Stat()
	if err == nil {
		if now, gone := os.Lstat(dir); gone != nil || !os.SameFile(held, now) {
			err = ErrLost
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes this user's directories in a folder that are no longer locked. Those that cannot be removed
// stay, which does not prevent measuring.
func sweep(in string) {
	dirs, _ := filepath.Glob(filepath.Join(in, prefix+"*"))
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Getuid() {
			continue
		}
		if lock, err := Lock(dir); err == nil {
			os.RemoveAll(dir)
			lock.Close()
		}
	}
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

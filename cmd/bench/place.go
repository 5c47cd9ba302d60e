package main

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
)

// placePrefix begins the name of every place's folder.
const placePrefix = "rhinet-bench-"

// A place is where programs are built: a folder that is gone when the command
// ends. A command that is killed cannot remove it; the next one that makes a
// place does. It knows by the lock that every living command holds on its own.
type place struct {
	ctx  context.Context
	dir  string
	lock *os.File
}

// newPlace makes a place in the folder for temporary files, and removes those
// that killed commands left there.
func newPlace(ctx context.Context) (place, error) {
	sweep(os.TempDir())
	for {
		dir, err := os.MkdirTemp("", placePrefix)
		if err != nil {
			return place{}, fmt.Errorf("cannot make a folder to work in: %w (TMPDIR names another place)", err)
		}
		lock, err := lockFolder(dir)
		switch {
		case err == nil:
			return place{ctx, dir, lock}, nil
		case !errors.Is(err, errLost):
			return place{}, errors.Join(err, os.RemoveAll(dir))
		}
	}
}

// openPlace makes a place whose context a signal to end cancels. The caller calls
// closePlace when it needs neither any more.
func openPlace() (p place, closePlace func(), err error) {
	ctx, stop := untilInterrupted()
	if p, err = newPlace(ctx); err != nil {
		stop()
		return p, nil, err
	}
	return p, func() { _ = p.close(); stop() }, nil
}

// untilInterrupted returns a context that a signal to end cancels.
func untilInterrupted() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

func (p place) close() error {
	return errors.Join(os.RemoveAll(p.dir), p.lock.Close())
}

// errLost says that a folder is, or was, another command's to lock.
var errLost = errors.New("the folder is another's")

// lockFolder takes the lock of a folder without waiting. The system lets go of
// it when the file is closed, also by the death of the process.
func lockFolder(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_DIRECTORY, 0)
	if os.IsNotExist(err) {
		return nil, errLost
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errLost
		}
		return nil, err
	}
	// Between the making and the locking somebody may have swept it away.
	held, err := f.Stat()
	if err == nil {
		if now, gone := os.Lstat(dir); gone != nil || !os.SameFile(held, now) {
			err = errLost
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes this user's places in a folder that nobody holds any more.
// What cannot be removed stays: it is no reason not to measure.
func sweep(in string) {
	dirs, _ := filepath.Glob(filepath.Join(in, placePrefix+"*"))
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Getuid() {
			continue
		}
		if lock, err := lockFolder(dir); err == nil {
			os.RemoveAll(dir)
			lock.Close()
		}
	}
}

// program returns the path of one of our programs: the one named, the one
// beside this program, or one built for the occasion.
func (p place) program(named, name string) (string, error) {
	if named != "" {
		if _, err := exec.LookPath(named); err != nil {
			return "", usage(fmt.Errorf("--%s %s is not a program", name, named))
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
	if path, err = p.build(name, name); err != nil {
		return "", usage(fmt.Errorf("no %s beside this program, and %w; name it with --%s", name, err, name))
	}
	return path, nil
}

// tagged returns the path of one of our programs, built with a tag: NAME-TAG beside this program, or one
// built for the occasion.
func (p place) tagged(name, tag string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	file := name + "-" + tag
	path := filepath.Join(filepath.Dir(self), file)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if path, err = p.build(name, file, "-tags", tag); err != nil {
		return "", usage(fmt.Errorf("%s needs the tag %s here, and %w; run this in the folder of rhinet, or put %s beside this program (go build -tags %s -o %s ./cmd/%s)", name, tag, err, file, tag, file, name))
	}
	return path, nil
}

// build builds one of our programs as a file of the place.
func (p place) build(name, file string, flags ...string) (string, error) {
	path := filepath.Join(p.dir, file)
	words := append(append([]string{"build", "-o", path}, flags...), "rhinet/cmd/"+name)
	if text, err := exec.CommandContext(p.ctx, "go", words...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("it cannot be built here (%v: %s)", err, strings.TrimSpace(string(text)))
	}
	return path, nil
}

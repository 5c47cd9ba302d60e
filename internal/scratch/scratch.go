// Package scratch makes temporary directories that do not outlive their users for long. Who uses one holds a lock on
// it, and the next one that is made removes those that are no longer locked: a process that is killed cannot remove
// its own. Unlike a process number in the name, a lock is also reliable between containers that share a directory.
package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// A Dir is a temporary directory that this process has locked.
type Dir struct {
	Path string
	lock *os.File
}

// Make makes a directory in parent, whose name begins with prefix, and removes the abandoned ones with that prefix
// there that are this user's.
func Make(parent, prefix string) (*Dir, error) {
	sweep(parent, prefix)
	for {
		path, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return nil, err
		}
		lock, err := Lock(path)
		switch {
		case err == nil:
			return &Dir{path, lock}, nil
		case !errors.Is(err, ErrLost): // else a sweep came before the lock
			return nil, errors.Join(err, os.RemoveAll(path))
		}
	}
}

// Remove removes the directory with its contents, and releases the lock.
func (d *Dir) Remove() error { return errors.Join(os.RemoveAll(d.Path), d.lock.Close()) }

// ErrLost says that a directory belongs, or belonged, to another process.
var ErrLost = errors.New("the folder is another's")

// Lock locks a directory without waiting, or fails with ErrLost. The system releases the lock when the file is closed,
// also at the end of the process.
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
	// Another process may have removed the directory before it was locked.
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

// sweep removes this user's directories in parent that are no longer locked. What cannot be removed stays.
func sweep(parent, prefix string) {
	paths, _ := filepath.Glob(filepath.Join(parent, prefix+"*"))
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() {
			continue
		}
		if s, ok := info.Sys().(*syscall.Stat_t); !ok || int(s.Uid) != os.Getuid() {
			continue
		}
		if lock, err := Lock(path); err == nil {
			os.RemoveAll(path)
			lock.Close()
		}
	}
}

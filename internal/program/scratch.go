package program

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// scratchPrefix is the start of the name of every scratch directory.
const scratchPrefix = "rhinet-build-"

// A scratch is a private directory that does not outlive its user for long: the user holds a lock on it,
// and the next process that makes a scratch removes those that are no longer locked. Unlike a process
// number in the name, a lock is also reliable between containers that share a directory.
type scratch struct {
	path string
	lock *os.File
}

// newScratch makes a directory in parent and removes abandoned ones there.
func newScratch(parent string) (*scratch, error) {
	sweep(parent)
	for {
		path, err := os.MkdirTemp(parent, scratchPrefix)
		if err != nil {
			return nil, fmt.Errorf("cannot make a directory to build in: %w (TMPDIR names another place)", err)
		}
		s, err := lockScratch(path)
		if err != nil {
			os.RemoveAll(path)
			return nil, fmt.Errorf("cannot lock %s: %w", path, err)
		}
		if s != nil {
			return s, nil
		}
	}
}

// lockScratch locks a directory that has just been made. It returns nil if a sweep has removed the
// directory before it was locked.
func lockScratch(path string) (*scratch, error) {
	lock, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		lock.Close()
		return nil, err
	}
	if _, err := os.Lstat(path); err != nil {
		lock.Close()
		return nil, nil
	}
	return &scratch{path, lock}, nil
}

// remove removes the directory with its contents and releases the lock.
func (s *scratch) remove() {
	os.RemoveAll(s.path)
	s.lock.Close()
}

// sweep removes the scratch directories in parent that belong to this system user and are no longer locked.
func sweep(parent string) {
	paths, _ := filepath.Glob(filepath.Join(parent, scratchPrefix+"*"))
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() {
			continue
		}
		if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
			continue
		}
		dir, err := os.Open(path)
		if err != nil {
			continue
		}
		if syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			os.RemoveAll(path)
		}
		dir.Close()
	}
}

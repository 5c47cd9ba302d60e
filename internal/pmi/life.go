package pmi

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

// keepOpen tells what to do if a program between mpirun and this one closes descriptors that it does not
// know, as some languages do by default.
const keepOpen = "whatever starts this program within a job must pass on the descriptors that mpirun opened (in Python: close_fds=False)"

// Follow has this process end when the mpirun that started it ends, in whatever way. It does nothing in a
// process that was not started by mpirun. An error says that the job names a wrong descriptor.
func (j Job) Follow() error {
	if j.Life < 0 {
		return nil
	}
	return WatchLife(j.Life, func() { j.Orphaned("mpirun") })
}

// Orphaned ends this process, whose launcher has ended, and reports it on standard error.
func (j Job) Orphaned(launcher string) {
	fmt.Fprintf(os.Stderr, "rank %d: %s is gone\n", j.Rank, launcher)
	os.Exit(1)
}

// WatchLife calls gone when the other end of the pipe fd closes, which happens when mpirun ends in whatever
// way. A goroutine waits for it in the runtime's poller and costs no thread. A descriptor that is not a
// pipe is an error.
func WatchLife(fd int, gone func()) error {
	var st syscall.Stat_t
	err := syscall.Fstat(fd, &st)
	if err == nil {
		err = syscall.SetNonblock(fd, true)
	}
	if err != nil {
		return fmt.Errorf("%s: life=%d is not an open descriptor: %w; %s", Variable, fd, err, keepOpen)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return fmt.Errorf("%s: life=%d is not the pipe of mpirun; %s", Variable, fd, keepOpen)
	}
	syscall.CloseOnExec(fd)
	pipe := os.NewFile(uintptr(fd), "life of mpirun")
	go func() {
		_, err := io.Copy(io.Discard, pipe)
		if err == nil { // EOF
			gone()
		}
	}()
	return nil
}

package launch

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// forRank opens the pipe once more for a rank: the settings of arm belong to the open file, so ranks cannot
// share one. The caller closes it.
func (l *lifeline) forRank() (int, error) {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", l.read), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return unix.FcntlInt(uintptr(l.read), unix.F_DUPFD_CLOEXEC, 0) // no /proc here
	}
	return fd, nil
}

// arm has the kernel kill the process group of pid when the last write end is closed (signal-driven input,
// fcntl(2)). It works as long as a process of the group holds the pipe. A kernel without this feature is
// tolerated.
func (l *lifeline) arm(fd, pid int) {
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETOWN, -pid); err != nil {
		return
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETSIG, int(syscall.SIGKILL)); err != nil {
		return
	}
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_NONBLOCK|unix.O_ASYNC)
}

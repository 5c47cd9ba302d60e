package launch

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// forRank opens the pipe once more for a rank: what arm sets belongs to the
// open file, so that ranks cannot share one. The caller closes it.
func (l *life) forRank() (int, error) {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", l.read), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return unix.FcntlInt(uintptr(l.read), unix.F_DUPFD_CLOEXEC, 0) // no /proc here
	}
	return fd, nil
}

// arm has the kernel kill the group of process pid when the last end to write
// is closed (signal-driven input, fcntl(2)). It works as long as anyone of the
// group holds the pipe. A kernel that cannot do it does without.
func (l *life) arm(fd, pid int) {
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETOWN, -pid); err != nil {
		return
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETSIG, int(syscall.SIGKILL)); err != nil {
		return
	}
	_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_NONBLOCK|unix.O_ASYNC)
}

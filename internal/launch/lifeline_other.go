//go:build !linux

package launch

import "syscall"

// forRank duplicates the read end for a rank. The caller closes it.
func (l *lifeline) forRank() (int, error) {
	fd, err := syscall.Dup(l.read)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	return fd, err
}

// arm does nothing on this system: ranks notice the end of the pipe themselves.
func (*lifeline) arm(fd, pid int) {}

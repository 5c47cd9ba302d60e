//go:build !linux

package launch

import (
	"errors"
	"syscall"
	"time"
)

// rankAttr says how a rank is forked. There is no death signal on this system: only the lifeline ends
// ranks whose launcher was killed.
func rankAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitChild gives children time to end.
func awaitChild() bool {
	time.Sleep(5 * time.Millisecond)
	return true
}

// reapChild reaps one child that has ended or stopped, if there is one.
func reapChild() (pid int, ws syscall.WaitStatus, ok bool) {
	for {
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG|syscall.WUNTRACED, nil)
		if !errors.Is(err, syscall.EINTR) {
			return pid, ws, err == nil && pid > 0
		}
	}
}

// pipe returns a pipe whose read end is non-blocking; both ends close on exec.
func pipe() (r, w int, err error) {
	var p [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := syscall.Pipe(p[:]); err != nil {
		return -1, -1, err
	}
	syscall.CloseOnExec(p[0])
	syscall.CloseOnExec(p[1])
	if err := syscall.SetNonblock(p[0], true); err != nil {
		syscall.Close(p[0])
		syscall.Close(p[1])
		return -1, -1, err
	}
	return p[0], p[1], nil
}

// cpuTime returns 0: processor time is not known on this system.
func cpuTime(int) time.Duration { return 0 }

// oomKills returns 0: the number is not known on this system.
func oomKills() int { return 0 }

// dying returns false: it is not known whether a process is exiting.
func dying(int) bool { return false }

// runnable returns false: the states of threads are not known.
func runnable(int) bool { return false }

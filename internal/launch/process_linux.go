package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// rankAttr says how a rank is forked: it leads a process group, so that processes it starts can be ended
// with it, and the kernel kills it when the forking thread ends, which is when the launcher ends.
func rankAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitChild blocks until a child of the calling thread has ended or stopped, and reports whether there is
// any child at all. It ignores children forked by other threads of this process.
func awaitChild() bool {
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT|unix.WNOTHREAD, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// reapChild reaps one child of the calling thread that has ended or stopped, if there is one.
func reapChild() (pid int, ws syscall.WaitStatus, ok bool) {
	for {
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG|syscall.WUNTRACED|unix.WNOTHREAD, nil)
		if !errors.Is(err, syscall.EINTR) {
			return pid, ws, err == nil && pid > 0
		}
	}
}

// pipe returns a pipe whose read end is non-blocking, so that no thread blocks in it; both ends close on
// exec.
func pipe() (r, w int, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, -1, err
	}
	if err := unix.SetNonblock(p[0], true); err != nil {
		unix.Close(p[0])
		unix.Close(p[1])
		return -1, -1, err
	}
	return p[0], p[1], nil
}

// cpuTime returns how much processor time the threads of a process have used; 0 if the kernel does not
// tell.
func cpuTime(pid int) time.Duration {
	var sum time.Duration
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, name := range files {
		text, _ := os.ReadFile(name)
		used, _, _ := bytes.Cut(text, []byte{' '})
		ns, _ := strconv.ParseInt(string(used), 10, 64)
		sum += time.Duration(ns)
	}
	return sum
}

// runnable reports whether a thread of a process is running or runnable.
func runnable(pid int) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, name := range files {
		text, _ := os.ReadFile(name)
		if bytes.HasPrefix(text[bytes.LastIndexByte(text, ')')+1:], []byte(" R")) {
			return true
		}
	}
	return false
}

// oomKills returns how many processes the kernel has killed since boot because it was out of memory; 0 if
// it does not tell.
func oomKills() int {
	text, _ := os.ReadFile("/proc/vmstat")
	_, after, _ := bytes.Cut(text, []byte("\noom_kill "))
	count, _, _ := bytes.Cut(after, []byte{'\n'})
	n, _ := strconv.Atoi(string(count))
	return n
}

// exiting is the flag of a process that is exiting (PF_EXITING of the kernel's sched.h, shown in proc(5),
// stat).
const exiting = 4

// dying reports whether a process has begun to exit: its parent will be told soon. A process that is gone
// is not dying any more.
func dying(pid int) bool {
	if pid == 0 {
		return false
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	field := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // from the state on
	if len(field) < 7 {
		return false
	}
	flags, _ := strconv.ParseUint(string(field[6]), 10, 64)
	return flags&exiting != 0 || field[0][0] == 'Z' || field[0][0] == 'X' || killed(pid)
}

// killed reports whether a process has a pending SIGKILL.
func killed(pid int) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for _, name := range []string{"\nSigPnd:", "\nShdPnd:"} {
		_, after, _ := bytes.Cut(text, []byte(name))
		line, _, _ := bytes.Cut(after, []byte{'\n'})
		if set, _ := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 64); set&(1<<(syscall.SIGKILL-1)) != 0 {
			return true
		}
	}
	return false
}

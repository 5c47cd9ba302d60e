//go:build linux

package fabric

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// futexes says that a wake call ends a sleep.
const futexes = true

// Operations of futex(2), between processes.
const (
	futexOpWait = 0
	futexOpWake = 1
)

// futexWait blocks while *w is old, at most for d. It may return early.
func futexWait(w *uint32, old uint32, d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexOpWait, uintptr(old),
		uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// futexWake wakes one process that waits on w.
func futexWake(w *uint32) {
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexOpWake, 1, 0, 0, 0)
}

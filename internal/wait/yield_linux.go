//go:build (!amd64 && !arm64) || purego

package wait

import "syscall"

// yieldProcessor lets another thread of the machine run. The Go runtime is not told, because the call
// returns at once when no other thread is runnable.
func yieldProcessor() { syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }

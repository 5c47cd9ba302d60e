//go:build linux && (amd64 || arm64) && !purego

package wait

// yieldProcessor lets another thread of the machine run. The Go runtime is not told, because the call
// returns at once when no other thread is runnable. It stands for
// syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0), which lies on two other pages of code.
func yieldProcessor()

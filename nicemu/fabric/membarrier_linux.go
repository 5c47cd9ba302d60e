package fabric

import "golang.org/x/sys/unix"

// Commands of membarrier(2).
const (
	barrierQuery    = 0      // MEMBARRIER_CMD_QUERY
	barrierGlobal   = 1 << 1 // MEMBARRIER_CMD_GLOBAL_EXPEDITED
	barrierRegister = 1 << 2 // MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED
)

// barrierKnown reports whether the kernel has the commands of barrier and barrierReady. It does not block.
func barrierKnown() bool {
	has, _, errno := unix.RawSyscall(unix.SYS_MEMBARRIER, barrierQuery, 0, 0)
	return errno == 0 && has&(barrierGlobal|barrierRegister) == barrierGlobal|barrierRegister
}

// barrierReady makes this process a target of the barriers of others and reports whether the kernel
// supports that. In a process of several threads it blocks until all processors have passed through
// the scheduler, which takes about 10 ms.
func barrierReady() bool {
	_, _, errno := unix.Syscall(unix.SYS_MEMBARRIER, barrierRegister, 0, 0)
	return errno == 0
}

// barrier makes every processor that runs a thread of a registered process execute a full memory
// barrier. It does not block.
func barrier() bool {
	_, _, errno := unix.RawSyscall(unix.SYS_MEMBARRIER, barrierGlobal, 0, 0)
	return errno == 0
}

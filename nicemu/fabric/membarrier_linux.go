package fabric

import "golang.org/x/sys/unix"

// Commands of membarrier(2).
const (
	barrierGlobal   = 1 << 1 // MEMBARRIER_CMD_GLOBAL_EXPEDITED
	barrierRegister = 1 << 2 // MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED
)

// barrierReady makes this process a target of the barriers of others and
// reports whether the kernel can do that.
func barrierReady() bool { return membarrier(barrierRegister) }

// barrier makes every processor that runs a thread of a registered process
// pass a full memory barrier.
func barrier() bool { return membarrier(barrierGlobal) }

func membarrier(cmd uintptr) bool {
	_, _, errno := unix.RawSyscall(unix.SYS_MEMBARRIER, cmd, 0, 0)
	return errno == 0
}

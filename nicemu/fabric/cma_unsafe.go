//go:build linux

package fabric

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// transfer moves at most len(b) bytes, by cross-memory attach, between b and
// the address at of process pid. The call is raw: it is short, and the runtime
// need not know of it.
func transfer(trap uintptr, pid int, at uint64, b []byte) (int, syscall.Errno) {
	local := unix.Iovec{Base: unsafe.SliceData(b)}
	local.SetLen(len(b))
	remote := unix.RemoteIovec{Base: uintptr(at), Len: len(b)}
	n, _, errno := syscall.RawSyscall6(trap, uintptr(pid), uintptr(unsafe.Pointer(&local)), 1,
		uintptr(unsafe.Pointer(&remote)), 1, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}

func readSome(pid int, at uint64, b []byte) (int, syscall.Errno) {
	return transfer(unix.SYS_PROCESS_VM_READV, pid, at, b)
}

func writeSome(pid int, at uint64, b []byte) (int, syscall.Errno) {
	return transfer(unix.SYS_PROCESS_VM_WRITEV, pid, at, b)
}

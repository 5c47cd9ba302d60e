//go:build linux

package fabric

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"rhinet/internal/strided"
)

// transfer moves at most len(b) bytes, by cross-memory attach, between b and the address at of
// process pid. It is a raw system call: it is short, so the Go scheduler need not know of it.
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

// mostPieces is the maximum number of pieces on either side in one call of cross-memory attach:
// less than the kernel's limit (1024), and as many as [Piece] has blocks of a length that is worth
// a call.
const mostPieces = 256

// moveSome moves the first bytes of m in one call.
func moveSome(pid int, at uint64, b []byte, m *strided.Move, write bool) (int, syscall.Errno) {
	var local [mostPieces]unix.Iovec
	var remote [mostPieces]unix.RemoteIovec
	mine, theirs, length := 0, 0, 0
	for here, there := -1, -1; m.Bytes > 0; {
		i, k, n := m.Next(Piece)
		if i != here && mine == mostPieces || k != there && theirs == mostPieces {
			break
		}
		if i != here {
			local[mine].Base = &b[i]
			mine, length = mine+1, 0
		}
		if k != there {
			remote[theirs].Base = uintptr(at) + uintptr(k)
			theirs++
		}
		length += n
		local[mine-1].SetLen(length)
		remote[theirs-1].Len += n
		here, there = i+n, k+n
	}
	trap := uintptr(unix.SYS_PROCESS_VM_READV)
	if write {
		trap = unix.SYS_PROCESS_VM_WRITEV
	}
	n, _, errno := syscall.RawSyscall6(trap, uintptr(pid), uintptr(unsafe.Pointer(&local)), uintptr(mine),
		uintptr(unsafe.Pointer(&remote)), uintptr(theirs), 0)
	return int(n), errno
}

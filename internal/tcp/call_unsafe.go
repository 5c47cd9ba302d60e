//go:build linux

package tcp

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// flags are those of all calls: they return at once, and the end of a stream is an error, not a signal.
const flags = unix.MSG_DONTWAIT | unix.MSG_NOSIGNAL

func send(fd int, b []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), flags, 0, 0)
	return int(n), errno
}

func sendBoth(fd int, a, b []byte) (int, unix.Errno) {
	parts := [2]unix.Iovec{{Base: unsafe.SliceData(a)}, {Base: unsafe.SliceData(b)}}
	parts[0].SetLen(len(a))
	parts[1].SetLen(len(b))
	m := unix.Msghdr{Iov: &parts[0]}
	m.SetIovlen(len(parts))
	n, _, errno := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&m)), flags)
	return int(n), errno
}

func receive(fd int, b []byte) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), flags, 0, 0)
	return int(n), errno
}

// glance is epoll_wait(2) without waiting.
func glance(fd int, events []unix.EpollEvent) (int, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0)
	return int(n), errno
}

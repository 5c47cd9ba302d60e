//go:build !linux

package fabric

import (
	"syscall"

	"rhinet/internal/strided"
)

func readSome(int, uint64, []byte) (int, syscall.Errno) { return 0, syscall.ENOSYS }

func writeSome(int, uint64, []byte) (int, syscall.Errno) { return 0, syscall.ENOSYS }

func moveSome(int, uint64, []byte, *strided.Move, bool) (int, syscall.Errno) {
	return 0, syscall.ENOSYS
}

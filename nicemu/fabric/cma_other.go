//go:build !linux

package fabric

import "syscall"

func readSome(int, uint64, []byte) (int, syscall.Errno) { return 0, syscall.ENOSYS }

func writeSome(int, uint64, []byte) (int, syscall.Errno) { return 0, syscall.ENOSYS }

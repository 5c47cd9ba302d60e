//go:build !linux

package fabric

import "syscall"

func permitAttach() {}

// AttachPolicy returns an error if it is known, without trying, that processes of this job may not
// read each other's memory.
func AttachPolicy() error { return syscall.ENOSYS }

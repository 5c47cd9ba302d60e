//go:build !linux

package program

import "syscall"

// attributes says how the go command is forked.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

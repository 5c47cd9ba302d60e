package program

import "syscall"

// attributes says how the go command is forked. An interrupt lets it remove its own scratch files when this
// process has been killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGINT}
}

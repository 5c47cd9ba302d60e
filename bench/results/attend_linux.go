package results

import (
	"os/exec"
	"syscall"
)

// attend makes a command end when the thread that starts it dies.
func attend(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

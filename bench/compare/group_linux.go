package compare

import (
	"os/exec"
	"syscall"
)

// inGroup gives cmd a process group of its own and ends all of it when the
// command's context does: launchers of other runtimes leave ranks behind.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

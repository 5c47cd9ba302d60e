package compare

import (
	"os/exec"
	"syscall"
)

// inGroup gives cmd a process group of its own and ends all of it when the
// command's context does: launchers of other runtimes leave ranks behind. If
// the thread that starts cmd dies, as when this process is killed, the
// launcher is asked to end its job.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

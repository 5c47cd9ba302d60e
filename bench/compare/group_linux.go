package compare

import (
	"os/exec"
	"syscall"
)

// inGroup gives cmd a process group of its own and kills the whole group when the command's context ends:
// launchers of other runtimes leave ranks behind. If the thread that starts cmd dies, for example because
// this process is killed, the launcher is asked to end its job.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

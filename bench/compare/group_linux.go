package compare

import (
	"os/exec"
	"syscall"
	"time"
)

// inGroup gives cmd a process group of its own. When the command's context ends, the launcher is asked to end its
// job, so that it removes the job's files (Open MPI has some in /dev/shm); what is left of the group after the
// time of grace is killed, since launchers of other runtimes leave ranks behind. If the thread that starts cmd
// dies, for example because this process is killed, the launcher is asked, too. The caller calls ended when the
// command has ended.
func inGroup(cmd *exec.Cmd, grace time.Duration) (ended func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	kill := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	var late *time.Timer
	cmd.Cancel = func() error {
		late = time.AfterFunc(grace, kill)
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	return func() {
		if late != nil && late.Stop() {
			kill()
		}
	}
}

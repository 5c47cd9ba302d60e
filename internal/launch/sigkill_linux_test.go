package launch

import (
	"os/exec"
	"syscall"
	"testing"
)

// The launcher is killed and cannot clean up.
func TestKilledLauncherTakesItsRanksAlong(t *testing.T) {
	for name, script := range map[string][]string{
		"ranks that sleep":          {"print=ready", "pid", "sleep=1m"},
		"ranks that ignore signals": {"trap=ignore", "pid", "sleep=1m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ready(t, 4, script...)
			pids := p.await(t, 4, "pid ")
			p.signal(t, syscall.SIGKILL)
			gone(t, pids)
			p.Wait()
		})
	}
}

// Processes that ranks have started are not killed by the death signal.
func TestKilledLauncherTakesGrandchildrenAlong(t *testing.T) {
	p := ready(t, 3, "child", "print=ready", "sleep=1m")
	pids := p.await(t, 3, "child ")
	p.signal(t, syscall.SIGKILL)
	gone(t, pids)
	p.Wait()
}

// A process that has left the rank's group and does not get the death signal notices the end of the life
// pipe.
func TestLifePipeEndsWithTheLauncher(t *testing.T) {
	setsid, err := exec.LookPath("setsid")
	if err != nil {
		t.Skip("no setsid")
	}
	// The shell stays the rank; what it starts inherits the pipe.
	script := playRank + "=1 " + setsid + " " + self(t, 1).Program + " pid life & sleep 60"
	p := spawn(t, job(Part{Ranks: 1, Program: "sh", Args: []string{"-c", script}}))
	pids := p.await(t, 1, "pid ")
	p.signal(t, syscall.SIGKILL)
	gone(t, pids)
	p.Wait()
}

package main

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// TestCallsNeedTheirPrograms: a missing program is reported in one sentence, before anything is counted or
// when nothing was counted.
func TestCallsNeedTheirPrograms(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--peers", "lam"}, statusUsage, `unknown runtime "lam"`},
		{[]string{"--peers", "none,mpich"}, statusUsage, `unknown runtime "none"`},
		{[]string{"--limit", "0s"}, statusUsage, "--limit"},
		{[]string{"more"}, statusUsage, "more"},
	} {
		status, out, errs := command(append([]string{"watch", "calls"}, c.args...)...)
		if status != c.status || !strings.Contains(errs, c.want) || out != "" {
			t.Errorf("%v: status %d, output %q, errors %q", c.args, status, out, errs)
		}
	}
	launcher, err := exec.LookPath("true")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	status, _, errs := command("watch", "calls", "--peers", "mpich")
	if status != statusMissing || !strings.Contains(errs, "mpicc.mpich is not in PATH; install it (Debian: apt-get install mpich libmpich-dev)") || !strings.Contains(errs, "--peers") {
		t.Errorf("without a peer: status %d, errors %q", status, errs)
	}
	status, out, errs := command("watch", "calls", "--peers", "none", "--mpirun", launcher)
	want := "rhinet: 0 stretches between breakpoints were counted, want 27"
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		want = "this system does not allow it"
	}
	if status != 1 || out != "" || !strings.Contains(errs, want) && !strings.Contains(errs, "this system does not allow it") {
		t.Errorf("a launcher that runs nothing: status %d, output %q, errors %q", status, out, errs)
	}
}

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rhinet/bench/compare"
)

// launcher writes a stand-in for mpirun that refuses NICs other than good,
// and answers every measurement of a barrier after a while.
func launcher(t *testing.T, seconds string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mpirun")
	text := `#!/bin/sh
if [ "$1" = --nic ]; then
	[ "$2" = good ] || { echo "mpirun: no such NIC: $2" >&2; exit 2; }
fi
case "$*" in *"--dry-run -n 5000 "*) echo "mpirun: too many ranks" >&2; exit 2;; esac
case "$*" in *--dry-run*) exit 0;; esac
sleep ` + seconds + `
echo test,ranks,groups,bytes,repetitions,t_min_usec,t_max_usec,t_avg_usec,MB_s,msg_s,t_ovrl_usec,t_pure_usec,t_CPU_usec,overlap_percent,defects
ranks=2
while [ $# -gt 0 ]; do [ "$1" = -n ] && ranks=$2; shift; done
echo Barrier,$ranks,1,0,1,1,2,1.5,0,0,0,0,0,0,0
`
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestUnknownNICIsAMistakeOfTheUser(t *testing.T) {
	status, _, errs := process(t, "compare", "--peers=", "--tests", "barrier", "--short", "--mpirun", launcher(t, "0"), "--ours", "good,bad")
	if status != statusUsage || !strings.Contains(errs, "bench: --ours bad: mpirun: no such NIC: bad") || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, errors %q", status, errs)
	}
}

func TestTooManyRanksAreAMistakeOfTheUser(t *testing.T) {
	status, _, errs := process(t, "compare", "pmb", "Bcast", "--peers=", "--ranks", "2,5000", "--mpirun", launcher(t, "0"))
	if status != statusUsage || errs != "bench: rhinet: mpirun: too many ranks\n" {
		t.Errorf("status %d, errors %q", status, errs)
	}
}

// A comparison that is interrupted saves its measurements next to the previous result, and continues from
// there.
func TestInterruptedComparisonContinues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "result.json")
	const old = `{"schema":"rhinet-compare-1"}`
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"compare", "--peers=", "--tests", "barrier", "--short", "--rounds", "6", "--out", file, "--format", "markdown", "--ours", "good,good+A=1"}
	cmd := exec.Command(self, append(args, "--mpirun", launcher(t, "0.2"))...)
	cmd.Env = append(os.Environ(), asBench+"=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a partial result", func() bool {
		_, err := os.Stat(file + ".part")
		return err == nil
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 1 || !strings.Contains(errs.String(), "interrupted") || !strings.Contains(errs.String(), "--resume") || !strings.Contains(out.String(), "| Barrier |") {
		t.Errorf("status %d, output %q, errors %q", cmd.ProcessState.ExitCode(), out.String(), errs.String())
	}
	if text, _ := os.ReadFile(file); string(text) != old {
		t.Errorf("the result of before is now %q", text)
	}
	// The launcher is now another file, but the comparison is the same.
	status, table, problem := process(t, append(args, "--resume", "--mpirun", launcher(t, "0"))...)
	if status != 0 || !strings.Contains(table, "resumed at") {
		t.Fatalf("status %d, output %q, errors %q", status, table, problem)
	}
	res, err := compare.Read(file)
	if err != nil || len(res.Samples) != 6*2*2 || res.Interrupted || res.Ours != 2 || res.Calibrated == nil || res.CalibratedAfter == nil {
		t.Errorf("result %+v, %v", res, err)
	}
	if _, err := os.Stat(file + ".part"); err == nil {
		t.Error("the partial result is still there")
	}
}

// Kernels on the libraries of others: mistakes are reported before anything is built.
func TestKernelsOnLibrariesThatAreNotThere(t *testing.T) {
	status, _, errs := process(t, "compare", "npb", "--peers", "lam", "--kernels", "ep")
	if status != statusUsage || errs != "bench: unknown runtime \"lam\"; the others are openmpi, mpich\n" {
		t.Errorf("status %d, errors %q", status, errs)
	}
	t.Setenv("PATH", t.TempDir())
	status, _, errs = process(t, "compare", "npb", "--peers", "mpich", "--kernels", "ep")
	if status != 3 || !strings.Contains(errs, "mpicc.mpich is not in PATH; install it (Debian: apt-get install mpich libmpich-dev)") || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, errors %q", status, errs)
	}
}

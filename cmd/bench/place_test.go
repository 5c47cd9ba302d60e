package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/bench/workdir"
)

func places(t *testing.T, in string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(in, "rhinet-bench-*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// eventually waits until done returns true.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within five minutes", what)
		}
	}
}

// A comparison that is killed takes its launcher along, and its folder is removed when the next command
// starts.
func TestKilledComparisonLeavesNothing(t *testing.T) {
	in := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pidFile := filepath.Join(t.TempDir(), "pid")
	mpirun := filepath.Join(t.TempDir(), "mpirun")
	if err := os.WriteFile(mpirun, []byte("#!/bin/sh\ncase \"$*\" in *--dry-run*) exit 0;; esac\necho $$ >"+pidFile+".new\nmv "+pidFile+".new "+pidFile+"\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "compare", "--peers=", "--tests", "barrier", "--short", "--mpirun", mpirun)
	cmd.Env = append(os.Environ(), asBench+"=1", "TMPDIR="+in)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var launcher int
	eventually(t, "the launcher starts", func() bool {
		text, err := os.ReadFile(pidFile)
		launcher, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return err == nil
	})
	if len(places(t, in)) != 1 {
		t.Fatalf("places are %v", places(t, in))
	}
	// Another command that runs meanwhile does not remove the folder.
	t.Setenv("TMPDIR", in)
	other, err := workdir.New(t.Context())
	if err != nil || len(places(t, in)) != 2 || other.Remove() != nil {
		t.Fatalf("places are %v, %v", places(t, in), err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if _, err := os.Stat("/proc/self"); err == nil { // without /proc the launcher does not notice
		eventually(t, "the launcher ends", func() bool { return gone(launcher) })
	} else {
		syscall.Kill(launcher, syscall.SIGKILL)
	}
	next, err := workdir.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if left := places(t, in); len(left) != 1 || left[0] != next.Path {
		t.Errorf("left behind: %v", left)
	}
	if err := next.Remove(); err != nil {
		t.Error(err)
	}
}

// gone reports whether a process has ended, even if it has not been reaped.
func gone(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(text), ") Z ")
}

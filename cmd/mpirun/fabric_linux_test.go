package main

import (
	"os"
	"strings"
	"testing"

	"rhinet/internal/launch"
	"rhinet/internal/pmi"
	"rhinet/llc/nics"
)

// mappings returns how many mappings of the memory of jobs this process has.
func mappings(t *testing.T) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(maps), "memfd:rhinet")
}

// TestMemoryIsUnmapped: the first access to the memory maps it, Close unmaps it, and later accesses find
// nothing.
func TestMemoryIsUnmapped(t *testing.T) {
	before := mappings(t)
	m, err := openFabric(nics.Default, 2)
	if err != nil {
		t.Fatal(err)
	}
	if n := mappings(t); n != before {
		t.Errorf("%d mappings before the first look, want %d", n, before)
	}
	m.Status(0)
	m.MarkFailed(1)
	if n := mappings(t); n <= before {
		t.Error("nothing is mapped")
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	m.MarkFailed(0)
	if s := m.Status(1); s != (pmi.Status{}) {
		t.Errorf("after Close: %+v", s)
	}
	if n := mappings(t); n != before {
		t.Errorf("%d mappings after Close, want %d", n, before)
	}
}

// TestJobsAreUnmapped: a process that has run jobs has none of their memory mapped, however they ended.
// Each needs at least 256 GiB of addresses.
func TestJobsAreUnmapped(t *testing.T) {
	before := mappings(t)
	for _, job := range []struct {
		what   string
		args   []string
		status int
	}{
		{"virtual pingpong 8", []string{"-n", "2", "--time", "loggp"}, 0},
		{"virtual cycle", []string{"-n", "3", "--time", "loggp"}, launch.StatusFailed},
		{"virtual kill", []string{"-n", "3", "--time", "martini"}, 3},
		{"virtual kill", []string{"-n", "3"}, 3},
	} {
		args := append([]string{"-q", "--timeout", "1m", "-x", playRank + "=" + job.what}, job.args...)
		if status, _, errs := mpirun(t, append(args, os.Args[0])...); status != job.status {
			t.Errorf("%q %q: status %d, want %d; %s", job.what, job.args, status, job.status, errs)
		}
		if n := mappings(t); n != before {
			t.Fatalf("%q %q: %d mappings, %d before", job.what, job.args, n, before)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/bench/watch"
)

// tallies writes a stand-in for mpirun whose tests cost the given number of
// allocations.
func tallies(t *testing.T, allocs string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mpirun")
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho tally "+allocs+" 1.5\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestWatchFailsWhenMessagesCostMore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "record.json")
	args := []string{"watch", "--tries", "1", "--baseline", file, "--mpirun"}
	if status, out, errs := command(append(args, tallies(t, "0"), "--update")...); status != 0 || !strings.Contains(out, "system calls") {
		t.Fatalf("status %d, output %q, errors %q", status, out, errs)
	}
	if r, err := watch.Read(file); err != nil || len(r.Costs) != len(watch.Quick()) {
		t.Fatalf("record %+v, %v", r, err)
	}
	if status, out, errs := command(append(args, tallies(t, "0"))...); status != 0 {
		t.Errorf("the same cost: status %d, output %q, errors %q", status, out, errs)
	}
	status, out, errs := command(append(args, tallies(t, "2"))...)
	if status != 1 || !strings.Contains(out, "more than before: Bcast, 2 ranks, 8 bytes: 2.00 allocations, 0.00 before") || !strings.Contains(errs, "costs are higher") {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
	if status, _, errs := command("watch", "--baseline", file, "--tries", "1", "--mpirun", "false"); status != 1 || !strings.Contains(errs, "PingPong on 2 ranks") {
		t.Errorf("a launcher that fails: status %d, errors %q", status, errs)
	}
	if status, _, errs := command(append(args[:3], "--baseline", "/nowhere/at/all.json", "--update", "--mpirun", tallies(t, "0"))...); status != statusUsage || !strings.Contains(errs, "--baseline") {
		t.Errorf("status %d, errors %q", status, errs)
	}
}

func TestTally(t *testing.T) {
	status, out, errs := process(t, "watch", "tally", "Bcast", "8", "100")
	if status != 0 || !strings.HasPrefix(out, "tally 0.") {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
}

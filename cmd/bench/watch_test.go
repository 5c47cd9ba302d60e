package main

import (
	"fmt"
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
	t.Setenv("PATH", t.TempDir()) // no tool that counts instructions
	file := filepath.Join(t.TempDir(), "record.json")
	args := []string{"watch", "--tries", "1", "--baseline", file, "--mpirun"}
	if status, out, errs := command(append(args, tallies(t, "0"), "--update")...); status != 0 || !strings.Contains(out, "system calls") || strings.Count(out, "note: instructions are not counted: ") != 1 {
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
	if status, _, errs := command("watch", "--baseline", file, "--tries", "1", "--mpirun", "/bin/false"); status != 1 || !strings.Contains(errs, "PingPong on 2 ranks") {
		t.Errorf("a launcher that fails: status %d, errors %q", status, errs)
	}
	if status, _, errs := command(append(args[:3], "--baseline", "/nowhere/at/all.json", "--update", "--mpirun", tallies(t, "0"))...); status != statusUsage || !strings.Contains(errs, "--baseline") {
		t.Errorf("status %d, errors %q", status, errs)
	}
}

// A file that is not a record is not overwritten, and this is found before anything is counted.
func TestWatchKeepsForeignFiles(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "other.json")
	if err := os.WriteFile(file, []byte(`{"schema":"rhinet-compare-1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, dir} {
		status, out, errs := command("watch", "--update", "--baseline", path, "--mpirun", "/nowhere")
		if status != statusUsage || !strings.Contains(errs, path) || !strings.Contains(errs, "name another file") || out != "" {
			t.Errorf("status %d, output %q, errors %q", status, out, errs)
		}
	}
	if text, _ := os.ReadFile(file); string(text) != `{"schema":"rhinet-compare-1"}` {
		t.Errorf("the file holds %q", text)
	}
}

func TestTally(t *testing.T) {
	status, out, errs := process(t, "watch", "tally", "Bcast", "8", "100")
	if status != 0 || !strings.HasPrefix(out, "tally 0.") {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
}

// More instructions than before are detected, with a stand-in for valgrind whose count depends on the
// number of arguments, or on the repetitions of a piece.
func TestWatchFailsWhenWorkTakesMoreInstructions(t *testing.T) {
	if testing.Short() {
		t.Skip("builds npb")
	}
	bin := t.TempDir()
	count := func(each string) {
		script := "#!/bin/sh\nfor last; do :; done\ncase $last in *[!0-9]*) last=$#;; esac\necho \"==1== I refs: $((last * " + each + "))\" >&3\n"
		if err := os.WriteFile(filepath.Join(bin, "valgrind"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "perf"), []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv(asBench, "1")
	file := filepath.Join(t.TempDir(), "record.json")
	args := []string{"watch", "--tries", "1", "--baseline", file, "--mpirun", tallies(t, "0")}
	count("100")
	if status, out, errs := command(append(args, "--update")...); status != 0 || !strings.Contains(out, "npb mg S") || !strings.Contains(out, "valgrind") {
		t.Fatalf("status %d, output %q, errors %q", status, out, errs)
	}
	if status, out, errs := command(args...); status != 0 {
		t.Errorf("the same: status %d, output %q, errors %q", status, out, errs)
	}
	count("103")
	status, out, errs := command(args...)
	if status != 1 || !strings.Contains(out, "more than before: self 8: 103 instructions, 100 before, at most 101\n") || !strings.Contains(errs, fmt.Sprintf("%d costs are higher", len(watch.Pieces())+2)) {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
}

func TestPieceCommand(t *testing.T) {
	for _, p := range watch.Pieces() {
		if status, out, errs := process(t, "watch", "piece", p.Name, "10"); status != 0 || out+errs != "" {
			t.Errorf("%s: status %d, output %q, errors %q", p.Name, status, out, errs)
		}
	}
	if status, out, errs := process(t, "watch", "piece", "message 8", "10", "--nic", "ib"); status != 0 || out+errs != "" {
		t.Errorf("on ib: status %d, output %q, errors %q", status, out, errs)
	}
	if status, _, errs := process(t, "watch", "piece", "message 8", "10", "--nic", "x"); status != 2 || !strings.Contains(errs, "--nic x: no such network interface") {
		t.Errorf("on x: status %d, %q", status, errs)
	}
}

package compare

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const report = `
 CG Benchmark Completed.
 Class           =                        S
 Total processes =                        2
 Mop/s total     =                  1234.50
 Mop/s/process   =                   617.25
 Verification    =               SUCCESSFUL
`

func TestPlanOfKernels(t *testing.T) {
	cells, skipped, err := NPB([]string{"CG", "bt"}, []string{"S"}, []int{1, 2, 4, 3})
	if err != nil || fmt.Sprint(cells) != "[{CG.S 1 [0]} {CG.S 2 [0]} {CG.S 4 [0]} {BT.S 1 [0]} {BT.S 4 [0]}]" || len(skipped) != 3 {
		t.Errorf("plan %v, skipped %v, %v", cells, skipped, err)
	}
	for _, c := range []struct{ kernel, class, want string }{
		{"gc", "S", "bt, cg, ep"}, {"cg", "Z", "S, W, A"}, {"bt", "S", "a square"},
	} {
		if _, _, err := NPB([]string{c.kernel}, []string{c.class}, []int{2}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s.%s: %v, want %q", c.kernel, c.class, err, c.want)
		}
	}
	if _, _, err := NPB(nil, []string{"S"}, []int{0}); err == nil {
		t.Error("0 ranks pass")
	}
}

func TestReportOfKernels(t *testing.T) {
	c := []Cell{{"CG.S", 2, []int{0}}}
	s, err := readNAS(c, report, 0)
	if err != nil || len(s) != 1 || s[0] != (Sample{Test: "CG.S", Ranks: 2, Value: 1234.5, Unit: mops}) {
		t.Errorf("samples %+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"":                     "no report",
		"Mop/s total = 5\n":    "no report",
		"Mop/s total = five\n": `"five"`,
		strings.Replace(report, "SUCC", "UNSUCC", 1): "not verified",
	} {
		if _, err := readNAS(c, text, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// A folder of originals is run under its MPI, the file for the number of
// ranks before the general one.
func TestReferenceRunsWhatItHolds(t *testing.T) {
	dir := t.TempDir()
	bin := t.TempDir()
	script := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	script(filepath.Join(bin, "mpirun.openmpi"), `while [ $# -gt 1 ]; do shift; done; exec "$1"`)
	script(filepath.Join(dir, "cg.S.x"), "cat <<'E'"+report+"E\n")
	script(filepath.Join(dir, "cg.S.2"), "cat <<'E'"+strings.Replace(report, "1234.50", "7", 1)+"E\n")
	script(filepath.Join(dir, "notes.txt"), "")
	if _, err := Reference(dir, ""); err == nil || !strings.Contains(err.Error(), "--reference-mpi") {
		t.Errorf("a script's MPI: %v", err)
	}
	r, err := Reference(dir, "openmpi")
	if err != nil {
		t.Fatal(err)
	}
	for ranks, want := range map[int]float64{1: 1234.5, 2: 7} {
		got, err := r.measure(t.Context(), []Cell{{"CG.S", ranks, []int{0}}}, 0, time.Minute)
		if s := got.samples; err != nil || len(s) != 1 || s[0].Value != want || s[0].Runtime != filepath.Base(dir) {
			t.Errorf("on %d ranks: %+v, %v", ranks, got, err)
		}
	}
	if s, err := r.measure(t.Context(), []Cell{{"MG.S", 1, []int{0}}}, 0, time.Minute); s.samples != nil || err != nil {
		t.Errorf("a kernel that is not there gives %v, %v", s, err)
	}
	if _, err := Reference(t.TempDir(), ""); err == nil || !strings.Contains(err.Error(), "cg.A.x") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := Reference(dir+"/none", ""); err == nil {
		t.Error("a missing folder passes")
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Reference(dir, "openmpi"); !errors.Is(err, ErrNoPeers) {
		t.Errorf("a missing launcher: %v", err)
	}
}

// Originals say by what they are linked with under which MPI they run.
func TestReferenceFindsItsMPI(t *testing.T) {
	for _, k := range kinds {
		for _, tool := range []string{k.mpicc, k.launcher} {
			if _, err := exec.LookPath(tool); err != nil {
				t.Skipf("%s is not installed", tool)
			}
		}
		dir := t.TempDir()
		src := filepath.Join(t.TempDir(), "cg.c")
		text := `#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!rank) puts(" Mop/s total = 5.5\n Verification = SUCCESSFUL");
	MPI_Finalize();
	return 0;
}
`
		if err := os.WriteFile(src, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(k.mpicc, "-o", filepath.Join(dir, "cg.S.x"), src).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		r, err := Reference(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		if args := r.command([]Cell{{"CG.S", 2, []int{0}}}, 0); args[0] != k.launcher {
			t.Errorf("linked with %s, run by %v", k.name, args)
		}
		got, err := r.measure(t.Context(), []Cell{{"CG.S", 2, []int{0}}}, 0, time.Minute)
		if s := got.samples; err != nil || len(s) != 1 || s[0].Value != 5.5 {
			t.Errorf("%s: %+v, %v", k.name, got, err)
		}
	}
}

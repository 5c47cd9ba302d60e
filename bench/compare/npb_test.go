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

// report is the end of the output of an original in Fortran.
const report = `

 CG Benchmark Completed.
 Class           =                        S
 Size            =                     1400
 Iterations      =                       15
 Time in seconds =                     0.05
 Total processes =                        2
 Active procs    =                        2
 Mop/s total     =                  1234.50
 Mop/s/process   =                   617.25
 Operation type  =           floating point
 Verification    =               SUCCESSFUL
 Version         =                    3.4.2
 Compile date    =              01 Jan 2020

 Compile options:
    FFLAGS       = -O3
    FLINKFLAGS   = -Wl,-Bsymbolic -Wl,-z,relro
`

// reportInC is the same for an original in C, which is IS.
const reportInC = `

 IS Benchmark Completed
 Class           =                        A
 Size            =                  8388608
 Iterations      =                       10
 Time in seconds =                     0.31
 Total processes =                        4
 Active procs    =                        4
 Mop/s total     =                   270.60
 Mop/s/process   =                    67.65
 Operation type  =              keys ranked
 Verification    =               SUCCESSFUL
 Version         =                    3.4.2
`

func TestPlanOfKernels(t *testing.T) {
	cells, skipped, err := NPB([]string{"CG", "bt"}, []string{"S"}, []int{1, 2, 4, 3})
	if err != nil || fmt.Sprint(cells) != "[{CG.S 1 [0]} {CG.S 2 [0]} {CG.S 4 [0]} {BT.S 1 [0]} {BT.S 4 [0]}]" || len(skipped) != 3 {
		t.Errorf("plan %v, skipped %v, %v", cells, skipped, err)
	}
	for _, c := range []struct{ kernel, class, want string }{
		{"gc", "S", "ep, cg, mg"}, {"cg", "Z", "S, W, A"}, {"bt", "S", "a square"},
	} {
		if _, _, err := NPB([]string{c.kernel}, []string{c.class}, []int{2}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s.%s: %v, want %q", c.kernel, c.class, err, c.want)
		}
	}
	cells, skipped, err = NPB([]string{"lu", "is"}, []string{"s", "D"}, []int{2, 6})
	if err != nil || fmt.Sprint(cells) != "[{LU.S 2 [0]} {LU.S 6 [0]} {LU.D 2 [0]} {LU.D 6 [0]} {IS.S 2 [0]}]" || len(skipped) != 3 {
		t.Errorf("plan %v, skipped %q, %v", cells, skipped, err)
	}
	if cells, _, err = NPB([]string{"all"}, []string{"W"}, []int{4}); err != nil || len(cells) != 8 {
		t.Errorf("all: %v, %v", cells, err)
	}
	if _, _, err := NPB(nil, []string{"S"}, []int{0}); err == nil {
		t.Error("0 ranks pass")
	}
}

func TestReportOfKernels(t *testing.T) {
	c := []Cell{{"CG.S", 2, []int{0}}}
	s, err := readNAS(c, "some = words\n"+report, 0)
	if err != nil || len(s) != 1 || s[0] != (Sample{Test: "CG.S", Ranks: 2, Value: 1234.5, Unit: mops}) {
		t.Errorf("samples %+v, %v", s, err)
	}
	s, err = readNAS([]Cell{{"IS.A", 4, []int{0}}}, reportInC, 0)
	if err != nil || len(s) != 1 || s[0].Value != 270.6 {
		t.Errorf("samples %+v, %v", s, err)
	}
	without := func(label string) string {
		var kept []string
		for line := range strings.Lines(report) {
			if !strings.Contains(line, label) {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "")
	}
	if s, err = readNAS(c, without("Total processes"), 0); err != nil || len(s) != 1 {
		t.Errorf("without the processes: %+v, %v", s, err)
	}
	alone := strings.Replace(report, "                       2\n", "                       1\n", 1)
	for text, want := range map[string]string{
		"":                                       "no report",
		"Mop/s total = 5\n":                      "no report",
		without("Mop/s total"):                   "no report",
		without("Verification"):                  "no report",
		without("Completed"):                     "no report",
		alone:                                    "printed 1 reports, of 1 processes each, instead of one of 2",
		alone + alone:                            "printed 2 reports, of 1 processes each, instead of one of 2",
		strings.Replace(report, " CG", " MG", 1): "the report of MG.S",
		strings.Replace(report, "    S\n", "    A\n", 1):          "the report of CG.A",
		strings.Replace(report, "1234.50", "*******", 1):          `"*******"`,
		strings.Replace(report, "1234.50", "   0.00", 1):          "gave 0 Mop/s",
		strings.Replace(report, "1234.50", "    NaN", 1):          "gave NaN Mop/s",
		strings.Replace(report, "1234.50", "    Inf", 1):          "gave +Inf Mop/s",
		strings.Replace(report, "  SUCC", "UNSUCC", 1):            "not verified: UNSUCCESSFUL",
		strings.Replace(report, "SUCCESSFUL", "NOT PERFORMED", 1): "not verified: NOT PERFORMED",
	} {
		if _, err := readNAS(c, text, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// script writes a shell script as a program for tests.
func script(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// The originals in a folder run under its MPI; the file for the number of ranks is preferred to the general
// one.
func TestReferenceRunsWhatItHolds(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	script(t, filepath.Join(bin, "mpirun.openmpi"), `while [ $# -gt 1 ]; do shift; done; exec "$1"`)
	alone := strings.Replace(report, "                       2\n", "                       1\n", 1)
	script(t, filepath.Join(dir, "cg.S.x"), "cat <<'E'"+alone+"E\n")
	script(t, filepath.Join(dir, "cg.S.2"), "cat <<'E'"+strings.Replace(report, "1234.50", "7", 1)+"E\n")
	for _, other := range []string{"notes.txt", "cg.S.0", "cg.E.x", "bt.A.4.mpi_io_full", "cg.S.x.old"} {
		script(t, filepath.Join(dir, other), "")
	}
	if _, _, err := References([]string{dir}, "", nil, nil); err == nil || !strings.Contains(err.Error(), "--reference-mpi") {
		t.Errorf("a script's MPI: %v", err)
	}
	plan := []Cell{{"CG.S", 1, []int{0}}, {"CG.S", 2, []int{0}}, {"MG.S", 1, []int{0}}}
	list, lacking, err := References([]string{dir}, "openmpi", plan, nil)
	if err != nil || len(list) != 1 || len(lacking) != 1 || lacking[0] != dir+" holds no original for MG.S on 1 rank" {
		t.Fatalf("%v, lacking %q, %v", list, lacking, err)
	}
	r := list[0]
	for ranks, want := range map[int]float64{1: 1234.5, 2: 7} {
		got, err := r.measure(t.Context(), []Cell{{"CG.S", ranks, []int{0}}}, 0, time.Minute)
		if s := got.samples; err != nil || len(s) != 1 || s[0].Value != want || s[0].Runtime != filepath.Base(dir) {
			t.Errorf("on %d ranks: %+v, %v", ranks, got, err)
		}
	}
	if s, err := r.measure(t.Context(), []Cell{{"MG.S", 1, []int{0}}}, 0, time.Minute); s.samples != nil || err != nil {
		t.Errorf("a kernel that is not there gives %v, %v", s, err)
	}
	if _, err := r.measure(t.Context(), []Cell{{"CG.S", 4, []int{0}}}, 0, time.Minute); err == nil || !strings.Contains(err.Error(), "CG.S on 4 ranks printed 1 reports, of 1") {
		t.Errorf("ranks that are alone: %v", err)
	}
}

func TestReferencesThatCannotBe(t *testing.T) {
	bin, dir, wrong := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	script(t, filepath.Join(bin, "mpirun.openmpi"), "")
	script(t, filepath.Join(dir, "cg.A.x"), "")
	if err := os.Mkdir(filepath.Join(wrong, "cg.S.x"), 0o755); err != nil {
		t.Fatal(err)
	}
	unreadable := t.TempDir()
	if err := os.WriteFile(filepath.Join(unreadable, "ep.S.x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dangling := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(dangling, "ep.S.x")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, mpi, want string }{
		{t.TempDir(), "", "holds no kernel; they are called like cg.A.x or cg.A.2"},
		{filepath.Join(dir, "none"), "", "none: no such file"},
		{wrong, "openmpi", "cg.S.x is called like a compiled kernel, but is no executable file"},
		{unreadable, "openmpi", "ep.S.x is called like"},
		{dangling, "openmpi", "no such file"},
		{dir, "lam", `unknown runtime "lam"`},
		{dir, "openmpi", "holds nothing of what is to be measured: CG.S on 1 rank"},
	} {
		if _, _, err := References([]string{c.dir}, c.mpi, []Cell{{"CG.S", 1, []int{0}}}, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.dir, err, c.want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, _, err := References([]string{dir}, "openmpi", nil, nil); !errors.Is(err, ErrNoPeers) {
		t.Errorf("a missing launcher: %v", err)
	}
}

func TestMPIOfLibraries(t *testing.T) {
	for libs, want := range map[string]string{
		"libmpi_mpifh.so.40 libmpi.so.40 libc.so.6":    "openmpi",
		"libmpi.so.40 libc.so.6":                       "openmpi",
		"libmpi_usempif08.so.40":                       "openmpi",
		"libmpi_mpifh.so.12 libmpi.so.12":              "openmpi",
		"libmpichfort.so.12 libmpich.so.12 libm.so.6":  "mpich",
		"libmpifort.so.12 libmpi.so.12 libgfortran.so": "mpich",
		"libmpi.so.12 libc.so.6":                       "",
		"libc.so.6":                                    "",
	} {
		if got := mpiOf(strings.Fields(libs)); got != want {
			t.Errorf("%s: %q, want %q", libs, got, want)
		}
	}
}

// The libraries that an original is linked with tell under which MPI it runs.
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
	if (!rank) puts(" CG Benchmark Completed.\n Mop/s total = 5.5\n Verification = SUCCESSFUL");
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
		list, _, err := References([]string{dir}, "", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		r := list[0]
		if args := r.command([]Cell{{"CG.S", 2, []int{0}}}, 0); args[0] != k.launcher {
			t.Errorf("linked with %s, run by %v", k.name, args)
		}
		got, err := r.measure(t.Context(), []Cell{{"CG.S", 2, []int{0}}}, 0, time.Minute)
		if s := got.samples; err != nil || len(s) != 1 || s[0].Value != 5.5 {
			t.Errorf("%s: %+v, %v", k.name, got, err)
		}
	}
}

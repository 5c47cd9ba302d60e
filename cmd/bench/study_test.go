package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rhinet/bench/study"
)

// The ranks of a study are goroutines, and those of mpirun --time processes: the results are the same, to
// the last digit.
func TestStudyIsMpirun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes share no memory here")
	}
	if testing.Short() {
		t.Skip("builds two programs")
	}
	dir := t.TempDir()
	report := filepath.Join(dir, "report.json")
	if text, err := exec.Command("go", "build", "-o", dir+"/", "../mpirun", "../npb").CombinedOutput(); err != nil {
		t.Fatal(err, string(text))
	}
	text, err := exec.Command(filepath.Join(dir, "mpirun"), "-q", "-n", "4", "--time", "martini:vp", "--compute", "counted:pentium3", "--time-report", report,
		filepath.Join(dir, "npb"), "-class", "S", "-format", "json", "is").Output()
	if err != nil {
		t.Fatal(err)
	}
	var job struct{ Mops, Seconds float64 }
	var seen struct {
		Wire struct{ Packets, Bytes uint64 } `json:"links_carried"`
	}
	if err := json.Unmarshal(text, &job); err != nil {
		t.Fatal(err)
	}
	if text, err = os.ReadFile(report); err != nil || json.Unmarshal(text, &seen) != nil {
		t.Fatal(err, string(text))
	}
	status, out, errs := process(t, "model", "npb-cell", "is", "S", "4", "martini:vp", "counted:pentium3")
	var cell study.Result
	if err := json.Unmarshal([]byte(out), &cell); status != 0 || err != nil {
		t.Fatal(status, out, errs)
	}
	if cell.Memory <= 0 || cell.Memory > 1000 {
		t.Errorf("%v Mbyte a rank", cell.Memory)
	}
	if cell.Mops != job.Mops || cell.Seconds != job.Seconds || cell.Packets != seen.Wire.Packets || cell.Bytes != seen.Wire.Bytes || cell.Packets == 0 {
		t.Errorf("by goroutines %+v, by processes %+v, %+v", cell, job, seen)
	}
}

// A study consists of cells, each measured by a process of its own, and continues where it was interrupted.
func TestStudy(t *testing.T) {
	t.Setenv(asBench, "1") // for the processes of cells
	dir := filepath.Join(t.TempDir(), "study")
	for range 2 {
		status, out, errs := command("model", "npb", dir, "--kernels", "is", "--classes", "S", "--nodes", "1,2", "--series", "pm,vpush,loggp")
		if status != 0 || !strings.Contains(out, "vpush") {
			t.Fatalf("status %d, %q, %q", status, out, errs)
		}
		text, err := os.ReadFile(filepath.Join(dir, "npb.csv"))
		if err != nil || strings.Count(string(text), "\n") != 5 || !strings.Contains(string(text), "is,S,2,vpush,") || !strings.Contains(string(text), "is,S,2,loggp,") {
			t.Errorf("%v, %s", err, text)
		}
	}
}

func TestCellRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"model npb-cell is": "npb-cell takes a kernel, a class",
		"model npb-cell is S x martini:vp counted:pentium3":      `"x" is no number of nodes`,
		"model npb-cell is S 2 martini:vp counted:toaster":       "no host is called",
		"model npb-cell is S 2 martini:vp counted:pentium3 oh=1": `unknown parameter "oh"`,
	} {
		if status, out, errs := process(t, strings.Fields(args)...); status != statusUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("bench %s: status %d, %q, %q", args, status, out, errs)
		}
	}
}

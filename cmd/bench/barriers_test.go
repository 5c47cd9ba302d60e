package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The controller's barriers give equal bytes on every run, on any number of processors.
func TestSyncIsDeterministic(t *testing.T) {
	args := []string{"model", "sync", "--nodes", "4,24", "--rounds", "20", "--spread", "40", "--format", "csv"}
	status, first, errs := process(t, args...)
	if status != 0 || errs != "" || strings.Count(first, "\n") != 1+7+6 {
		t.Fatalf("status %d, %q, %q", status, errs, first)
	}
	for _, n := range []string{"1", "2"} {
		t.Setenv("GOMAXPROCS", n)
		if _, again, _ := process(t, args...); again != first {
			t.Errorf("with GOMAXPROCS=%s %q, then %q", n, first, again)
		}
	}
	if _, other, _ := process(t, append(args, "--seed", "2")...); other == first {
		t.Error("the seed changes nothing")
	}
}

func TestSyncPlotAndParameters(t *testing.T) {
	plot := filepath.Join(t.TempDir(), "sync.svg")
	status, _, errs := process(t, "model", "sync", "--nodes", "2,4", "--rounds", "2", "--plot", plot)
	if text, err := os.ReadFile(plot); status != 0 || err != nil || !strings.Contains(string(text), "NCL acquire") {
		t.Errorf("status %d, %q, %v", status, errs, err)
	}
	status, out, errs := process(t, "model", "sync", "--parameters", "--set", "event.hop=2500", "--format", "csv")
	if status != 0 || !strings.Contains(out, "event.hop,2500,ns") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
}

func TestSyncErrors(t *testing.T) {
	for args, want := range map[string]string{
		"--nodes 0":             "0 nodes; give 1 to 1024",
		"--nodes 2,x":           `"x" in --nodes is not a number of nodes`,
		"--nodes 5000":          "5000 nodes; give 1 to 1024",
		"--rounds 0":            "0 rounds; give 1 to 100000",
		"--spread -1":           "a spread of -1 us; give 0 to 1,000,000",
		"--spread NaN":          "a spread of NaN us",
		"--format xml":          `unknown format "xml"`,
		"--set event.hop=0":     "event.hop is 1 to 1e+06 ns, not 0",
		"--set event.rate=1":    "set event.hop or event.rate",
		"--set nothing=1":       `unknown parameter "nothing"`,
		"--plot /nowhere/x.svg": "/nowhere",
		"--plot x.txt":          "--plot x.txt",
	} {
		status, out, errs := process(t, append([]string{"model", "sync"}, strings.Fields(args)...)...)
		if status != statusUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q; want %q", args, status, out, errs, want)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The experiments give equal bytes on every run, on any number of processors.
func TestCenju4IsDeterministic(t *testing.T) {
	for _, args := range [][]string{
		{"latency", "--sizes", "8,64"}, {"throughput", "--sizes", "4096"}, {"odd", "--sizes", "4096"}, {"nton", "--nodes", "20", "--sizes", "512"}, {"barrier", "--nodes", "5,64,65"},
	} {
		args = append([]string{"model", "cenju4", "--format", "csv"}, args...)
		status, first, errs := process(t, args...)
		if status != 0 || errs != "" || strings.Count(first, "\n") < 4 {
			t.Fatalf("%v: status %d, %q, %q", args, status, errs, first)
		}
		for _, n := range []string{"1", "2"} {
			t.Setenv("GOMAXPROCS", n)
			if _, again, _ := process(t, args...); again != first {
				t.Errorf("with GOMAXPROCS=%s %q, then %q", n, first, again)
			}
		}
	}
}

func TestCenju4PlotAndParameters(t *testing.T) {
	plot := filepath.Join(t.TempDir(), "barrier.svg")
	status, _, errs := process(t, "model", "cenju4", "barrier", "--nodes", "2,4", "--plot", plot)
	if text, err := os.ReadFile(plot); status != 0 || err != nil || !strings.Contains(string(text), "barrier") {
		t.Errorf("status %d, %q, %v", status, errs, err)
	}
	status, out, errs := process(t, "model", "cenju4", "--parameters", "--set", "switch.single=250", "--format", "csv")
	if status != 0 || !strings.Contains(out, "switch.single,250,ns") {
		t.Errorf("status %d, %q, %q", status, out, errs)
	}
}

func TestCenju4Errors(t *testing.T) {
	for args, want := range map[string]string{
		"":                              `no experiment ""; the experiments are latency, throughput, odd, nton, barrier`,
		"barrier --nodes 0":             "0 nodes; barrier takes 1 to 1024",
		"barrier --nodes 2,x":           `"x" in --nodes is not a number of nodes`,
		"barrier --sizes 8":             "barrier has no sizes",
		"latency --sizes 12":            "size 12; latency takes multiples of 8",
		"latency --sizes 8,x":           "x",
		"latency --format xml":          `unknown format "xml"`,
		"latency --set nothing=1":       `unknown parameter "nothing"`,
		"latency --plot x.txt":          "--plot x.txt",
		"latency --plot /nowhere/x.svg": "/nowhere",
	} {
		status, out, errs := process(t, append([]string{"model", "cenju4"}, strings.Fields(args)...)...)
		if status != statusUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: status %d, %q, %q; want %q", args, status, out, errs, want)
		}
	}
}

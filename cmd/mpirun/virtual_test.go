package main

import (
	"slices"
	"strings"
	"testing"

	"rhinet/internal/launch"
)

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

// TestWrongVirtualTime: what cannot be is one line, and status 2.
func TestWrongVirtualTime(t *testing.T) {
	for line, want := range map[string]string{
		"--time ethernet prog":                        `no model of a network is called "ethernet"; there is fattree, loggp`,
		"--time loggp:L prog":                         `no model of a network is called "loggp:L"`,
		"--time loggp:L=fast prog":                    `loggp: bad setting: L is a number of ns, not "fast"`,
		"--time loggp:L=-1 prog":                      "loggp: bad setting: L is 1 to 1e+09 ns, not -1",
		"--time loggp:L=1ps prog":                     `not "1ps"`,
		"--time loggp:l=1 prog":                       `unknown parameter "l"; loggp has L, g, G, o, O, S, poll`,
		"--time loggp:L=1,,o=2 prog":                  `write NAME=VALUE`,
		"--time fattree:k=2.5 prog":                   "k is a whole number of children, not 2.5",
		"--time fattree:k=16,taper=3 prog":            "taper=3 does not divide that",
		"--time loggp --compute fast prog":            "--compute fast: computing costs none, measured or measured:FACTOR, counted or counted:HOST",
		"--time loggp --compute none:1 prog":          "computing costs none",
		"--time loggp --compute measured:0 prog":      "the factor is a number above 0",
		"--time loggp --compute measured:x prog":      "the factor is a number above 0",
		"--time loggp --compute counted:toaster prog": `no host is called "toaster"; there is `,
		"--compute none prog":                         "--compute: only virtual time needs to know",
		"--time-report x prog":                        "--time-report: there is a report of virtual time only",
		"--time loggp --nic martini prog":             "--nic and --time: in virtual time the model is the network",
		"--nic timed prog":                            "no such network interface; there is martini",
	} {
		status, out, errs := mpirun(t, strings.Fields(line)...)
		if status != launch.StatusUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %q", line, status, errs)
		}
	}
	if status, _, errs := mpirun(t, "--time", "loggp", "--time-report", "", "prog"); status != launch.StatusUsage || !strings.Contains(errs, "the file's name is empty") {
		t.Errorf("status %d, %q", status, errs)
	}
}

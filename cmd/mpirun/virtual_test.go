package main

import (
	"slices"
	"strings"
	"testing"

	"rhinet/internal/launch"
	"rhinet/llc/nics"
)

// sortedLines returns the lines of a text in order.
func sortedLines(text string) []string { return sorted(strings.Split(strings.TrimSpace(text), "\n")) }

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

// TestWrongVirtualTime: impossible settings give one line, and status 2.
func TestWrongVirtualTime(t *testing.T) {
	for line, want := range map[string]string{
		"--time ethernet prog":                                              `no model of a network is called "ethernet"; there is cenju4, dimmnet2, fattree, loggp`,
		"--time loggp:L prog":                                               `no model of a network is called "loggp:L"`,
		"--time loggp:L=fast prog":                                          `loggp: bad setting: L is a number of ns, not "fast"`,
		"--time loggp:L=-1 prog":                                            "loggp: bad setting: L is 1 to 1e+09 ns, not -1",
		"--time loggp:L=1ps prog":                                           `not "1ps"`,
		"--time loggp:l=1 prog":                                             `unknown parameter "l"; loggp has L, g, G, o, O, S, poll`,
		"--time loggp:L=1,,o=2 prog":                                        `write NAME=VALUE`,
		"--time fattree:k=2.5 prog":                                         "k is a whole number of children, not 2.5",
		"--time fattree:k=16,taper=3 prog":                                  "taper=3 does not divide that",
		"--time loggp --compute fast prog":                                  "--compute fast: computing costs none, measured or measured:FACTOR, counted or counted:HOST",
		"--time loggp --compute none:1 prog":                                "computing costs none",
		"--time loggp --compute measured:0 prog":                            "the factor is a number above 0",
		"--time loggp --compute measured:x prog":                            "the factor is a number above 0",
		"--time loggp --compute counted:toaster prog":                       `no host is called "toaster"; there is `,
		"--time martini:x prog":                                             `no model of a network is called "martini:x"; there is cenju4, dimmnet2, fattree, loggp, martini, martini:pm, martini:vp, martini:vpush, sync`,
		"--time martini:pm:pm.throttle=no prog":                             "martini:pm: bad setting: pm.throttle is one of off, destination, global",
		"--time martini:vp --set pm.rma=on prog":                            `--set: martini:vp: bad setting: unknown parameter "pm.rma"; there is pm.envelope, pm.ring, pm.windows`,
		"--time martini --set host.mpi prog":                                `--set: martini: bad setting "host.mpi": write NAME=VALUE`,
		"--time martini --set switch.buffer=9 prog":                         "--time martini: parameters do not fit: switch.buffer / switch.channels is",
		"--time martini --topology nowhere prog":                            `--topology: bad topology: no file and no rule "nowhere"`,
		"--time martini --topology line:0x1 prog":                           `--topology: bad topology "line:0x1": SWITCHES is "0"`,
		"--time martini --topology ../../go.mod prog":                       `--topology: ../../go.mod: network: bad topology: line 1: unknown statement "module"`,
		"--time martini -n 5 --topology one:4 prog":                         "--time martini: bad topology: 4 hosts; the job has 5 ranks",
		"--time martini -n 300 prog":                                        "the model takes up to 256 hosts",
		"--time martini --topology ring:4x2 --set network.method=flat prog": "--time martini: the routes can deadlock",
		"--time loggp --topology one:4 prog":                                "--topology: loggp has no topology that could be given; martini has",
		"--time martini --model-trace x.doc prog":                           "--model-trace x.doc: name a file that ends in .json, for Perfetto, or in .vcd",
		"--time martini --model-trace /no/x.vcd prog":                       "there is no directory /no to write to",
		"--model-trace x.vcd prog":                                          "--model-trace: there is a model in virtual time only",
		"--topology one:4 prog":                                             "--topology: only a modelled network has one",
		"--set L=4 prog":                                                    "--set: only models have parameters",
		"--compute none prog":                                               "--compute: only virtual time needs to know",
		"--time-report x prog":                                              "--time-report: there is a report of virtual time only",
		"--time loggp --nic martini prog":                                   "--nic and --time: in virtual time the model is the network",
		"--nic timed prog":                                                  "no such network interface; there is " + strings.Join(nics.Selectable(), ", "),
	} {
		status, out, errs := mpirun(t, strings.Fields(line)...)
		if status != launch.StatusUsage || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %q", line, status, errs)
		}
	}
	if status, _, errs := mpirun(t, "--time", "loggp", "--time-report", "", "prog"); status != launch.StatusUsage || !strings.Contains(errs, "the file's name is empty") {
		t.Errorf("status %d, %q", status, errs)
	}
	if status, _, errs := mpirun(t, "--time", "martini", "--topology", "", "prog"); status != launch.StatusUsage || !strings.Contains(errs, "the topology is empty") {
		t.Errorf("status %d, %q", status, errs)
	}
}

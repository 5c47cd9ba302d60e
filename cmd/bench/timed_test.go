package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/internal/tracetest"
)

// An experiment gives the same bytes on every run, on any number of processors, and others with another
// parameter.
func TestTimedModelIsDeterministic(t *testing.T) {
	args := []string{"model", "exceptions", "--sizes", "512", "--format", "csv"}
	status, first, errs := process(t, args...)
	if status != 0 || errs != "" || strings.Count(first, "\n") != 7 {
		t.Fatalf("status %d, %q, %q", status, errs, first)
	}
	for _, n := range []string{"1", "2"} {
		t.Setenv("GOMAXPROCS", n)
		if _, again, _ := process(t, args...); again != first {
			t.Errorf("with GOMAXPROCS=%s %q, then %q", n, first, again)
		}
	}
	if _, other, _ := process(t, append(args, "--set", "core.clock=33")...); other == first {
		t.Error("half the clock changes nothing")
	}
}

func TestTimedModelRefuses(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]string{
		"model vpush --sizes 4096":                    "size 4096; vpush takes 8 to 2048 bytes",
		"model vpush --sizes x":                       `size "x"`,
		"model vpush --format xml":                    "table, csv, json",
		"model vpush --set pci.read=x":                "pci.read is a number of clocks",
		"model vpush --set nothing=1":                 `unknown parameter "nothing"`,
		"model vpush --switch rhinet9":                `unknown switch "rhinet9"`,
		"model vpush --set switch.slack=8e3":          "switch.slack",
		"model timeline --sizes 4096":                 "a time line of 4096 bytes",
		"model stages --set core.clock=0":             "core.clock is 1 to",
		"model vpush --plot x.doc":                    "--plot x.doc",
		"model timeline --trace x.doc":                "the name ends in .json or .vcd",
		"model timeline --html " + dir:                "--html: ",
		"model timeline --html x.html --sizes 4096":   "a message of 4096 bytes; a packet has 1 to 2048",
		"model timeline --trace " + dir + "/no/x.vcd": "no such file",
		"model all " + dir:                            "give a folder that is not there yet",
		"model all":                                   "takes one folder",
		"model npb":                                   "takes one folder",
		"model nics":                                  "takes one folder",
		"model nics " + dir + " --jobs 0":             "--jobs 0; give 1 or more",
		"model nics " + dir + " --format xml":         "table, csv, json",
		"model nics " + dir + " --from nowhere":       "--from: open nowhere: ",
		"model nics " + dir + " --from timed_test.go": "--from timed_test.go: invalid character",
		"model nics " + dir + " --nics myrinet":       `no NIC "myrinet"; there is martini, martini:pm`,
		"model nics " + dir + " --tests Scan":         `no test "Scan"; there is PingPong`,
		"model nics " + dir + " --nodes 65":           "65 nodes; give 2 to 64",
		"model nics " + dir + " --sizes 12":           "size 12; give multiples of 8",
		"model collectives a b":                       "takes one folder",
		"model collectives " + dir:                    "give a folder that is not there yet",
		"model collectives --time pigeon":             "--time pigeon: no model of a network is called",
		"model collectives --time loggp:x=1":          "loggp has L, g, G",
		"model collectives --operation shove":         `no operation "shove"; there is allreduce, bcast`,
		"model collectives --algorithms magic":        `no algorithm "magic" of allreduce; there is exchange, hosts, linear`,
		"model collectives --sizes 12":                "size 12; it is a multiple of 8 above zero",
		"model collectives --sizes x":                 `size "x"`,
		"model collectives --ranks 1025":              "1025 ranks; give 2 to 1024",
		"model collectives -n 512 --time martini":     "takes up to 256 hosts",
		"model collectives --format xml":              "table, csv, json",
		"model events --load pigeon":                  `no model of a network is called "pigeon"`,
		"model events --messages 0":                   "0 messages; give at least 1",
		"model events --tries 0":                      "--tries 0 is less than 1",
		"model events --format xml":                   "table, csv, json",
		"model npb x --kernels xy":                    `no kernel "xy"; there is bt, cg`,
		"model npb x --classes Q":                     "Q",
		"model npb x --nodes 3":                       "3 nodes; kernels take a power of two or a square",
		"model npb x --nodes 512":                     "takes up to 256 hosts",
		"model npb x --nodes 2048 --series loggp":     "2048 nodes; a job has 1 to 1024",
		"model npb x --series loggp --set L=fast":     "loggp",
		"model npb x --series tcp":                    `no series "tcp"; there is pm`,
		"model npb x --host toaster":                  `no host is called "toaster"`,
		"model npb x --rate cg=fast":                  "is not KIND=RATE",
		"model npb x --jobs 0":                        "--jobs 0; give 1 or more",
	} {
		status, out, errs := process(t, strings.Fields(args)...)
		if status != statusUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") > 2 {
			t.Errorf("bench %s: status %d, %q, %q", args, status, out, errs)
		}
	}
}

// The folder has all its parts, and a plot is drawn.
func TestTimedModelDraws(t *testing.T) {
	plot := filepath.Join(t.TempDir(), "miss.svg")
	status, out, errs := process(t, "model", "miss", "--sizes", "32,64", "--plot", plot)
	text, err := os.ReadFile(plot)
	if status != 0 || err != nil || !strings.Contains(out, "noex") || !strings.Contains(string(text), "hard") {
		t.Errorf("status %d, %q, %q, %v", status, out, errs, err)
	}
	for _, name := range []string{"x.json", "x.vcd"} {
		file := filepath.Join(t.TempDir(), name)
		status, out, errs := process(t, "model", "timeline", "--sizes", "8", "--trace", file)
		text, err := os.ReadFile(file)
		if status != 0 || out != "" || errs != "" || err != nil || !strings.Contains(string(text), "RFend") || !strings.Contains(string(text), "PCI") {
			t.Errorf("%s: status %d, %q, %v", name, status, errs, err)
		}
		if err := tracetest.Check(name, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if status, _, errs := process(t, "model", "timeline", "--trace", file); status != statusUsage || !strings.Contains(errs, "exists") {
			t.Errorf("%s again: status %d, %q", name, status, errs)
		}
	}
	for args, want := range map[string]string{
		"model stages --format csv": "push,request accepted,0.7", "model timeline --sizes 8": "VPUSH of 8 bytes",
		"model events --messages 50 --load kernel --load martini:vp --format csv": "martini:vp,50,50,",
	} {
		if status, out, errs := process(t, strings.Fields(args)...); status != 0 || !strings.Contains(out, want) {
			t.Errorf("bench %s: status %d, %q, %q", args, status, out, errs)
		}
	}
}

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"rhinet/bench"
)

// Every measurement below MPI runs on two processes and prints its rows.
func TestLevels(t *testing.T) {
	for args, tests := range map[string][]string{
		"nic push --sizes 8,4096":                 {"push", "push", "push-stream", "push-stream", "push-stream-half", "memcpy", "memcpy", "memcpy-half", "push-both", "push-both", "push-2windows", "push-2windows", "push-2windows-half", "push-4windows", "push-4windows", "push-4windows-half", "sending", "sending", "sending-half"},
		"nic aotf":                                {"aotf", "bare", "aotf-stream"},
		"nic exceptions --sizes 128":              {"pattern-1", "pattern-2", "pattern-3", "pattern-4", "pattern-5", "pattern-5-loop"},
		"llc pingpong --sizes 0,8,65536,1000000":  {"llc-pingpong", "llc-pingpong", "llc-pingpong", "llc-pingpong"},
		"llc burst --sizes 8,2000000":             {"llc-burst", "llc-burst", "llc-burst-half"},
		"nic lock":                                {"lock", "lock-contended"},
		"nic barrier":                             {"barrier"},
		"pm pingpong --nodes 2,3 --sizes 8":       {"rhinet-pingpong", "rhinet-pingpong", "vp-pingpong", "vp-pingpong", "ring-pingpong", "ring-pingpong", "throttled-pingpong", "throttled-pingpong"},
		"pm burst --nodes 2 --layer vp --sizes 8": {"vp-burst"},
		"pm scan --rings 1,20":                    {"scan-head", "scan-head", "scan-random", "scan-random", "scan-evicting", "scan-evicting"},
	} {
		status, out, errs := process(t, append(strings.Fields(args), "--time", "1us", "--format", "json")...)
		var rows []bench.Row
		err := json.Unmarshal([]byte(out), &rows)
		if status != 0 || err != nil || errs != "" {
			t.Errorf("bench %s: status %d, %v, errors %q", args, status, err, errs)
			continue
		}
		var got []string
		for _, r := range rows {
			got = append(got, r.Test)
		}
		if strings.Join(got, " ") != strings.Join(tests, " ") {
			t.Errorf("bench %s: %v", args, got)
		}
	}
}

// A scan can be saved, as table and plot, with the machine and the command.
func TestScanFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "scan")
	status, out, errs := process(t, "pm", "scan", dir, "--rings", "1,4,16", "--time", "1us", "--format", "csv")
	if status != 0 || errs != "" || strings.Count(out, "\n") != 10 {
		t.Fatalf("status %d, %q, %q", status, out, errs)
	}
	for name, want := range map[string]string{"scan.csv": "scan-evicting,16,", "scan.svg": "scan-random", "commands.txt": "bench pm scan DIR --rings 1,4,16 --time 1µs", "host.json": "l1_bytes"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
	for args, want := range map[string]string{dir: "give a folder that is not there yet", "a b": "takes one folder"} {
		if status, out, errs := process(t, append([]string{"pm", "scan"}, strings.Fields(args)...)...); status != statusUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %q, %q", args, status, out, errs)
		}
	}
}

func TestBadInputBelowMPI(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"nic", "bench nic measures aotf, barrier, botf"},
		{"nic push --trace --sizes 8,16", "one size, not 2"},
		{"nic push --trace --sizes x", `size "x"`},
		{"nic barrier --trace", "--trace"},
		{"nic trace", "name one operation to trace: push, pull"},
		{"nic trace shove", `nothing to show for "shove"; there are push, pull`},
		{"nic trace push --sizes -1", "-1 bytes to show"},
		{"nic shove", `no measurement "shove"`},
		{"nic push 8", `unexpected argument "8"`},
		{"nic barrier --sizes 8", "bench: size 8: barrier has no message; leave --sizes out\n"},
		{"llc burst --sizes -1", "bench: size -1; llc-burst takes 0 to 4194304 bytes\n"},
		{"nic push --sizes 7", "size 7; push takes multiples of 8"},
		{"nic botf --sizes 4096", "to 2048 bytes"},
		{"nic push --format xml", "table, csv, json"},
		{"nic push --time 0s", "--time 0s"},
		{"nic push --sizes x", `size "x"`},
		{"nic model", "bench nic model measures exceptions, latency, miss, throughput, timeline, vpush"},
		{"nic model shove", `no measurement "shove"`},
		{"nic model miss --sizes 4096", "size 4096; hard takes multiples of 8 from 8 to 2048 bytes"},
		{"nic model vpush --sizes x", `size "x"`},
		{"nic model vpush --format xml", "table, csv, json"},
		{"nic model vpush --repetitions -1", "--repetitions -1 is less than 1"},
		{"nic model vpush 8", `unexpected argument "8"`},
		{"nic model timeline --sizes 2049", "a time line of 2049 bytes"},
		{"nic model timeline --format xml", "table, csv, json"},
		{"connected", "take at least 7 ranks, there are 1; start it with mpirun -n 68"},
		{"connected --sizes x", `size "x"`},
		{"connected --format xml", "table, markdown, csv, json, go"},
		{"connected --rounds 0", "bench: --rounds 0 is less than 1\n"},
		{"pm", "bench pm measures burst, pingpong, scan"},
		{"pm burst --nodes 1", `"1" in --nodes is not a number from 2 to 1024`},
		{"pm burst --time -1s", "--time"},
		{"pm burst --layer tcp", "rhinet, vp, ring, throttled"},
		{"pm burst --layer vp --sizes 8184", "1 to 2040 bytes"},
		{"pm scan --rings x", `"x" in --rings`},
		{"pm scan --format xml", "table, csv, json"},
	} {
		status, out, errs := process(t, strings.Fields(c.args)...)
		if status != statusUsage || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("bench %s: status %d, output %q, errors %q; want %q", c.args, status, out, errs, c.want)
		}
	}
	t.Setenv("RHINET_JOB", "version=1")
	if status, _, errs := process(t, "nic", "push"); status != statusUsage || !strings.Contains(errs, "without mpirun") {
		t.Errorf("under mpirun: status %d, errors %q", status, errs)
	}
}

// A trace names every state that a message passes.
func TestTrace(t *testing.T) {
	for _, args := range []string{"nic push --trace", "nic push --trace --sizes 4096", "nic trace miss"} {
		status, out, errs := process(t, strings.Fields(args)...)
		if status != 0 || errs != "" || !strings.Contains(out, "Initiator IPA2     -> ") || !strings.Contains(out, " steps\n") {
			t.Errorf("bench %s: status %d, %q, %q", args, status, out, errs)
		}
	}
}

// The stepped model is measured by its own clock.
func TestModel(t *testing.T) {
	for args, want := range map[string]string{
		"latency --sizes 8 --repetitions 3":    "aotf,2,8,3,",
		"miss --sizes 32 --repetitions 3":      "noex,2,32,3,",
		"exceptions --sizes 128":               "pattern-5-loop,3,128,100,",
		"throughput --sizes 8 --repetitions 9": "push-both,2,8,9,",
		"timeline --sizes 8":                   "8,CPU,rfend handler,",
	} {
		status, out, errs := process(t, append([]string{"nic", "model", "--format", "csv"}, strings.Fields(args)...)...)
		if status != 0 || !strings.Contains(out, "\n"+want) || errs != "" {
			t.Errorf("bench nic model %s: status %d, %q, %q", args, status, out, errs)
		}
	}
}

// A second process that fails reports the reason in one line.
func TestSecondProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"nic shove": "no NIC measurement", "pm tcp": "no message layer", "mpi x": "no measurement of", "nic push": "second process",
	} {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), asBench+"=1", "RHINET_BENCH_SECOND="+name)
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: %v, %q", name, err, out)
		}
	}
}

// Two pairs of one job are compared in one run.
func TestConnected(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes share no memory here")
	}
	if testing.Short() {
		t.Skip("builds a program")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mpirun := filepath.Join(t.TempDir(), "mpirun")
	if text, err := exec.Command("go", "build", "-o", mpirun, "rhinet/cmd/mpirun").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	cmd := exec.Command(mpirun, "-q", "--timeout", "1m", "-n", "8", self, "connected", "--rounds", "6", "--time", "100us", "--format", "csv")
	cmd.Env = append(os.Environ(), asBench+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "4 peers,2 peers,") || !strings.Contains(string(out), "\nconnected,8,8,") {
		t.Errorf("%v: %s", err, out)
	}
}

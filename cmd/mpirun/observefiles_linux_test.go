package main

import (
	"net"
	"os"
	"strings"
	"testing"

	"rhinet/internal/launch"
)

// The files of mpirun replace earlier files of mpirun, and nothing else; two flags cannot write to the same
// file. These mistakes are found before anything is started.
func TestFilesThatAreThere(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"notes.txt", "notes.json", "notes.html", "notes.pprof"} {
		if err := os.WriteFile(name, []byte("buy milk\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"--stats=notes.txt"}, {"--stats=notes.json"}, {"--stats=notes.html"}, {"--trace", "notes.json"}, {"--profile", "cpu:notes.pprof"},
		{"--time", "loggp", "--time-report", "notes.json"},
	} {
		status, out, err := mpirun(t, append(args, "touch", "started")...)
		if !strings.Contains(err, ": it is there, and is none that mpirun replaces; name another file, or remove it") || status != launch.StatusUsage || out != "" {
			t.Errorf("%q: status %d, %q", args, status, err)
		}
	}
	for _, args := range [][]string{{"--stats=a.json", "--trace", "./a.json"}, {"--trace", "b", "--profile", "cpu:b"}, {"--time", "loggp", "--trace", "b", "--time-report", "b"}} {
		if status, _, err := mpirun(t, append(args, "touch", "started")...); status != launch.StatusUsage || !strings.Contains(err, "would both write to") {
			t.Errorf("%q: status %d, %q", args, status, err)
		}
	}
	if text, err := os.ReadFile("notes.json"); string(text) != "buy milk\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Stat("started"); err == nil {
		t.Error("the program was started")
	}
	for range 2 { // its own files are replaced
		for _, args := range [][]string{{"--stats=s.txt"}, {"--stats=s.json"}, {"--stats=s.html"}, {"--trace", "t.json"}, {"--profile", "heap:h.pprof"}, {"-q", "--time", "loggp", "--time-report", "r.json"}} {
			status, _, err := mpirun(t, append(args, "-x", playRank+"=observed ", os.Args[0])...)
			if status != 0 {
				t.Errorf("%q: status %d, %q", args, status, err)
			}
		}
	}
}

// An address on which mpirun cannot listen is named in the error.
func TestMetricsThatCannotBeServed(t *testing.T) {
	if status, _, err := mpirun(t, "--metrics", ":99999", "true"); status != launch.StatusUsage || !strings.Contains(err, "--metrics :99999: give an address to listen on") {
		t.Errorf("status %d, %q", status, err)
	}
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if status, _, err := mpirun(t, "--metrics", taken.Addr().String(), "true"); status != launch.StatusFailed || !strings.HasPrefix(err, "mpirun: --metrics: listen tcp ") {
		t.Errorf("status %d, %q", status, err)
	}
}

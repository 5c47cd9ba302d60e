package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/internal/launch"
)

// fakeDebugger puts a dlv first in PATH that records its arguments and runs the program.
func fakeDebugger(t *testing.T) (noted string) {
	t.Helper()
	dir := t.TempDir()
	noted = filepath.Join(dir, "arguments")
	script := "#!/bin/sh\necho \"$RHINET_RANK $*\" >> " + noted + "\nwhile [ \"$1\" != -- ]; do program=$1; shift; done\nshift\nexec \"$program\" \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "dlv"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return noted
}

// The named ranks run under the debugger, as ranks of the job; a package is built for debugging.
func TestDebug(t *testing.T) {
	noted := fakeDebugger(t)
	status, out, err := mpirun(t, "-n", "3", "--debug", "2", "../hello", "a b")
	if status != 0 || strings.Count(out, "\n") != 3 {
		t.Fatalf("status %d, %s%s", status, out, err)
	}
	text, fail := os.ReadFile(noted)
	const begin, end = "2 exec --headless --listen=127.0.0.1:0 --accept-multiclient /", "/hello -- a b\n"
	if got := string(text); fail != nil || !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, end) || strings.Count(got, "\n") != 1 {
		t.Errorf("%q, %v", got, fail)
	}
	program := strings.TrimSuffix(strings.TrimPrefix(string(text), begin), " -- a b\n")
	if _, err := os.Stat("/" + program); !os.IsNotExist(err) {
		t.Errorf("what was built is left: %v", err)
	}
	if status, _, err := mpirun(t, "-n", "2", "--debug", "0,1", "-x", playRank+"=observed ", os.Args[0]); status != 0 {
		t.Errorf("status %d, %s", status, err)
	}
}

func TestWrongDebug(t *testing.T) {
	for _, v := range []string{"", "x", "-1", "1,", "1,1", "1 2", "99999999999999999999"} {
		status, _, err := mpirun(t, "-n", "2", "--debug", v, "true")
		if want := "mpirun: --debug " + v + ": give numbers of ranks, each once, such as 2 or 0,3\n"; status != launch.StatusUsage || err != want {
			t.Errorf("status %d, %q", status, err)
		}
	}
	t.Setenv("PATH", "/nowhere")
	for v, want := range map[string]string{
		"2": "rank 2 cannot be debugged: the job has ranks 0 to 1",
		"1": "there is no dlv in PATH to debug with; go install github.com/go-delve/delve/cmd/dlv@latest installs it",
	} {
		status, _, err := mpirun(t, "-n", "2", "--debug", v, "/bin/true")
		if status != launch.StatusUsage || err != "mpirun: "+want+"\n" {
			t.Errorf("status %d, %q", status, err)
		}
	}
}

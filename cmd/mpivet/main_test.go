package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain makes this test binary run as the program.
func TestMain(m *testing.M) {
	if os.Getenv("MPIVET_IS_RUN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// run runs mpivet in a folder with a mistake.
func run(t *testing.T, args ...string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = filepath.Join("..", "..", "internal", "mpivet", "testdata", "room")
	cmd.Env = append(os.Environ(), "MPIVET_IS_RUN=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// A mistake gives a line and a status; -NAME=false turns a check off.
func TestAlone(t *testing.T) {
	for _, c := range []struct {
		args []string
		find bool
	}{{[]string{"."}, true}, {[]string{"-room=false", "."}, false}} {
		out, err := run(t, c.args...)
		if strings.Contains(out, "room.go:8:24: buf has no elements, and Recv receives") != c.find || (err != nil) != c.find {
			t.Errorf("%q: %v\n%s", c.args, err, out)
		}
	}
}

// What go vet requires of a tool: a version, and its flags as JSON. The gate runs it this way.
func TestAsAToolOfGoVet(t *testing.T) {
	if out, err := run(t, "-V=full"); err != nil || !strings.Contains(out, " version ") {
		t.Errorf("%v %q", err, out)
	}
	if out, err := run(t, "-flags"); err != nil || !strings.Contains(out, `"Name": "waited"`) {
		t.Errorf("%v %q", err, out)
	}
}

// Whoever asks for help learns how to run the program, and not only its flags.
func TestHelp(t *testing.T) {
	for _, flag := range []string{"-h", "-help", "--help"} {
		if out, err := run(t, flag); err != nil || out != usage {
			t.Errorf("%s: %v\n%s", flag, err, out)
		}
	}
	if out, err := run(t, "help", "room"); err != nil || !strings.Contains(out, "receive buffers that have no room") {
		t.Errorf("help room: %v\n%s", err, out)
	}
}

// Package need skips tests for which a machine lacks something. They fail instead where CI is set, as in
// the gate, which installs everything.
package need

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of a program, by its name.
func Program(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, name+" is not installed")
	}
	return path
}

// Missing ends a test because something is missing, and says what.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

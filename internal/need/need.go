// Package need has tests do without what a machine lacks: they are skipped there, but fail where the
// gate runs (CI is set), which installs everything.
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

// Missing ends a test for lack of something, and says what.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(what)
	}
	t.Skip(what)
}

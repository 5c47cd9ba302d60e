//go:build peers

package libmpi_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/internal/libmpi"
	"rhinet/internal/libmpi/libmpitest"
	"rhinet/internal/need"
)

// compiled compiles a C library.
func compiled(t *testing.T, mpicc, source string) string {
	t.Helper()
	dir := t.TempDir()
	file, so := filepath.Join(dir, "a.c"), filepath.Join(dir, "a.so")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(need.Program(t, mpicc), "-shared", "-fPIC", "-o", so, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return so
}

// A library that is not a shim of this version is refused before it is initialized; the error says what to
// do.
func TestOtherShims(t *testing.T) {
	other := strings.Replace(string(libmpi.Source), "#define VERSION 1", "#define VERSION 9", 1)
	for _, c := range []struct{ shim, want string }{
		{filepath.Join(t.TempDir(), "none.so"), "no such file or directory; compile internal/libmpi/c/shim.c"},
		{compiled(t, "gcc", "long rhinet_version(void *c) { return 1; }"), "is no shim of this rhinet: it has no rhinet_nothing; compile "},
		{compiled(t, "mpicc.mpich", other), "version 9 of the shim, this program has version 1; build both from one rhinet"},
	} {
		_, err := libmpi.Open(c.shim)
		if !errors.Is(err, libmpi.ErrUnavailable) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// The shim compiles without a warning with the compiler of every MPI.
func TestShimCompiles(t *testing.T) {
	for _, m := range libmpitest.All {
		m.Shim(t)
	}
}

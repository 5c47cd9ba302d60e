//go:build !peers

package mpi_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A program that cannot load the library of another MPI says so, and does not become a
// world of its own.
func TestLibraryWithoutTag(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), programVariable+"=good", "RHINET_LIBMPI=/shim.so")
	out, err := cmd.CombinedOutput()
	if err == nil || string(out) != "mpi: Init: no library of another MPI can be used: the program was built without; build it with -tags peers (Linux, amd64 or arm64), or unset RHINET_LIBMPI\n" {
		t.Errorf("%v, %q", err, out)
	}
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), programVariable+"=good", "RHINET_LIBMPI=/shim.so", "RHINET_JOB=x")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "start the program with the launcher of that library, or unset the variable") {
		t.Errorf("%v, %q", err, out)
	}
}

// Package libmpitest helps tests to run programs on the libraries of other MPIs.
package libmpitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"rhinet/internal/libmpi"
	"rhinet/internal/need"
)

// An MPI is an MPI as packaged by Debian.
type MPI struct {
	Name            string
	mpicc, launcher string
	flags           []string // up to and including that for the number of ranks
}

// All lists the MPIs that the gate installs. The excluded component of Open MPI's launcher crashes now and
// then.
var All = []MPI{
	{"Open MPI", "mpicc.openmpi", "mpirun.openmpi", []string{"--allow-run-as-root", "--oversubscribe", "--mca", "rtc", "^hwloc", "--mca", "btl_base_warn_component_unused", "0", "-np"}},
	{"MPICH", "mpicc.mpich", "mpiexec.mpich", []string{"-n"}},
}

// Shim compiles the shim for the library.
func (m MPI) Shim(t testing.TB) string {
	t.Helper()
	mpicc, dir := need.Program(t, m.mpicc), t.TempDir()
	source, shim := filepath.Join(dir, "shim.c"), filepath.Join(dir, "shim.so")
	if err := os.WriteFile(source, libmpi.Source, 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command(mpicc, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", shim, source).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return shim
}

// Command returns a command that runs a program with the given number of ranks by m's launcher, on the
// library of a shim.
func (m MPI) Command(t testing.TB, shim string, ranks int, program ...string) *exec.Cmd {
	t.Helper()
	words := append(append([]string{}, m.flags...), strconv.Itoa(ranks))
	cmd := exec.Command(need.Program(t, m.launcher), append(words, program...)...)
	cmd.Env = append(os.Environ(), libmpi.Variable+"="+shim, "GOMAXPROCS=2")
	return cmd
}

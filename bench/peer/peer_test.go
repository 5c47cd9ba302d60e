package peer

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"context"
)

func TestParse(t *testing.T) {
	rows, err := Parse("noise\nrow Bcast 2 8 1000 1.5\nhello 0 900\n")
	if err != nil || len(rows) != 1 || rows[0].Test != "Bcast" || rows[0].Microsecs != 1.5 {
		t.Errorf("rows %+v, %v", rows, err)
	}
	if _, err := Parse("row Bcast two 8 1000 1.5"); err == nil {
		t.Error("a word passes as a number")
	}
	if kib, ranks := ParseHello("hello 0 900\nhello 1 1000\nhello 1 x\n"); kib != 1000 || ranks != 2 {
		t.Errorf("%v KiB, %d ranks", kib, ranks)
	}
}

func TestCompilerErrorIsShown(t *testing.T) {
	if _, err := Compile(t.Context(), "false", t.TempDir()); err == nil || !strings.Contains(err.Error(), "false cannot compile") {
		t.Errorf("error is %v", err)
	}
	if _, err := Compile(t.Context(), "true", "/nowhere"); err == nil {
		t.Error("a missing folder passes")
	}
}

// The program knows every test of the suite, where there is an MPI to build
// it with.
func TestSuiteRunsOnOpenMPI(t *testing.T) {
	for _, tool := range []string{"mpicc.openmpi", "mpirun.openmpi"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	bin, err := Compile(t.Context(), "mpicc.openmpi", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"PingPong", "Biband", "Reduce_scatter", "Scatterv", "Barrier"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		text, err := exec.CommandContext(ctx, "mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-np", "2", bin, name, "8,1024", "1").CombinedOutput()
		cancel()
		rows, bad := Parse(string(text))
		if err != nil || bad != nil || len(rows) != 2 || rows[1].Microsecs <= 0 {
			t.Errorf("%s: %v, %v: %s", name, err, bad, text)
		}
	}
}

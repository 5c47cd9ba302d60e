package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A fragment is a piece of Go on a page, which needs what stands around it to be a function.
type fragment struct {
	page       string
	block      int // among the Go blocks of the page
	parameters string
}

// fragments are the pieces of Go about calls of MPI that are no programs. A test compiles them.
func fragments() []fragment {
	return []fragment{
		{"faults.md", 0, "comm *mpi.Comm, part, total []float64"},
		{"layouts.md", 0, "c *mpi.Comm, m []float64, rows, cols int"},
		{"layouts.md", 1, "c *mpi.Comm, table []float64, n, cols int, multiply func(in, inout []float64)"},
	}
}

// module makes a module that uses this tree, in a new directory, and changes to it.
func module(t *testing.T, root string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, value := range map[string]string{"GOPROXY": "off", "GOSUMDB": "off", "GOWORK": "off", "GOFLAGS": "-mod=mod"} {
		t.Setenv(name, value)
	}
	for _, args := range [][]string{{"mod", "init", "example"}, {"mod", "edit", "-require=rhinet@v0.0.0", "-replace=rhinet=" + root}} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", args, err, out)
		}
	}
}

// The fragments of Go on the pages compile, and mpivet finds nothing in them.
func TestFragmentsCompile(t *testing.T) {
	var text strings.Builder
	text.WriteString("package main\n\nimport \"rhinet/mpi\"\n\nfunc main() {}\n")
	_, root := document(t, "README.md")
	for i, f := range fragments() {
		page, _ := document(t, filepath.Join("docs", f.page))
		all := blocks(page, "go")
		if f.block >= len(all) {
			t.Fatalf("%s has %d Go blocks", f.page, len(all))
		}
		text.WriteString("\n// " + f.page + "\nfunc fragment" + string(rune('A'+i)) + "(" + f.parameters + ") error {\n" + all[f.block] + "\treturn err\n}\n")
	}
	module(t, root)
	if err := os.WriteFile("main.go", []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	vet := filepath.Join(t.TempDir(), "mpivet")
	build := exec.Command("go", "build", "-o", vet, "./cmd/mpivet")
	build.Dir = root
	for _, cmd := range []*exec.Cmd{build, exec.Command("go", "vet", "-vettool="+vet, ".")} {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", cmd, err, out, text.String())
		}
	}
}

// The test that the quick start shows passes beside its program.
func TestQuickStartOfTests(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory of ranks is that of Linux")
	}
	page, root := document(t, "docs/quickstart.md")
	parts := blocks(page, "go")
	module(t, root)
	for name, text := range map[string]string{
		"main.go":      program(t, page),
		"main_test.go": "package main\n\nimport (\n\t\"testing\"\n\n\t\"rhinet/mpi/mpitest\"\n)\n\n" + parts[len(parts)-1],
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("go", "test", "-v", ".").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestRun") || !strings.Contains(string(out), "rank 4 of 5: all ranks add up to 10") {
		t.Errorf("%v: %s", err, out)
	}
}

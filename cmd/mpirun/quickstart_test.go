package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// document reads a file of the tree, whose root is returned as well.
func document(t *testing.T, name string) (text, root string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), root
}

// program returns the first program in a text.
func program(t *testing.T, text string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "```go\npackage main\n")
	code, _, ended := strings.Cut(rest, "```\n")
	if !found || !ended {
		t.Fatal("there is no program in it")
	}
	return "package main\n" + code
}

// The quick start works as it is written, in a module outside the tree, and
// without a network once the tree has been built.
func TestQuickStart(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ranks are processes on Linux only")
	}
	text, root := document(t, "docs/quickstart.md")
	t.Chdir(t.TempDir())
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOSUMDB", "off") // it would be asked about go.sum, which is new
	t.Setenv("GOWORK", "off")
	steps := 0
	for line := range strings.Lines(text) {
		step := strings.Fields(strings.ReplaceAll(line, "/path/to/rhinet", root))
		if strings.HasPrefix(line, "    go mod ") {
			steps++
			if out, err := exec.Command(step[0], step[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", step, err, out)
			}
		}
		if value, found := strings.CutPrefix(line, "    export GOFLAGS="); found {
			steps++
			t.Setenv("GOFLAGS", strings.TrimSpace(value))
		}
	}
	if steps != 3 {
		t.Fatalf("%d steps", steps)
	}
	if err := os.WriteFile("main.go", []byte(program(t, text)), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, errs := mpirun(t, "-n", "2", ".")
	lines := slices.Sorted(strings.Lines(out))
	if status != 0 || errs != "" || len(lines) != 2 {
		t.Fatalf("status %d, %q, %q", status, out, errs)
	}
	for _, line := range lines {
		if !strings.Contains(text, "    "+line) {
			t.Errorf("the text does not show %q", line)
		}
	}
}

func TestReadmeShowsTheSameProgram(t *testing.T) {
	quick, _ := document(t, "docs/quickstart.md")
	readme, _ := document(t, "README.md")
	code := program(t, quick)
	if n := strings.Count(code, "\n"); n != 15 {
		t.Errorf("the program has %d lines, not the 15 that are promised", n)
	}
	if program(t, readme) != code {
		t.Error("the programs differ")
	}
}

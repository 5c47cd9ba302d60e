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

// document reads a file of the tree, and also returns the root of the tree.
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

// The quick start works as written, in a module outside the tree, and without a network once the tree has
// been built.
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

// The example in the README also works, line by line, with its program in the place that it names.
func TestReadmeRecipe(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ranks are processes on Linux only")
	}
	text, root := document(t, "README.md")
	_, rest, found := strings.Cut(text, "It works in a module of your own, anywhere:\n\n")
	recipe, _, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatal("there is no recipe in it")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "program"), []byte(program(t, text)), 0o600); err != nil {
		t.Fatal(err)
	}
	script := "set -e\n"
	for line := range strings.Lines(recipe + "\n") {
		command, indented := strings.CutPrefix(strings.ReplaceAll(line, "/path/to/rhinet", root), "    ")
		switch {
		case !indented:
			t.Fatalf("%q is no command", line)
		case strings.HasPrefix(command, "# save the program above here, as main.go"):
			command = "cp ../program main.go\n"
		}
		script += command
	}
	sh := exec.Command("sh", "-c", script)
	sh.Dir = dir
	bin := filepath.Join(dir, "bin")
	sh.Env = append(os.Environ(), "GOBIN="+bin, "PATH="+bin+":"+os.Getenv("PATH"), "GOPROXY=off", "GOSUMDB=off", "GOWORK=off")
	out, err := sh.Output()
	if want := "rank 1 of 2: all ranks add up to 1\n"; err != nil || strings.Count(string(out), "\n") != 2 || !strings.Contains(string(out), want) {
		t.Fatalf("%v, %q\n%s", err, out, script)
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

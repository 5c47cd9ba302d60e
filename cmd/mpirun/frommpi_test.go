package main

import (
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// blocks returns the code blocks of a page in a language.
func blocks(text, language string) (all []string) {
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```\n").FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

var takesWorld = regexp.MustCompile(`(?m)^func (\w+)\(world \*mpi\.Comm\) error`)

// The Go blocks of the page for users of another MPI form one program, which succeeds on four ranks. The
// first block is a program of its own.
func TestFromMPI(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ranks are processes on Linux only")
	}
	text, root := document(t, "docs/from-mpi.md")
	parts := blocks(text, "go")
	if len(parts) < 8 {
		t.Fatalf("%d parts", len(parts))
	}
	module(t, root)
	calls := ""
	for _, m := range takesWorld.FindAllStringSubmatch(strings.Join(parts[1:], ""), -1) {
		calls += "\tif err := " + m[1] + "(world); err != nil {\n\t\treturn err\n\t}\n"
	}
	var all strings.Builder
	all.WriteString("package main\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n\n\t\"rhinet/mpi\"\n)\n\nfunc main() { mpi.Main(run) }\n\nfunc run(world *mpi.Comm) error {\n")
	all.WriteString(calls + "\treturn nil\n}\n\n" + strings.Join(parts[1:], "\n"))
	for _, p := range []struct {
		name, text string
		says       []string
	}{
		{"first.go", parts[0], []string{"0 of 4", "3 of 4"}},
		{"rest.go", all.String(), []string{"got [1 2 3]", "neighbors 1 1", "Send cannot reach rank 99"}},
	} {
		if err := os.WriteFile(p.name, []byte(p.text), 0o600); err != nil {
			t.Fatal(err)
		}
		status, out, errs := mpirun(t, "-n", "4", p.name)
		if status != 0 || errs != "" {
			t.Errorf("%s: status %d, %q, %q", p.name, status, out, errs)
		}
		for _, line := range p.says {
			if !strings.Contains(out, line+"\n") {
				t.Errorf("%s does not say %q: %q", p.name, line, out)
			}
		}
	}
	if strings.Count(calls, "err :=") < 8 {
		t.Errorf("only these are called:\n%s", calls)
	}
}

// The C blocks compile, if there is an MPI for C.
func TestFromMPIForC(t *testing.T) {
	mpicc, err := exec.LookPath("mpicc")
	if err != nil {
		t.Skip("no MPI for C is installed")
	}
	text, _ := document(t, "docs/from-mpi.md")
	parts := blocks(text, "c")
	if len(parts) < 8 {
		t.Fatalf("%d parts", len(parts))
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("all.c", []byte(strings.Join(parts, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(mpicc, "-c", "-Wall", "-Werror", "all.c").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

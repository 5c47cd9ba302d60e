package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A mistake is a command line, with the beginning of the error line that it gets.
type mistake struct{ line, want string }

// readMistakes reads the table of command lines.
func readMistakes(t *testing.T) (all []mistake) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "mistakes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch want, indented := strings.CutPrefix(line, "\t"); {
		case indented:
			all[len(all)-1].want = want
		case line != "" && line[0] != '#':
			all = append(all, mistake{line: line})
		}
	}
	return all
}

// arguments splits a command line; arguments that contain blanks or are empty are in quotes.
func arguments(line string) (args []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	return args[1:]
}

// Every mistake in a command line gives one line that begins as the table says, and status 2; nothing is
// printed, created, or overwritten.
func TestMistakes(t *testing.T) {
	all := readMistakes(t)
	if len(all) < 120 {
		t.Fatalf("only %d command lines", len(all))
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const shares = 4
	for share := range shares {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "file.txt"), []byte("hello\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for i := share; i < len(all); i += shares {
				var out, errs bytes.Buffer
				cmd := exec.Command(self, arguments(all[i].line)...)
				cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
				cmd.Env = append(os.Environ(), asBench+"=1")
				if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
					t.Fatal(err)
				}
				status := cmd.ProcessState.ExitCode()
				if status != statusUsage || !strings.HasPrefix(errs.String(), all[i].want) || strings.Count(errs.String(), "\n") != 1 || out.Len() > 0 {
					t.Errorf("%s: status %d, output %q, errors %q; want %q", all[i].line, status, out.String(), errs.String(), all[i].want)
				}
				if there := listing(t, dir); there != "file.txt hello" {
					t.Fatalf("%s: now there is %q", all[i].line, there)
				}
			}
		})
	}
}

// listing returns the contents of a folder.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var found []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		found = append(found, path)
		if d.IsDir() {
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		found = append(found, strings.TrimSpace(string(text)))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(found, " ")
}

// Flags may be written in the form that users of IMB know.
func TestFlagsOfIMB(t *testing.T) {
	if status, out, errs := process(t, "pmb", "-iter", "3", "-msglog", "2:3", "Bcast"); status != 0 || !strings.Contains(out, "\n            8            3 ") {
		t.Errorf("status %d, output %s, errors %s", status, out, errs)
	}
}

// Measurements can be printed in Go's benchmark format.
func TestGoFormat(t *testing.T) {
	for _, args := range []string{"barrier --format go", "nic push --sizes 8 --format go"} {
		status, out, errs := process(t, append(strings.Fields(args), "--time", "1us")...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if status != 0 || len(lines) < 6 || !strings.HasPrefix(lines[0], "goos: ") || !strings.HasPrefix(lines[2], "cpu: ") {
			t.Fatalf("bench %s: status %d, errors %q, output %s", args, status, errs, out)
		}
		for _, line := range lines[5:] {
			f := strings.Fields(line)
			if len(f) < 4 || len(f)%2 != 0 || !strings.HasPrefix(f[0], "Benchmark") || !strings.Contains(f[0], "/ranks=") || f[3] != "ns/op" && f[3] != "MB/s" {
				t.Errorf("bench %s: line %q", args, line)
			}
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommand: a mistake is found on the platform that has it, in packages and in tests, and is shown once.
func TestCommand(t *testing.T) {
	dir, empty := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example\n\ngo 1.26\n",
		"any.go":        "package example\n\nfunc Use() int { return size() }\n",
		"p_linux.go":    "package example\n\nfunc size() int { return 8 }\n",
		"p_darwin.go":   "package example\n\nfunc size() int { return \"8\" }\n",
		"b_arm64.go":    "package example\n\nimport \"fmt\"\n\nvar _ = fmt.Sprint\n",
		"any_test.go":   "package example\n\nimport \"testing\"\n\nfunc TestUse(*testing.T) { Use() }\n",
		"b_386_test.go": "package example\n\nvar _ int = true\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(empty, "go.mod"), []byte("module example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, dir string
		platforms []string
		status    int
		want      string // in one line of what is printed
	}{
		{"correct", dir, []string{"linux/arm64"}, 0, ""},
		{"a package", dir, []string{"linux/arm64", "darwin/arm64"}, 1, "typecheck: darwin/arm64: " + filepath.Join(dir, "p_darwin.go") + ":3:26: cannot use \"8\""},
		{"a test", dir, []string{"linux/386"}, 1, "typecheck: linux/386: " + filepath.Join(dir, "b_386_test.go") + ":3:13: cannot use true"},
		{"no platform", dir, nil, 2, "typecheck: name the platforms to check for, such as linux/arm64"},
		{"half a platform", dir, []string{"linux"}, 2, `typecheck: "linux" is no platform; write GOOS/GOARCH, such as linux/arm64`},
		{"an unknown platform", dir, []string{"linux/pdp11"}, 2, "unsupported GOOS/GOARCH pair linux/pdp11"},
		{"no packages", empty, []string{"linux/amd64"}, 2, "typecheck: there are no packages here; run it in a module"},
	} {
		var trouble strings.Builder
		status := command(c.dir, c.platforms, &trouble)
		got := trouble.String()
		if status != c.status || !strings.Contains(got, c.want) || strings.Count(got, "\n") != min(status, 1) {
			t.Errorf("%s: status %d, want %d; %q, want one line with %q", c.name, status, c.status, got, c.want)
		}
	}
}

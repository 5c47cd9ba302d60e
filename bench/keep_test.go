package bench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// put writes a file for a test.
func put(t *testing.T, file, text string) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A file may replace no file, an empty one, or one of its kind. For anything else there is an error that
// says what to do.
func TestKeptFilesReplaceTheirKindOnly(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ file, want string }{
		{filepath.Join(dir, "new"), ""},
		{put(t, filepath.Join(dir, "empty"), ""), ""},
		{put(t, filepath.Join(dir, "own"), "own\nand more"), ""},
		{put(t, filepath.Join(dir, "other"), "not own"), "other is there, and is no page of ours; give another name, or remove it"},
		{dir, dir + " is there, and is not a file; give another name"},
		{filepath.Join(dir, "none", "x"), "cannot write to folder " + dir + "/none: no such file or directory; make it first, or name another place"},
		{filepath.Join(dir, "other", "x"), "cannot write to folder " + dir + "/other: not a directory; name another place"},
	} {
		k := Kept{c.file, "page of ours", func(head string) bool { return strings.HasPrefix(head, "own\n") }}
		if err := k.Check(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.file, err, c.want)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 3 {
		t.Errorf("the folder holds %v", left)
	}
}

func TestUnreadableFilesAreKept(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	file := put(t, filepath.Join(t.TempDir(), "secret"), "x")
	if err := os.Chmod(file, 0); err != nil {
		t.Fatal(err)
	}
	if err := (Kept{file, "page", func(string) bool { return true }}).Check(); err == nil || !strings.Contains(err.Error(), "what it is cannot be seen: permission denied; give another name") {
		t.Errorf("got %v", err)
	}
}

// A file is replaced completely or not at all, and no other file is left.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "page"), "old")
	broken := errors.New("broken")
	half := func(out *os.File) error {
		out.WriteString("half")
		return broken
	}
	if err := Replace(file, half); err != broken {
		t.Errorf("got %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "old" {
		t.Errorf("the file holds %q", text)
	}
	if err := Replace(file, func(out *os.File) error { _, err := out.WriteString("new"); return err }); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(file)
	if text, _ := os.ReadFile(file); err != nil || string(text) != "new" || info.Mode().Perm() != 0o644 {
		t.Errorf("the file holds %q, %v, %v", text, info, err)
	}
	if err := Replace(filepath.Join(dir, "none", "x"), half); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := Replace(file, func(out *os.File) error { return out.Close() }); err == nil {
		t.Error("no error for a file that was closed")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the folder holds %v", left)
	}
}

func TestFoldersThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "file"), "x")
	for _, c := range []struct{ folder, want string }{
		{filepath.Join(dir, "a", "b"), ""},
		{dir, ""},
		{file, file + " is there, and is not a folder; name another"},
		{file + "/", "/file/ is there, and is not a folder; name another"},
		{filepath.Join(file, "a", "b"), "cannot make folder " + file + "/a/b: " + file + " is not a folder; name another place"},
	} {
		if err := MakeFolder(c.folder); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.folder, err, c.want)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(dir, "a", "b")); len(left) != 0 {
		t.Errorf("a new folder holds %v", left)
	}
	// A folder in which no file can be created, not even by root.
	const proc = "/proc/self/fdinfo"
	if _, err := os.Stat(proc); err != nil {
		t.Skip(err)
	}
	if err := MakeFolder(proc + "/a/b"); err == nil || !strings.HasPrefix(err.Error(), "cannot make folder "+proc+"/a/b: nothing can be made in "+proc+": ") ||
		!strings.HasSuffix(err.Error(), "; name another place") {
		t.Errorf("got %v", err)
	}
	if err := MakeFolder(proc); err == nil || !strings.HasPrefix(err.Error(), "cannot write to folder "+proc+": ") || strings.Contains(err.Error(), "make it first") {
		t.Errorf("got %v", err)
	}
}

func TestHasSchema(t *testing.T) {
	for head, want := range map[string]bool{
		`{"schema":"ours-1"}`:               true,
		"{\n \"schema\": \"ours-2\",\n ...": true,
		`{"schema":"other"}`:                false,
		`{"x":1,"schema":"ours-1"}`:         false,
		`{"schema":`:                        false,
		``:                                  false,
	} {
		if HasSchema(head, "ours-") != want {
			t.Errorf("%q: not %v", head, want)
		}
	}
}

package workdir

import (
	"os"
	"path/filepath"
	"testing"
)

// directories lists those in a folder.
func directories(t *testing.T, in string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(in, prefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDirectoryIsGoneWhenClosed(t *testing.T) {
	in := t.TempDir()
	t.Setenv("TMPDIR", in)
	a, err := New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(t.Context()) // sweeps, and leaves the living one alone
	if err != nil || len(directories(t, in)) != 2 {
		t.Errorf("directories %v, %v", directories(t, in), err)
	}
	for _, p := range []Dir{a, b} {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	if left := directories(t, in); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := Lock(a.Path); err != ErrLost {
		t.Errorf("locking what is gone: %v", err)
	}
	t.Setenv("TMPDIR", "/nowhere/at/all")
	if _, err := New(t.Context()); err == nil {
		t.Error("a directory in no folder")
	}
}

// Sweeping follows no link, and touches no file.
func TestSweepKeepsToFolders(t *testing.T) {
	in, outside := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	if err := os.Mkdir(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(in, prefix+"1")
	if err := os.MkdirAll(filepath.Join(stale, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(stale, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(in, prefix+"2")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(in, prefix+"3"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(filepath.Join(in, prefix+"2")); err == nil {
		t.Error("a link passes as a folder")
	}
	sweep(in)
	if left := directories(t, in); len(left) != 2 {
		t.Errorf("left are %v", left)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Errorf("what a link names is gone: %v", err)
	}
}

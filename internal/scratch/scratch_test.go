package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

const prefix = "scratch-"

// directories lists those in a folder.
func directories(t *testing.T, in string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(in, prefix+"*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestDirectoryIsGoneWhenRemoved, and the next one leaves alone those that are in use.
func TestDirectoryIsGoneWhenRemoved(t *testing.T) {
	in := t.TempDir()
	a, err := Make(in, prefix)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Make(in, prefix)
	if err != nil || len(directories(t, in)) != 2 {
		t.Errorf("directories %v, %v", directories(t, in), err)
	}
	if _, err := Lock(a.Path); !errors.Is(err, ErrLost) {
		t.Errorf("locking what is in use: %v", err)
	}
	for _, d := range []*Dir{a, b} {
		if err := d.Remove(); err != nil {
			t.Error(err)
		}
	}
	if left := directories(t, in); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := Lock(a.Path); !errors.Is(err, ErrLost) {
		t.Errorf("locking what is gone: %v", err)
	}
	if _, err := Make("/nowhere/at/all", prefix); err == nil {
		t.Error("a directory in no folder")
	}
}

// TestAbandonedDirectoriesAreRemoved: the next one that is made removes them. It follows no link, and touches no file,
// and no directory of another name.
func TestAbandonedDirectoriesAreRemoved(t *testing.T) {
	in, outside := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	stale, other := filepath.Join(in, prefix+"1"), filepath.Join(in, "other-1")
	for _, dir := range []string{outside, filepath.Join(stale, "below"), other} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []string{filepath.Join(stale, "link"), filepath.Join(in, prefix+"2")} {
		if err := os.Symlink(outside, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(in, prefix+"3"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(filepath.Join(in, prefix+"2")); err == nil {
		t.Error("a link passes as a folder")
	}
	d, err := Make(in, prefix)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Remove()
	if left := directories(t, in); len(left) != 3 {
		t.Errorf("left are %v", left)
	}
	for _, path := range []string{outside, other, d.Path} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("it is gone: %v", err)
		}
	}
}

package workdir

import (
	"os"
	"strings"
	"testing"
)

// TestPlace: a command has a directory of its own, and says in one sentence where there can be none.
func TestPlace(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	d, done, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if d.Context.Err() != nil {
		t.Error("its context has ended")
	}
	if info, err := os.Stat(d.Path); err != nil || !info.IsDir() {
		t.Errorf("%s: %v", d.Path, err)
	}
	done()
	if _, err := os.Stat(d.Path); err == nil || d.Context.Err() == nil {
		t.Errorf("the directory is left (%v), its context lives (%v)", err == nil, d.Context.Err() == nil)
	}
	t.Setenv("TMPDIR", "/nowhere/at/all")
	if _, _, err := Open(); err == nil || !strings.HasPrefix(err.Error(), "cannot make a folder to work in: ") || !strings.HasSuffix(err.Error(), "(TMPDIR names another place)") {
		t.Errorf("a directory in no folder: %v", err)
	}
}

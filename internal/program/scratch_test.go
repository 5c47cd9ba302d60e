package program

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSweepSparesWhatIsInUse(t *testing.T) {
	parent := t.TempDir()
	s, err := newScratch(parent)
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(parent, scratchPrefix+"file"), nil, 0o644)
	os.Symlink("/", filepath.Join(parent, scratchPrefix+"link"))
	os.Mkdir(filepath.Join(parent, scratchPrefix+"old"), 0o700)
	sweep(parent)
	for name, stays := range map[string]bool{filepath.Base(s.path): true, scratchPrefix + "file": true, scratchPrefix + "link": true, scratchPrefix + "old": false} {
		if _, err := os.Lstat(filepath.Join(parent, name)); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.remove()
	if _, err := os.Stat(s.path); err == nil {
		t.Error("remove left the directory")
	}
}

func TestScratchTakenAwayBeforeItsLock(t *testing.T) {
	if s, err := lockScratch(filepath.Join(t.TempDir(), "gone")); s != nil || err != nil {
		t.Errorf("got %v, %v", s, err)
	}
}

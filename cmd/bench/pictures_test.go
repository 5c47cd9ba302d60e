package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/bench/pictures"
)

// TestPictures: the command writes a file for each network interface, and prints its name; a missing folder
// is an error.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	status, out, errs := process(t, "model", "pictures", "--dir", dir)
	if status != 0 || errs != "" || strings.Count(out, "\n") != len(pictures.All()) {
		t.Fatal(status, out, errs)
	}
	for _, p := range pictures.All() {
		if b, err := os.ReadFile(filepath.Join(dir, p.Name+".svg")); err != nil || !strings.HasPrefix(string(b), "<svg ") {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if status, _, errs := process(t, "model", "pictures", "--dir", filepath.Join(dir, "none")); status != 1 || !strings.Contains(errs, "none") {
		t.Error(status, errs)
	}
}

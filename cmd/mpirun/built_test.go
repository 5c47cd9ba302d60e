package main

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sync"
	"testing"
)

// builds are the programs that several tests start, each built once. TestMain removes them.
var builds struct {
	mu  sync.Mutex
	dir string
}

// built returns an executable of a package.
func built(t *testing.T, pkg string) string {
	t.Helper()
	builds.mu.Lock()
	defer builds.mu.Unlock()
	if builds.dir == "" {
		dir, err := os.MkdirTemp("", "mpirun-test-")
		if err != nil {
			t.Fatal(err)
		}
		builds.dir = dir
	}
	file := filepath.Join(builds.dir, path.Base(pkg))
	if _, err := os.Stat(file); err == nil {
		return file
	}
	if text, err := exec.Command("go", "build", "-o", file, pkg).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return file
}

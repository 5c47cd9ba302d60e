package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/internal/scratch"
)

func TestTwoCommandsInOneFolder(t *testing.T) {
	dir := t.TempDir()
	lock, err := scratch.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	status, _, errs := command("results", dir, "--peers=", "--mpirun", "true")
	if status != statusUsage || !strings.Contains(errs, "another command is at work in "+dir) {
		t.Errorf("status %d, errors %q", status, errs)
	}
}

// For a folder that cannot be created or used there is one sentence, before anything runs.
func TestFoldersThatCannotTakeResults(t *testing.T) {
	dir := t.TempDir()
	file, page := filepath.Join(dir, "file"), filepath.Join(dir, "report.html")
	for _, f := range []string{file, page} {
		if err := os.WriteFile(f, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for folder, want := range map[string]string{
		"":                            "name one folder to write to, such as results/2026-01-31",
		file:                          file + " is there, and is not a folder; name another",
		filepath.Join(file, "a", "b"): "cannot make folder " + file + "/a/b: " + file + " is not a folder; name another place",
		dir:                           page + " is there, and is no report of bench report; give another name, or remove it",
	} {
		status, out, errs := command("results", folder, "--peers=", "--mpirun", "true")
		if status != statusUsage || out != "" || errs != "bench: "+want+"\n" {
			t.Errorf("%s: status %d, output %q, errors %q", folder, status, out, errs)
		}
	}
	other := t.TempDir()
	plots := filepath.Join(other, "plots")
	if err := os.WriteFile(plots, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, errs := command("results", other, "--peers=", "--mpirun", "true"); status != statusUsage || out != "" || errs != "bench: "+plots+" is there, and is not a folder; name another\n" {
		t.Errorf("plots is a file: status %d, output %q, errors %q", status, out, errs)
	}
}

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The pages about MPI and mpirun name every variable that the runtime and its launcher read or set, and pages
// name no other variable.
func TestVariablesInDocuments(t *testing.T) {
	about, root := document(t, "docs/mpi.md")
	launcher, _ := document(t, "docs/mpirun.md")
	name := regexp.MustCompile(`\bRHINET_[A-Z_]+\b`)
	literal := regexp.MustCompile(`"(RHINET_[A-Z_]+)"`)
	var known []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		inside, _ := filepath.Rel(root, path)
		own := strings.HasPrefix(inside, "bench/") || strings.HasPrefix(inside, "internal/netnstest/") // for their own processes
		if err != nil || own || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range literal.FindAllSubmatch(text, -1) {
			if v := string(m[1]); !strings.HasPrefix(v, "RHINET_TEST_") {
				known = append(known, v)
			}
		}
		return err
	})
	if err != nil || len(known) < 10 {
		t.Fatalf("variables %s, %v", known, err)
	}
	for _, v := range known {
		if !slices.Contains(name.FindAllString(about+launcher, -1), v) {
			t.Errorf("docs/mpi.md and docs/mpirun.md do not name %s", v)
		}
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range name.FindAllString(string(text), -1) {
			if !slices.Contains(known, v) {
				t.Errorf("%s names %s, which nothing reads", filepath.Base(page), v)
			}
		}
	}
}

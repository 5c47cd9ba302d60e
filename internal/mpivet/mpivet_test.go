package mpivet

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
	"golang.org/x/tools/go/analysis/passes/inspect"
)

// together runs all checks, so that the packages are loaded once, and a mistake for one check is not
// reported by the others.
var together = &analysis.Analyzer{
	Name:     "mpivet",
	Doc:      "all checks",
	Requires: []*analysis.Analyzer{inspect.Analyzer},
	Run: func(pass *analysis.Pass) (any, error) {
		for _, a := range Analyzers() {
			if _, err := a.Run(pass); err != nil {
				return nil, err
			}
		}
		return nil, nil
	},
}

// Each folder of testdata is a package with mistakes, marked by comments, and correct code. The packages
// use the real package mpi, so they follow its signatures.
func TestChecks(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "*"))
	if err != nil || len(folders) <= len(Analyzers()) {
		t.Fatal(folders, err)
	}
	for i, f := range folders {
		folders[i] = "./internal/mpivet/" + filepath.ToSlash(f)
	}
	analysistest.Run(t, filepath.Join("..", ".."), together, folders...)
}

func TestEachCheckIsValidAndHasAnExample(t *testing.T) {
	if err := analysis.Validate(Analyzers()); err != nil {
		t.Fatal(err)
	}
	for _, a := range Analyzers() {
		if _, err := os.Stat(filepath.Join("testdata", a.Name)); err != nil {
			t.Error(err)
		}
	}
}

// The page describes each check under its name.
func TestThePageNamesAllChecks(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "mpivet.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range Analyzers() {
		if !regexp.MustCompile("(?m)^\\| `" + a.Name + "` \\|").Match(page) {
			t.Errorf("docs/mpivet.md has no line for %s", a.Name)
		}
	}
}

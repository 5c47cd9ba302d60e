package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// faults returns the lists of this tree, and its root.
func faults(t *testing.T) ([]Fault, string) {
	t.Helper()
	list, err := all()
	if err != nil {
		t.Fatal(err)
	}
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return list, root
}

// TestFaultsFitTheCode: every fault applies exactly once, and what it makes of its
// package is type-correct. Whoever changes the code that a fault is about mends its
// entry, or replaces it by a mistake that the new code invites.
func TestFaultsFitTheCode(t *testing.T) {
	list, root := faults(t)
	check := newChecker(t, root)
	names := map[string]bool{}
	for i := range list {
		f := &list[i]
		if names[f.Name] {
			t.Errorf("two faults are named %s", f.Name)
		}
		names[f.Name] = true
		text, err := f.source(root)
		if err == nil {
			err = check.file(f, text)
		}
		if err != nil {
			t.Error(err)
		}
		for _, test := range f.Tests {
			if folder := test[len(test)-1]; !isFolder(filepath.Join(root, folder)) {
				t.Errorf("fault %s: the last argument of its tests, %s, is no folder", f.Name, folder)
			}
		}
	}
}

// TestEveryPartHasFaults holds the least number of faults in each part of the tree.
func TestEveryPartHasFaults(t *testing.T) {
	list, _ := faults(t)
	have := map[string]int{}
	for _, f := range list {
		have[f.Part()]++
	}
	for part, least := range map[string]int{
		"engine": 20, "port": 8, "translators": 8, "nic": 14, "ring": 6, "collectives": 8, "mpi": 4, "wrappers": 6,
	} {
		if have[part] < least {
			t.Errorf("%d faults in %s; there are at least %d", have[part], part, least)
		}
	}
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// A checker checks packages of the module with one file replaced.
type checker struct {
	root    string
	files   map[string][]string // of packages, by folder
	exports map[string]string   // files with the types that packages export, by path
	set     *token.FileSet
	imports types.Importer
	parsed  map[string]*ast.File
}

// newChecker has the go command list all packages with what they export: the types of
// what a package imports need not be computed again.
func newChecker(t *testing.T, root string) *checker {
	t.Helper()
	c := &checker{root: root, files: map[string][]string{}, exports: map[string]string{}, set: token.NewFileSet(), parsed: map[string]*ast.File{}}
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles",
		"./llc/...", "./nicemu/...", "./internal/...", "./collectives/...", "./mpi/...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir, ImportPath, Export string
			GoFiles                 []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		c.exports[p.ImportPath] = p.Export
		if folder, err := filepath.Rel(root, p.Dir); err == nil {
			c.files[filepath.ToSlash(folder)] = p.GoFiles
		}
	}
	c.imports = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(c.exports[path]) })
	return c
}

// file checks the package of f with text in the place of its file. What is not built
// for this platform takes the place of its counterpart *_amd64.go, if there is one.
func (c *checker) file(f *Fault, text []byte) error {
	names, own := slices.Clone(c.files[f.Package()]), filepath.Base(f.File)
	if !slices.Contains(names, own) {
		names = slices.DeleteFunc(names, func(name string) bool { return name == platformFile(own) })
		names = append(names, own)
	}
	var parsed []*ast.File
	for _, name := range names {
		full, src := filepath.Join(c.root, f.Package(), name), any(nil)
		if name == own {
			src = text
		} else if file := c.parsed[full]; file != nil {
			parsed = append(parsed, file)
			continue
		}
		file, err := parser.ParseFile(c.set, full, src, parser.SkipObjectResolution)
		if err != nil {
			return f.stale("%v", err)
		}
		if name != own {
			c.parsed[full] = file
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: c.imports, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if _, err := config.Check("rhinet/"+f.Package(), c.set, parsed, nil); err != nil {
		return f.stale("with the fault it does not compile: %v", err)
	}
	return nil
}

// platformFile is the counterpart of a portable file on this platform: of x_pure.go, x_amd64.go.
func platformFile(name string) string {
	return name[:max(0, len(name)-len("_pure.go"))] + "_" + runtime.GOARCH + ".go"
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// faults returns the lists of this tree, and its root.
func faults(t *testing.T) ([]Fault, string) {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	list, err := all(root)
	if err != nil {
		t.Fatal(err)
	}
	return list, root
}

// TestFaultsFitTheCode: every fault applies exactly once, and the changed package is type-correct. When you
// change code that a fault changes, correct its entry, or replace it by a mistake that could be made in the
// new code.
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
			err = check.files(f.Package(), map[string][]byte{filepath.Base(f.File): text})
		}
		if err != nil {
			t.Errorf("fault %s: %v", f.Name, err)
		}
		for _, test := range f.Tests {
			if !isFolder(filepath.Join(root, test.Folder)) {
				t.Errorf("fault %s: %s of its tests is no folder", f.Name, test.Folder)
			}
		}
	}
	fitTogether(t, list, root, check)
}

// fitTogether checks that all faults of a package together are type-correct. Files that are not built for
// this platform are checked one at a time, each instead of its counterpart.
func fitTogether(t *testing.T, list []Fault, root string, check *checker) {
	made, holds, err := together(root, list)
	if err != nil {
		t.Fatal(err)
	}
	here := map[string]map[string][]byte{}
	for name, text := range made {
		folder, base := path.Dir(name), path.Base(name)
		if here[folder] == nil {
			here[folder] = map[string][]byte{}
		}
		if base == switchFile || slices.Contains(check.built[folder], base) {
			here[folder][base] = text
			continue
		}
		err := check.files(folder, map[string][]byte{base: text, switchFile: made[path.Join(folder, switchFile)]})
		if err != nil {
			t.Errorf("with all its faults, %s: %v", name, err)
		}
	}
	for folder, files := range here {
		if err := check.files(folder, files); err != nil {
			t.Errorf("with all its faults, %s: %v", folder, err)
		}
	}
	if few := len(list) / 20; len(list)-len(holds) > few {
		t.Errorf("%d of %d faults need builds of their own: more than %d", len(list)-len(holds), len(list), few)
	}
}

// TestRemembered: the records of faults can be read, and the faults exist.
func TestRemembered(t *testing.T) {
	list, root := faults(t)
	m, err := openMemory(root)
	if err != nil {
		t.Fatal(err)
	}
	for name := range m.last {
		if !slices.ContainsFunc(list, func(f Fault) bool { return f.Name == name }) {
			t.Errorf("%s remembers %s, which is no fault any more: leave out its line", caughtFile, name)
		}
	}
}

// TestEveryPartHasFaults checks the minimum number of faults in each part of the tree.
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
	built   map[string][]string // files of packages, by folder
	exports map[string]string   // files with the types that packages export, by path
	set     *token.FileSet
	imports types.Importer
	parsed  map[string]*ast.File
}

// newChecker gets a list of all packages and what they export from the go command, so that the types of
// imports need not be computed again.
func newChecker(t *testing.T, root string) *checker {
	t.Helper()
	c := &checker{root: root, built: map[string][]string{}, exports: map[string]string{}, set: token.NewFileSet(), parsed: map[string]*ast.File{}}
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles",
		"./llc/...", "./nicemu/...", "./internal/...", "./collectives/...", "./mpi/...", "./bench/nics", "./bench/study", "./cmd/mpirun")
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
			c.built[filepath.ToSlash(folder)] = p.GoFiles
		}
	}
	c.imports = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(c.exports[path]) })
	return c
}

// files checks the package in folder with some of its files replaced. A file that is not built for this
// platform replaces its counterpart *_amd64.go, if there is one.
func (c *checker) files(folder string, files map[string][]byte) error {
	names := slices.Clone(c.built[folder])
	for own := range files {
		if !slices.Contains(names, own) {
			names = slices.DeleteFunc(names, func(name string) bool { return name == platformFile(own) })
			names = append(names, own)
		}
	}
	var parsed []*ast.File
	for _, name := range names {
		file, err := c.parse(filepath.Join(c.root, folder, name), files[name])
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: c.imports, Sizes: types.SizesFor("gc", runtime.GOARCH)}
	if _, err := config.Check("rhinet/"+folder, c.set, parsed, nil); err != nil {
		return fmt.Errorf("with the fault it does not compile: %w; mend its entry in %s", err, lists)
	}
	return nil
}

// parse parses text, or the file itself, once.
func (c *checker) parse(name string, text []byte) (*ast.File, error) {
	if text != nil {
		return parser.ParseFile(c.set, name, text, parser.SkipObjectResolution)
	}
	if file := c.parsed[name]; file != nil {
		return file, nil
	}
	file, err := parser.ParseFile(c.set, name, nil, parser.SkipObjectResolution)
	c.parsed[name] = file
	return file, err
}

// platformFile returns the counterpart of a portable file on this platform: for x_pure.go, x_amd64.go.
func platformFile(name string) string {
	return name[:max(0, len(name)-len("_pure.go"))] + "_" + runtime.GOARCH + ".go"
}

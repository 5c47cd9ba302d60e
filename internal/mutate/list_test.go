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
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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

// TestCheckerSeesMistakes: also where bodies of functions are left out, a changed file is type-correct, and so
// are the files that use what it declares.
func TestCheckerSeesMistakes(t *testing.T) {
	_, root := faults(t)
	check := newChecker(t, root)
	const folder = "internal/ring"
	for what, c := range map[string]struct{ file, old, now, want string }{
		"nothing":                     {"writer.go", "w.slot++", "w.slot++", "<nil>"},
		"a wrong type in a body":      {"writer.go", "w.slot++", "w.slot = badPeer", "cannot use badPeer"},
		"a name that is not used":     {"writer.go", "w.slot++", "slot := 1", "declared and not used: slot"},
		"a method that is not there":  {"writer.go", "w.refresh()", "w.refreshed()", "w.refreshed undefined"},
		"an import that is not used":  {"writer.go", "package ring", "package ring\nimport \"os\"", "\"os\" imported and not used"},
		"a name that is there twice":  {"writer.go", "func NewWriter", "func NewReader", "NewReader redeclared"},
		"a name that other files use": {"errors.go", "badPeer ", "worsePeer ", "undefined: badPeer"},
		"a body that is not Go":       {"writer.go", "w.slot++", "w.slot+)", "expected"},
	} {
		text, err := os.ReadFile(filepath.Join(root, folder, c.file))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), c.old, c.now, 1)
		if err := check.files(folder, map[string][]byte{c.file: []byte(changed)}); !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v, want %s", what, err, c.want)
		}
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
	bare    map[string]*ast.File // the same without bodies of functions
}

// newChecker gets a list of all packages and what they export from the go command, so that the types of
// imports need not be computed again.
func newChecker(t *testing.T, root string) *checker {
	t.Helper()
	c := &checker{root: root, built: map[string][]string{}, exports: map[string]string{}, set: token.NewFileSet(), parsed: map[string]*ast.File{}, bare: map[string]*ast.File{}}
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
// platform replaces its counterpart *_amd64.go, if there is one. If all that differs is in bodies of
// functions, those of the other files are as correct as before, and are not checked again.
func (c *checker) files(folder string, files map[string][]byte) error {
	names := slices.Clone(c.built[folder])
	for own := range files {
		if !slices.Contains(names, own) {
			names = slices.DeleteFunc(names, func(name string) bool { return name == platformFile(own) })
			names = append(names, own)
		}
	}
	parsed, inBodies := make([]*ast.File, len(names)), true
	for i, name := range names {
		path := filepath.Join(c.root, folder, name)
		file, err := c.parse(path, files[name])
		if err != nil {
			return err
		}
		if text := files[name]; text != nil && inBodies {
			if inBodies, err = c.onlyBodies(path, file, text); err != nil {
				return err
			}
		}
		parsed[i] = file
	}
	for i, name := range names {
		if inBodies && files[name] == nil {
			parsed[i] = c.withoutBodies(parsed[i])
		}
	}
	var first error
	config := types.Config{Importer: c.imports, Sizes: types.SizesFor("gc", runtime.GOARCH), Error: func(err error) {
		bare := inBodies && files[filepath.Base(c.set.Position(err.(types.Error).Pos).Filename)] == nil
		if first == nil && !bare {
			first = err
		}
	}}
	config.Check("rhinet/"+folder, c.set, parsed, nil) // Error has its errors
	if first != nil {
		return fmt.Errorf("with the fault it does not compile: %w; mend its entry in %s", first, lists)
	}
	return nil
}

// onlyBodies reports whether text, of which changed was parsed, differs from the file at path in bodies of
// functions only.
func (c *checker) onlyBodies(path string, changed *ast.File, text []byte) (bool, error) {
	original, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // a file that is added
	}
	if err != nil {
		return false, err
	}
	file, err := c.parse(path, nil)
	return err == nil && c.outline(file, original) == c.outline(changed, text), err
}

// outline returns the text of a file without bodies of functions.
func (c *checker) outline(file *ast.File, text []byte) string {
	var rest strings.Builder
	from := 0
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			rest.Write(text[from:c.set.Position(f.Body.Lbrace).Offset])
			from = c.set.Position(f.Body.Rbrace).Offset
		}
	}
	rest.Write(text[from:])
	return rest.String()
}

// withoutBodies returns a file whose functions have no bodies.
func (c *checker) withoutBodies(file *ast.File) *ast.File {
	name := c.set.Position(file.Package).Filename
	if c.bare[name] == nil {
		bare := *file
		bare.Decls = slices.Clone(file.Decls)
		for i, d := range bare.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				declared := *f
				declared.Body = nil
				bare.Decls[i] = &declared
			}
		}
		c.bare[name] = &bare
	}
	return c.bare[name]
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

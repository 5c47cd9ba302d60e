package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Tree is the text of a repository.
type Tree struct {
	module   string
	fset     *token.FileSet
	files    []*file
	packages map[string]*pkg // by folder, of those with Go files
}

// A file is a text file of the tree. Go files that belong to a package are parsed.
type file struct {
	path string
	text []byte
	ast  *ast.File // nil if it is not Go
	test bool
}

// A pkg is the Go files of one folder, without tests.
type pkg struct {
	path    string
	files   []*file
	imports []string // of the module by folder, of libraries by path; without the standard library
}

// Load reads the tree of a module, without measured results (results) and built commands (bin). It fails on
// errors of reading and of Go syntax.
func Load(root fs.FS, module string) (*Tree, error) {
	t := &Tree{module: module, fset: token.NewFileSet(), packages: map[string]*pkg{}}
	err := fs.WalkDir(root, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || p == "results" || p == "bin"):
			return fs.SkipDir
		case d.IsDir() || !d.Type().IsRegular() || !isText(p):
			return nil
		}
		f := &file{path: p, test: strings.HasSuffix(p, "_test.go")}
		if f.text, err = fs.ReadFile(root, p); err != nil {
			return err
		}
		t.files = append(t.files, f)
		return t.parse(f)
	})
	return t, err
}

// isText recognizes text files by their names.
func isText(p string) bool {
	switch path.Ext(p) {
	case ".go", ".s", ".c", ".h", ".md", ".txt", ".sh", ".mod", ".json", ".yml", ".yaml", ".toml", "":
		return true
	}
	return false
}

// parse adds a Go file to its package.
func (t *Tree) parse(f *file) error {
	dir := path.Dir(f.path)
	if path.Ext(f.path) != ".go" || strings.Contains("/"+dir+"/", "/testdata/") || strings.Contains("/"+dir, "/_") {
		return nil
	}
	var err error
	f.ast, err = parser.ParseFile(t.fset, f.path, f.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || f.test {
		return err
	}
	p := t.packages[dir]
	if p == nil {
		p = &pkg{path: dir}
		t.packages[dir] = p
	}
	p.files = append(p.files, f)
	for _, spec := range f.ast.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		inside, ours := strings.CutPrefix(imported, t.module+"/")
		if ours {
			imported = inside
		}
		if (ours || isLibrary(imported)) && !slices.Contains(p.imports, imported) {
			p.imports = append(p.imports, imported)
		}
	}
	return nil
}

// within reports whether a package is one of folders or below.
func within(p string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return matches(folder+"/...", p) })
}

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Names that the page about MPI lists as present are exported, and those that it lists as missing are not;
// nor does the package comment call anything missing that exists.
func TestNamesOfMPI(t *testing.T) {
	page, root := document(t, "docs/mpi.md")
	there, missing, found := strings.Cut(page, "## What is missing")
	if !found {
		t.Fatal("the page has no list of what is missing")
	}
	exported, comment := exports(t, filepath.Join(root, "mpi"))
	for _, m := range regexp.MustCompile(`\bmpi\.([A-Z]\w*)`).FindAllStringSubmatch(there, -1) {
		if !slices.Contains(exported, m[1]) {
			t.Errorf("the page names mpi.%s, which is not there", m[1])
		}
	}
	lists := regexp.MustCompile(`\bMPI_[A-Z]\w*`)
	for _, name := range lists.FindAllString(missing, -1) {
		words := strings.Split(strings.TrimPrefix(name, "MPI_"), "_")
		for i, w := range words {
			words[i] = strings.ToUpper(w[:min(1, len(w))]) + w[min(1, len(w)):]
		}
		if slices.Contains(exported, strings.Join(words, "")) || slices.Contains(lists.FindAllString(there, -1), name) {
			t.Errorf("the page lists %s as missing, but it is there", name)
		}
	}
	_, gone, found := strings.Cut(comment, "Not implemented of MPI 4.1:")
	gone, _, ended := strings.Cut(gone, ".")
	if !found || !ended {
		t.Fatal("the comment of package mpi does not say what is missing")
	}
	chapters := func(pattern, text string) (all []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		return all
	}
	if here, listed := chapters(`\(chapter (\d+)`, gone), chapters(`- \*\*(\d+) `, missing); len(here) == 0 || !slices.Equal(here, listed) {
		t.Errorf("the comment of package mpi calls chapters %s missing, and the page %s", here, listed)
	}
	for _, word := range regexp.MustCompile(`\b[A-Z]\w+`).FindAllString(gone, -1) {
		if slices.Contains(exported, word) {
			t.Errorf("the comment of package mpi calls %s missing, but it is there", word)
		}
	}
}

// The page about MPI names each function of MPI 4.1; only those for files, dynamic processes and the tool
// interfaces are missing.
func TestThePageNamesAllOfMPI(t *testing.T) {
	page, root := document(t, "docs/mpi.md")
	page = strings.ReplaceAll(page, `\*`, "*")
	all, err := os.ReadFile(filepath.Join(root, "cmd/mpirun/testdata/mpi-4.1.txt"))
	if err != nil {
		t.Fatal(err)
	}
	functions := strings.Fields(string(all))
	named := regexp.MustCompile(`\bMPI_[\w*]+`).FindAllString(page, -1)
	for _, f := range functions {
		if !slices.ContainsFunc(named, func(pattern string) bool { is, _ := path.Match(pattern, f); return is }) {
			t.Errorf("the page does not name %s", f)
		}
	}
	_, missing, _ := strings.Cut(page, "## What is missing")
	left := regexp.MustCompile(`^MPI_(File_|T_|Pcontrol|Register_datarep|Comm_(spawn|get_parent|accept|connect|disconnect|join)|(Open|Close)_port|(Unp|P)ublish_name|Lookup_name)`)
	for _, name := range regexp.MustCompile(`\bMPI_\w+`).FindAllString(missing, -1) {
		if !left.MatchString(name) {
			t.Errorf("the page lists %s as missing, which is no part of files, dynamic processes or tool interfaces", name)
		}
	}
}

// parsed returns the files of a package's folder that are no tests.
func parsed(t *testing.T, dir string) (all []*ast.File) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no package in %s: %v", dir, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// exports returns the exported names of a package's folder, and its comment.
func exports(t *testing.T, dir string) (names []string, comment string) {
	t.Helper()
	for _, f := range parsed(t, dir) {
		comment += f.Doc.Text()
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names = append(names, d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names = append(names, s.Name.Name)
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names = append(names, n.Name)
						}
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return !ast.IsExported(n) }), comment
}

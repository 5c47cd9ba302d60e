package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A signature is the number of arguments and of results of a function.
type signature struct {
	in, out  int
	variadic bool
}

// receivers maps the receivers of methods, as the page about MPI names them, to types.
var receivers = map[string]string{"c": "Comm", "g": "Group", "w": "Win", "k": "Key", "r": "Request", "s": "Session", "l": "Layout", "st": "Status", "class": "UserClass", "code": "ErrorCode"}

// signatures returns the signatures of the functions of package mpi; the names of methods are Type.Name.
func signatures(t *testing.T, dir string) map[string]signature {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no package in %s: %v", dir, err)
	}
	count := func(list *ast.FieldList) (n int, variadic bool) {
		if list == nil {
			return 0, false
		}
		for _, f := range list.List {
			n += max(1, len(f.Names))
			_, variadic = f.Type.(*ast.Ellipsis)
		}
		return n, variadic
	}
	all := map[string]signature{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			d, is := d.(*ast.FuncDecl)
			if !is || !d.Name.IsExported() {
				continue
			}
			name := d.Name.Name
			if d.Recv != nil {
				name = receiver(d.Recv.List[0].Type) + "." + name
			}
			var s signature
			s.in, s.variadic = count(d.Type.Params)
			s.out, _ = count(d.Type.Results)
			all[name] = s
		}
	}
	return all
}

// receiver returns the name of the type that a method belongs to.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// Every call in the tables of the page about MPI is a call of an existing function with the right number of
// arguments, and of results where the page shows them; every other name in a span of code is exported.
func TestCallsOnThePageOfMPI(t *testing.T) {
	page, root := document(t, "docs/mpi.md")
	_, table, found := strings.Cut(page, "## What there is")
	table, _, more := strings.Cut(table, "## Error handlers")
	if !found || !more {
		t.Fatal("the page has no table")
	}
	all := signatures(t, filepath.Join(root, "mpi"))
	exported, _ := exports(t, filepath.Join(root, "mpi"))
	names := map[string]bool{"Main": true}
	for _, n := range exported {
		names[n] = true
	}
	calls := 0
	for line := range strings.Lines(table) {
		columns := strings.Split(line, "|")
		if len(columns) < 4 {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(columns[2], -1) {
			calls += callsOf(t, all, names, strings.ReplaceAll(m[1], "...)", ")"), strings.Contains(m[1], "(...)"))
		}
	}
	if calls < 150 {
		t.Errorf("only %d calls were found", calls)
	}
}

// callsOf checks a span of code, and returns the number of calls in it. If open is true, the arguments are
// left out.
func callsOf(t *testing.T, all map[string]signature, names map[string]bool, span string, open bool) (calls int) {
	t.Helper()
	if bare := regexp.MustCompile(`^(?:mpi\.)?([A-Z]\w*)$`).FindStringSubmatch(span); bare != nil && !names[bare[1]] {
		t.Errorf("the page names %s, which is not there", span)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+span+"\n}", 0)
	if err != nil {
		if strings.Contains(span, "(") && !strings.Contains(span, "{") {
			t.Errorf("`%s` is no Go: %v", span, err)
		}
		return 0
	}
	results := map[ast.Expr]int{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			results[n.Rhs[0]] = len(n.Lhs)
		case *ast.CallExpr:
			name := called(n.Fun)
			if name == "" {
				return true
			}
			calls++
			s, there := all[name]
			switch given := len(n.Args); {
			case !there:
				t.Errorf("`%s`: there is no %s", span, name)
			case open:
			case s.variadic && given < s.in-1, !s.variadic && given != s.in:
				t.Errorf("`%s`: %s takes %d arguments, not %d", span, name, s.in, given)
			case results[n] > 0 && results[n] != s.out:
				t.Errorf("`%s`: %s has %d results, not %d", span, name, s.out, results[n])
			}
		}
		return true
	})
	return calls
}

// called returns the name of a function or method of package mpi, or "" for others.
func called(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.IndexExpr:
		return called(e.X)
	case *ast.SelectorExpr:
		if on, is := e.X.(*ast.Ident); is && on.Name == "mpi" {
			return e.Sel.Name
		} else if is && receivers[on.Name] != "" {
			return receivers[on.Name] + "." + e.Sel.Name
		}
	case *ast.Ident:
		if ast.IsExported(e.Name) {
			return e.Name
		}
	}
	return ""
}

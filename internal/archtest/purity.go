package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
)

// impureImports are forbidden in a pure package.
var impureImports = []string{
	"crypto/rand", "log", "log/slog", "net", "net/http", "os", "os/exec", "os/signal", "plugin", "sync", "sync/atomic", "syscall",
}

// impureCalls are forbidden functions of packages that are allowed. Of math/rand, only the functions that
// make a seeded source are allowed: see pureRand.
var impureCalls = map[string][]string{
	"time":    {"Now", "Since", "Until", "After", "AfterFunc", "NewTicker", "NewTimer", "Sleep", "Tick"},
	"runtime": {"Gosched", "GOMAXPROCS", "NumCPU", "NumGoroutine", "GC"},
}

var pureRand = []string{"New", "NewPCG", "NewChaCha8", "NewSource", "NewZipf", "Rand", "PCG", "ChaCha8", "Source", "Zipf"}

// Purity checks that pure packages use no clock, randomness, goroutines or input, and that stateless
// packages have no variables that change.
func (t *Tree) Purity() (found []string) {
	for _, f := range t.files {
		if f.ast != nil && !f.test && slices.Contains(pure, path.Dir(f.path)) {
			found = append(found, t.impure(f)...)
		}
	}
	for _, p := range t.packages {
		if within(p.path, stateless) {
			found = append(found, t.state(p)...)
		}
	}
	slices.Sort(found)
	return found
}

func (t *Tree) impure(f *file) (found []string) {
	report := func(at ast.Node, text string, args ...any) {
		found = append(found, fmt.Sprintf("%v: ", t.fset.Position(at.Pos()))+fmt.Sprintf(text, args...))
	}
	imported := map[string]string{} // path by local name
	for _, spec := range f.ast.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if slices.Contains(impureImports, p) {
			report(spec, "a pure package imports %s", p)
		}
		name := path.Base(strings.TrimSuffix(p, "/v2"))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = p
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			report(n, "a pure package starts a goroutine")
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if !ok {
				break
			}
			p, name := imported[x.Name], n.Sel.Name
			random := p == "math/rand" || p == "math/rand/v2"
			if slices.Contains(impureCalls[p], name) || random && !slices.Contains(pureRand, name) {
				report(n, "a pure package uses %s.%s", x.Name, name)
			}
		}
		return true
	})
	return found
}

// state finds package variables that are not plainly constant: their initial value must be an error, a
// literal, a function or a table of those, and nothing may be assigned to them or their elements later.
func (t *Tree) state(p *pkg) (found []string) {
	report := func(at ast.Node, name, text string) {
		found = append(found, fmt.Sprintf("%v: package variable %s %s", t.fset.Position(at.Pos()), name, text))
	}
	info := t.resolve(p)
	for _, f := range p.files {
		for _, d := range f.ast.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.VAR {
				continue
			}
			for _, s := range decl.Specs {
				spec := s.(*ast.ValueSpec)
				for i, name := range spec.Names {
					if name.Name != "_" && (i >= len(spec.Values) || !fixed(spec.Values[i], info)) {
						report(name, name.Name, "has no value that is plainly constant")
					}
				}
			}
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			var targets []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				targets = n.Lhs
			case *ast.IncDecStmt:
				targets = []ast.Expr{n.X}
			}
			for _, x := range targets {
				if id := base(x); id != nil && isPackageVar(info.Uses[id]) {
					report(n, id.Name, "is changed")
				}
			}
			return true
		})
	}
	return found
}

// fixed reports whether an expression is a literal, or built from literals without calls except those in
// fixedCalls.
func fixed(x ast.Expr, info *types.Info) bool {
	ok := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if _, literal := n.Fun.(*ast.FuncLit); literal { // a table that is computed
				break
			}
			call := types.ExprString(n.Fun)
			if i := strings.IndexByte(call, '['); i >= 0 {
				call = call[:i]
			}
			ok = ok && (slices.Contains(fixedCalls, call) || plain(info.TypeOf(n)))
		case *ast.SelectorExpr:
			if x, is := n.X.(*ast.Ident); is && (x.Name == "sync" || x.Name == "atomic") {
				ok = false
			}
		}
		return ok
	})
	return ok
}

// fixedCalls make values that do not change.
var fixedCalls = []string{"errors.New", "fmt.Errorf", "reflect.TypeFor", "reflect.TypeOf", "regexp.MustCompile", "strings.NewReplacer", "strings.Join", "len", "time.Now", "cpuid.CPU.Supports"}

// plain reports whether copies of a value of this type share nothing.
func plain(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.Invalid
	case *types.Array:
		return plain(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if !plain(u.Field(i).Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// base returns the variable that an assignment to x changes, nil if x is reached through a call.
func base(x ast.Expr) *ast.Ident {
	for {
		switch y := x.(type) {
		case *ast.Ident:
			return y
		case *ast.SelectorExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.ParenExpr:
			x = y.X
		default:
			return nil
		}
	}
}

func isPackageVar(o types.Object) bool {
	v, ok := o.(*types.Var)
	return ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

// resolve finds what the identifiers of a package refer to. Imported packages are empty, and the resulting
// errors do not matter.
func (t *Tree) resolve(p *pkg) *types.Info {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}}
	var files []*ast.File
	for _, f := range p.files {
		files = append(files, f.ast)
	}
	config := types.Config{Importer: empty{}, Error: func(error) {}}
	config.Check(p.path, t.fset, files, info)
	return info
}

// empty imports every package as an empty one.
type empty struct{}

func (empty) Import(p string) (*types.Package, error) {
	q := types.NewPackage(p, path.Base(p))
	q.MarkComplete()
	return q, nil
}

package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// within returns the collective calls on comm that a call of a function of this package makes, if all that the
// function does on comm is seen: comm is its only access to package mpi, and it passes comm to package mpi only.
// Those that it makes under a condition, or after it may have returned, are unsure.
func (f *function) within(e *ast.CallExpr, comm place) ([]call, bool) {
	fn, ok := typeutil.Callee(f.TypesInfo, e).(*types.Func)
	if !ok || f.called || fn.Pkg() != f.Pkg || fn.Signature().Recv() != nil || fn.Signature().Variadic() {
		return nil, false
	}
	decl := f.declaration(fn)
	if decl == nil || decl.Body == nil {
		return nil, false
	}
	var inner place
	for i, a := range e.Args {
		if !holdsMPI(f.TypesInfo.TypeOf(a), 0) {
			continue
		}
		if at, ok := f.placeOf(a); !ok || at != comm || inner.root != nil {
			return nil, false
		}
		inner = place{root: fn.Signature().Params().At(i)}
	}
	if inner.root == nil {
		return nil, false
	}
	g := newFunction(f.Pass, decl)
	g.called = true
	if slices.ContainsFunc(decl.Body.List, g.ends) {
		return nil, false
	}
	if v, ok := inner.root.(*types.Var); !ok || g.leaks(v) || g.moves(decl.Body, buffer{place: inner}) {
		return nil, false
	}
	b := g.branch(inner, "", decl, decl.Body)
	sure := g.surely()
	for i, c := range b.calls {
		b.calls[i].unsure = !sure(c)
		b.calls[i].CallExpr, b.calls[i].inner = e, true
	}
	return b.calls, b.knows
}

// passesRequest returns a call of package mpi whose request the call n of a function of this package returns, if the
// function passes on what such calls return, and keeps nothing.
func (f *function) passesRequest(n ast.Node) (begins call, ok bool) {
	e, ok := n.(*ast.CallExpr)
	if !ok {
		return call{}, false
	}
	g := f.callee(e)
	if g == nil {
		return call{}, false
	}
	all := true
	walk(g.body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			c, direct := call{}, false
			if len(r.Results) == 1 {
				c, direct = g.call(r.Results[0])
			}
			all = all && direct && c.request() == 0 && c.sig.Results().Len() == 1
			begins = call{CallExpr: e, fn: c.fn, sig: c.sig, inner: true}
		}
		return true
	})
	return begins, all && begins.fn != nil
}

// callee returns the function of this package, or the function literal, that e calls; nil if it is unknown.
func (f *function) callee(e *ast.CallExpr) *function {
	switch fn := typeutil.Callee(f.TypesInfo, e).(type) {
	case *types.Func:
		if decl := f.declaration(fn); decl != nil {
			return newFunction(f.Pass, decl)
		}
	case *types.Var:
		if lit, ok := f.onlyValue(fn).(*ast.FuncLit); ok {
			return newFunction(f.Pass, lit)
		}
	}
	return nil
}

// declaration returns the declaration of a function of this package, or nil.
func (f *function) declaration(fn *types.Func) *ast.FuncDecl {
	for _, file := range f.Files {
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && f.TypesInfo.Defs[d.Name] == fn {
				return d
			}
		}
	}
	return nil
}

// surely returns a function that reports whether a call is made whenever the function is called and nothing fails.
func (f *function) surely() func(call) bool {
	made := map[*ast.CallExpr]bool{}
	for _, s := range f.body.List {
		f.always(s, func(e *ast.CallExpr) { made[e] = true })
		branch, ok := s.(*ast.IfStmt)
		if leavesBelow(s) && !(ok && f.asksError(branch.Cond)) {
			break
		}
	}
	return func(c call) bool { return made[c.CallExpr] }
}

// always visits the calls that s makes whenever it is executed.
func (f *function) always(s ast.Stmt, visit func(*ast.CallExpr)) {
	var part ast.Node
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.AssignStmt, *ast.DeclStmt, *ast.IncDecStmt, *ast.ReturnStmt:
		part = s
	case *ast.IfStmt:
		if part = s.Cond; s.Init != nil {
			part = s.Init
		}
	default:
		return
	}
	walk(part, func(n ast.Node) bool {
		if e, ok := n.(*ast.CallExpr); ok {
			visit(e)
		}
		b, ok := n.(*ast.BinaryExpr)
		return !ok || b.Op != token.LAND && b.Op != token.LOR // else the right side may be left out
	})
}

// leavesBelow reports whether s has a statement that transfers control elsewhere.
func leavesBelow(s ast.Stmt) (found bool) {
	walk(s, func(n ast.Node) bool {
		below, ok := n.(ast.Stmt)
		found = found || ok && leaves(below)
		return !found
	})
	return found
}

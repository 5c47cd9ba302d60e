package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// waited reports requests that are never waited for. Any mention of a variable counts as waiting, and a
// path that returns an error is ignored: the job ends.
//
// MPI 4.1, section 3.7.
func (f *function) waited() {
	collected := map[*types.Var]bool{}
	f.preorder(func(n ast.Node, above []ast.Node) {
		c, ok := f.call(n)
		if !ok {
			c, ok = f.passesRequest(n)
		}
		if ok && c.is("Request", "Start") {
			f.started(c)
		}
		if !ok || c.request() < 0 {
			return
		}
		switch p := above[len(above)-1].(type) {
		case *ast.ExprStmt, *ast.GoStmt, *ast.DeferStmt:
			f.dropped(c)
		case *ast.AssignStmt:
			f.keptIn(c, target(p, c), p)
		case *ast.ValueSpec:
			if c.request() < len(p.Names) {
				f.keptIn(c, p.Names[c.request()], p)
			}
		case *ast.CallExpr:
			f.appended(c, p, above, collected)
		}
	})
}

func (f *function) dropped(c call) {
	instead := ""
	if name, ok := strings.CutPrefix(c.fn.Name(), "I"); ok && c.sig.Recv() == nil && !c.inner {
		instead = ", or call " + strings.ToUpper(name[:1]) + name[1:]
	}
	f.Reportf(c.Pos(), "the request of %s is dropped: nobody can wait for it; keep it and call Wait%s", c.fn.Name(), instead)
}

// target returns the variable to which a assigns the request of c.
func target(a *ast.AssignStmt, c call) ast.Expr {
	if len(a.Rhs) == 1 {
		if i := c.request(); i < len(a.Lhs) {
			return a.Lhs[i]
		}
		return nil
	}
	for i, r := range a.Rhs {
		if r == c.CallExpr {
			return a.Lhs[i]
		}
	}
	return nil
}

// keptIn checks what happens to the request of c that stmt stores in to.
func (f *function) keptIn(c call, to ast.Expr, stmt ast.Node) {
	if id, ok := to.(*ast.Ident); ok && id.Name == "_" {
		f.dropped(c)
		return
	}
	if i, ok := to.(*ast.IndexExpr); ok {
		f.stored(c, f.variable(i.X), map[*types.Var]bool{})
		return
	}
	p, ok := f.ownPlace(to)
	if !ok {
		return
	}
	switch end := f.lost(p, stmt).(type) {
	case nil:
	case *ast.ReturnStmt:
		f.Reportf(c.Pos(), "the request of %s is not waited for on the way to line %d; call %s.Wait there, too", c.fn.Name(), f.line(end.Pos()), types.ExprString(to))
	default:
		f.Reportf(c.Pos(), "the request of %s is overwritten in line %d, and nobody has waited for it; Wait before, or keep all and call WaitAll", c.fn.Name(), f.line(end.Pos()))
	}
}

// lost finds a path from stmt, which assigns a request to p, to a return or to the next assignment to p,
// without a mention of p; nil if there is none.
func (f *function) lost(p place, stmt ast.Node) ast.Node {
	return f.follow(stmt, p, func(n ast.Node) step {
		switch {
		case f.overwrites(n, p):
			return wrong
		case f.mentionsPlace(n, p) && !blank(n):
			return done
		}
		return undone
	})
}

// overwrites reports whether n assigns to p, or to a variable or field that p is in, without reading it.
func (f *function) overwrites(n ast.Node, p place) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
			return false
		}
		for _, r := range n.Rhs {
			if f.mentionsPlace(r, p) {
				return false
			}
		}
		return slices.ContainsFunc(n.Lhs, func(l ast.Expr) bool {
			to, ok := f.placeOf(l)
			return ok && to.root == p.root && strings.HasPrefix(p.path+".", to.path+".")
		})
	case *ast.ValueSpec:
		return len(n.Values) > 0 && slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return f.TypesInfo.Defs[id] == p.root })
	}
	return false
}

// blank reports whether n is _ = x.
func blank(n ast.Node) bool {
	a, ok := n.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 {
		return false
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	_, plain := a.Rhs[0].(*ast.Ident)
	return ok && id.Name == "_" && plain
}

// failing returns the returns that may be executed because of an error.
func (f *function) failing() map[*ast.ReturnStmt]bool {
	all := map[*ast.ReturnStmt]bool{}
	f.preorder(func(n ast.Node, above []ast.Node) {
		if r, ok := n.(*ast.ReturnStmt); ok && (f.returnsError(r) || f.afterError(r, above)) {
			all[r] = true
		}
	})
	return all
}

// returnsError reports whether the last result may be an error, other than the direct result of a call of
// package mpi.
func (f *function) returnsError(r *ast.ReturnStmt) bool {
	if len(r.Results) == 0 {
		return false
	}
	last := r.Results[len(r.Results)-1]
	t := f.TypesInfo.Types[last]
	if t.IsNil() {
		return false
	}
	if _, ok := f.call(last); ok {
		return false
	}
	return types.AssignableTo(t.Type, types.Universe.Lookup("error").Type())
}

// afterError reports whether a return is in a condition on an error, or after the report of a failure.
func (f *function) afterError(r *ast.ReturnStmt, above []ast.Node) bool {
	for i, n := range above {
		switch n := n.(type) {
		case *ast.IfStmt:
			if f.asksError(n.Cond) {
				return true
			}
		case *ast.CaseClause:
			if slices.ContainsFunc(n.List, f.asksError) {
				return true
			}
		case *ast.BlockStmt:
			if i == len(above)-1 && slices.ContainsFunc(n.List, func(s ast.Stmt) bool { return s.Pos() < r.Pos() && f.reportsFailure(s) }) {
				return true
			}
		}
	}
	return false
}

func (f *function) asksError(cond ast.Expr) (found bool) {
	walk(cond, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok && f.TypesInfo.Types[e].Type != nil && isError(f.TypesInfo.Types[e].Type) {
			found = true
		}
		return !found
	})
	return found
}

// reportsFailure reports whether s is a call like t.Errorf.
func (f *function) reportsFailure(s ast.Stmt) bool {
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := e.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := c.Fun.(*ast.SelectorExpr)
	return ok && (strings.HasPrefix(sel.Sel.Name, "Error") || strings.HasPrefix(sel.Sel.Name, "Fatal"))
}

// mayReturn reports whether a call returns, judging by its name.
func (f *function) mayReturn(c *ast.CallExpr) bool {
	name := ""
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		if _, ok := f.TypesInfo.Uses[fun].(*types.Builtin); ok {
			return fun.Name != "panic"
		}
	case *ast.SelectorExpr:
		name = fun.Sel.Name
	}
	switch name {
	case "Exit", "Goexit", "Fatal", "Fatalf", "Fatalln", "FailNow", "Skip", "Skipf", "SkipNow", "Panic", "Panicf", "Panicln", "Abort":
		return false
	}
	return true
}

// appended checks what happens to requests that are collected in a list.
func (f *function) appended(c call, to *ast.CallExpr, above []ast.Node, seen map[*types.Var]bool) {
	id, ok := to.Fun.(*ast.Ident)
	if !ok || id.Name != "append" || len(above) < 2 {
		return
	}
	if a, ok := above[len(above)-2].(*ast.AssignStmt); ok && len(a.Lhs) == 1 {
		f.stored(c, f.variable(a.Lhs[0]), seen)
	}
}

// stored reports a slice, an array or a map of requests that is only filled: a variable of this function, or of one
// that this is a literal in.
func (f *function) stored(c call, list *types.Var, seen map[*types.Var]bool) {
	if list == nil || list.Kind() != types.LocalVar || seen[list] {
		return
	}
	remedy := "call mpi.WaitAll(" + list.Name() + "...)"
	switch list.Type().Underlying().(type) {
	case *types.Slice:
	case *types.Array:
		remedy = "call mpi.WaitAll(" + list.Name() + "[:]...)"
	case *types.Map:
		remedy = "call Wait of each"
	default:
		return
	}
	seen[list] = true
	used := false
	for _, file := range f.filesOf(list) {
		ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && f.TypesInfo.Uses[id] == list && !f.onlyFills(above, id) {
				used = true
			}
			return !used
		})
	}
	if !used {
		f.Reportf(c.Pos(), "%s collects requests, and nobody waits for them; %s", list.Name(), remedy)
	}
}

// onlyFills reports whether the mention id of a list appends to it or asks for its length.
func (f *function) onlyFills(above []ast.Node, id *ast.Ident) bool {
	switch p := above[len(above)-1].(type) {
	case *ast.CallExpr:
		fun, ok := p.Fun.(*ast.Ident)
		return ok && (fun.Name == "append" && p.Args[0] == id && f.putsBack(above, id) || fun.Name == "len" || fun.Name == "cap")
	case *ast.AssignStmt:
		return slices.Contains(p.Lhs, ast.Expr(id))
	case *ast.IndexExpr:
		a, ok := above[len(above)-2].(*ast.AssignStmt)
		return ok && p.X == id && slices.Contains(a.Lhs, ast.Expr(p))
	}
	return false
}

// putsBack reports whether what the call right above id returns is assigned to the variable id.
func (f *function) putsBack(above []ast.Node, id *ast.Ident) bool {
	a, ok := above[len(above)-2].(*ast.AssignStmt)
	return ok && len(a.Lhs) == 1 && f.variable(a.Lhs[0]) == f.variable(id)
}

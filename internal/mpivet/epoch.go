package mpivet

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// closers are the calls that end what a call on a window begins. An access is in an epoch of Fence if the function
// begins none of another kind.
var closers = map[string]string{"Lock": "Unlock", "LockAll": "UnlockAll", "Start": "Complete", "Post": "Wait or Test"}

// isAccess reports whether c accesses a window, in an epoch.
func isAccess(c call) bool { return c.of("Win") && c.arg("target") != nil && c.arg("disp") != nil }

// epoch reports epochs that a path leaves open, of windows that are made in this function and do not leave it: Free
// and Finalize fail then, and other ranks may wait for the end.
//
// MPI 4.1, section 12.5.
func (f *function) epoch() {
	told := map[*types.Var]bool{}
	f.preorder(func(n ast.Node, above []ast.Node) {
		c, ok := f.call(n)
		if !ok || !c.of("Win") || late(above) {
			return
		}
		v, end := f.local(c.receiver()), closers[c.fn.Name()]
		if isAccess(c) {
			end = "Fence"
		}
		if _, made := f.windowOf(c.receiver()); !made || end == "" || told[v] || !f.owns(v, func(c call) bool { return c.of("Win") && c.receiver() != nil }) {
			return
		}
		if end == "Fence" && f.anyOn(f.body, v, func(name string) bool { return closers[name] != "" }) {
			return
		}
		path := f.follow(c, place{root: v}, func(n ast.Node) step {
			if f.anyOn(n, v, func(name string) bool { return slices.Contains(strings.Fields(end), name) }) {
				return done
			}
			return undone
		})
		if path != nil {
			told[v] = true
			f.Reportf(c.Pos(), "the epoch of this %s is open on the way to line %d; call %s of %s there, too", c.fn.Name(), f.line(path.Pos()), end, v.Name())
		}
	})
}

// anyOn reports whether n calls a method of v with one of some names.
func (f *function) anyOn(n ast.Node, v *types.Var, is func(string) bool) (found bool) {
	f.calls(n, func(c call) {
		found = found || c.receiver() != nil && f.variable(c.receiver()) == v && is(c.fn.Name())
	})
	return found
}

// owns reports whether all that happens to v is seen in this function: it gets the results of calls of package mpi
// only, and such calls that may have it are the only ones that do.
func (f *function) owns(v *types.Var, may func(call) bool) bool {
	only := true
	ast.PreorderStack(f.body, nil, func(n ast.Node, above []ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && f.TypesInfo.ObjectOf(id) == v {
			only = only && f.isOwn(id, above, may)
		}
		return only
	})
	return only
}

// isOwn is owns for one mention of the variable.
func (f *function) isOwn(id *ast.Ident, above []ast.Node, may func(call) bool) bool {
	if slices.ContainsFunc(above, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok }) {
		return false
	}
	with := above[len(above)-1]
	switch p := with.(type) {
	case *ast.ValueSpec:
		return len(p.Values) == 0
	case *ast.AssignStmt:
		_, ok := f.call(p.Rhs[0])
		return ok && len(p.Rhs) == 1 && slices.Contains(p.Lhs, ast.Expr(id))
	case *ast.SelectorExpr:
		with = above[len(above)-2]
	}
	c, ok := f.call(with)
	frees := ok && c.is("Win", "Free")
	return ok && may(c) && (frees || !late(above)) && (c.receiver() == id || slices.Contains(c.Args, ast.Expr(id)))
}

// late reports whether what is below some nodes is executed later.
func late(above []ast.Node) bool {
	return slices.ContainsFunc(above, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.DeferStmt, *ast.GoStmt:
			return true
		}
		return false
	})
}

// started reports persistent requests that are started and never waited for, or started again before.
//
// MPI 4.1, section 3.9.
func (f *function) started(c call, above []ast.Node) {
	v := f.local(c.receiver())
	if v == nil || late(above) || !f.owns(v, func(c call) bool { return takesRequest(c.sig) }) {
		return
	}
	path := f.follow(c, place{root: v}, func(n ast.Node) step {
		starts := f.anyOn(n, v, func(name string) bool { return name == "Start" })
		others := f.anyOn(n, v, func(name string) bool { return name != "Start" })
		switch {
		case starts && !others:
			return wrong
		case f.mentions(n, v):
			return done
		}
		return undone
	})
	switch path.(type) {
	case nil:
	case *ast.ReturnStmt:
		f.Reportf(c.Pos(), "the request that %s.Start starts is not waited for on the way to line %d; call %s.Wait there, too", v.Name(), f.line(path.Pos()), v.Name())
	default:
		f.Reportf(c.Pos(), "%s is started again in line %d, and nobody has waited for it; Wait before", v.Name(), f.line(path.Pos()))
	}
}

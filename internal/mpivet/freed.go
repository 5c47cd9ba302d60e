package mpivet

import (
	"go/ast"
	"go/types"
	"slices"
)

// enders are the calls after which no other call on something succeeds: on the receiver, or on an argument.
var enders = []struct{ typ, name, arg string }{
	{typ: "Comm", name: "Free"},
	{typ: "Win", name: "Free"},
	{typ: "Session", name: "Finalize"},
	{name: "Finalize", arg: "world"},
	{name: "FreeMem", arg: "buf"},
}

// freed reports calls with a variable that an earlier statement of the same list has freed or finalized.
//
// MPI 4.1, sections 7.4.3, 9.2, 11.2.2 and 12.2.5.
func (f *function) freed() {
	f.lists(func(list []ast.Stmt) {
		for i, s := range list {
			if f.leavesIfItSucceeds(s) {
				continue
			}
			f.always(s, func(e *ast.CallExpr) {
				if c, v, ok := f.ended(e); ok && !f.passed(s, e) {
					f.afterwards(c, v, list[i+1:])
				}
			})
		}
	})
}

// ended returns the variable that the call e ends. What function literals or the whole package know may be made
// again anywhere.
func (f *function) ended(e *ast.CallExpr) (c call, v *types.Var, ok bool) {
	if c, ok = f.call(e); !ok {
		return c, nil, false
	}
	for _, end := range enders {
		of := c.receiver()
		if end.typ == "" {
			of = c.arg(end.arg)
		}
		if c.fn.Name() == end.name && of != nil && (c.of(end.typ) || end.typ == "" && c.sig.Recv() == nil) {
			v = f.variable(of)
		}
	}
	return c, v, v != nil && v.Kind() != types.PackageVar && !f.leaks(v)
}

// passed reports whether the statement s passes the error of the call e to a function, which may expect one.
func (f *function) passed(s ast.Stmt, e *ast.CallExpr) (found bool) {
	walk(s, func(n ast.Node) bool {
		to, ok := n.(*ast.CallExpr)
		found = found || ok && slices.Contains(to.Args, ast.Expr(e)) && !f.joins(to)
		return !found
	})
	return found
}

// afterwards reports the first call with v in the statements after c, which has ended it. The same call once more may
// be there because the first one failed.
func (f *function) afterwards(c call, v *types.Var, rest []ast.Stmt) {
	for _, s := range rest {
		if f.moves(s, buffer{place: place{root: v}}) {
			return
		}
		if u, ok := f.callWith(s, v); ok {
			if u.fn.Name() == c.fn.Name() {
				return
			}
			f.Reportf(u.Pos(), "%s fails: line %d has called %s of %s; do that last", u.fn.Name(), f.line(c.Pos()), c.fn.Name(), v.Name())
			return
		}
		if leaves(s) || f.leavesIfItSucceeds(s) {
			return
		}
	}
}

// leavesIfItSucceeds reports whether only ranks where a call has failed come to what follows s.
func (f *function) leavesIfItSucceeds(s ast.Stmt) bool {
	n, ok := s.(*ast.IfStmt)
	if !ok || len(n.Body.List) == 0 {
		return false
	}
	value, _ := f.succeeds(n.Cond)
	return value && leaves(n.Body.List[len(n.Body.List)-1])
}

// callWith returns a call below s that has v as receiver or argument, and may fail. Where an error was returned, v
// may not have been ended.
func (f *function) callWith(s ast.Node, v *types.Var) (found call, ok bool) {
	walk(s, func(n ast.Node) bool {
		if n, is := n.(*ast.IfStmt); is && f.asksError(n.Cond) && !ok {
			if n.Init != nil {
				found, ok = f.callWith(n.Init, v)
			}
			return false
		}
		if c, is := f.call(n); is && !ok && (c.fails() || c.request() >= 0) {
			with := func(e ast.Expr) bool { b, named := f.bufferOf(e); return named && b.place == place{root: v} }
			found, ok = c, slices.ContainsFunc(c.Args, with) || c.receiver() != nil && with(c.receiver())
		}
		return !ok
	})
	return found, ok
}

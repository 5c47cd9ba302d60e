package mpivet

import (
	"go/ast"
	"go/types"
)

// ignored reports errors that are not checked: of a call that is a statement, and errors that are
// overwritten by the next assignment to the same variable. Writing _ = mpi.Send(...) is a decision.
// Deferred calls are not reported, nor are calls right before the return of another error, because there is
// nowhere to return the error.
func (f *function) ignored() {
	f.lists(func(list []ast.Stmt) {
		for i, s := range list {
			switch s := s.(type) {
			case *ast.ExprStmt:
				if !f.failsNext(list[i+1:]) {
					f.unseen(s.X)
				}
			case *ast.GoStmt:
				f.unseen(s.Call)
			case *ast.AssignStmt:
				f.replaced(s, list[i+1:])
			}
		}
	})
}

func (f *function) unseen(e ast.Expr) {
	if c, ok := f.call(ast.Unparen(e)); ok && c.fails() {
		f.Reportf(c.Pos(), "the error of %s is ignored; look at it, or assign it to _ if it does not matter", c.fn.Name())
	}
}

// failsNext reports whether the next statement returns an error, which takes precedence.
func (f *function) failsNext(rest []ast.Stmt) bool {
	if len(rest) == 0 {
		return false
	}
	r, ok := rest[0].(*ast.ReturnStmt)
	return ok && f.returnsError(r)
}

// replaced looks for the next assignment to the error of s in the statements that follow.
func (f *function) replaced(s *ast.AssignStmt, rest []ast.Stmt) {
	if len(s.Rhs) != 1 {
		return
	}
	c, ok := f.call(s.Rhs[0])
	if !ok || !c.fails() {
		return
	}
	v := f.variable(s.Lhs[len(s.Lhs)-1])
	if v == nil || f.leaks(v) {
		return
	}
	for _, next := range rest {
		if f.overwrites(next, place{root: v}) {
			f.Reportf(c.Pos(), "the error of %s is overwritten in line %d, and nobody has looked at it", c.fn.Name(), f.line(next.Pos()))
			return
		}
		if f.mentions(next, v) || leaves(next) || f.naked(next, v) {
			return
		}
	}
}

// leaves reports whether a statement transfers control elsewhere.
func leaves(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt, *ast.LabeledStmt:
		return true
	}
	return false
}

// naked reports whether s may return the result v without naming it.
func (f *function) naked(s ast.Stmt, v *types.Var) (found bool) {
	walk(s, func(n ast.Node) bool {
		r, ok := n.(*ast.ReturnStmt)
		found = found || ok && len(r.Results) == 0 && v.Pos() < f.body.Pos()
		return !found
	})
	return found
}

package mpivet

import (
	"go/ast"
	"go/token"
	"slices"
)

// skips returns the calls after n that the ranks of a branch of n do not make, since they leave at its end. In
// a loop, where these ranks come back, it returns only calls that they certainly make less often.
func (f *function) skips(b *branch, n ast.Stmt) []call {
	_, returns := b.exit.(*ast.ReturnStmt)
	loops := f.loops(n)
	switch {
	case len(loops) == 0 && returns:
		return f.after(n.End(), b.comm)
	case len(loops) != 1 || !f.everyTurn(n, loops[0]):
		return nil
	case returns:
		return f.after(n.End(), b.comm)
	case plain(b.exit):
		return f.leftOut(n, loops[0], b.comm)
	}
	return nil
}

// loops returns the loops around n.
func (f *function) loops(n ast.Node) (all []ast.Node) {
	f.preorder(func(m ast.Node, above []ast.Node) {
		if m != n {
			return
		}
		for _, a := range above {
			if bodyOf(a) != nil {
				all = append(all, a)
			}
		}
	})
	return all
}

// bodyOf returns the body of a loop, or nil.
func bodyOf(loop ast.Node) *ast.BlockStmt {
	switch loop := loop.(type) {
	case *ast.ForStmt:
		return loop.Body
	case *ast.RangeStmt:
		return loop.Body
	}
	return nil
}

// plain reports whether s leaves a turn of the loop, or the loop, in whose body it is.
func plain(s ast.Stmt) bool {
	b, ok := s.(*ast.BranchStmt)
	return ok && b.Label == nil && (b.Tok == token.CONTINUE || b.Tok == token.BREAK)
}

// everyTurn reports whether n is an if in the body of the loop whose ranks part in the same way in all turns.
// If the condition changes, each rank may have its turn.
func (f *function) everyTurn(n ast.Stmt, loop ast.Node) bool {
	s, ok := n.(*ast.IfStmt)
	if !ok || !slices.Contains(bodyOf(loop).List, n) {
		return false
	}
	_, more := s.Else.(*ast.IfStmt)
	return !more && f.steady(s.Cond, loop)
}

// steady reports whether e has one value: it consists of constants, ranks and sizes, and variables that are
// assigned once, of these, or not at all.
func (f *function) steady(e ast.Expr, loop ast.Node) bool {
	if f.TypesInfo.Types[e].Value != nil {
		return true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.NOT && f.steady(e.X, loop)
	case *ast.BinaryExpr:
		return f.steady(e.X, loop) && f.steady(e.Y, loop)
	case *ast.Ident:
		v := f.variable(e)
		if v == nil || f.depth >= deep {
			return false
		}
		if _, times := f.values(v); times == 0 {
			return true
		}
		value := f.onlyValue(v)
		return value != nil && f.deeper().steady(value, loop)
	case *ast.CallExpr:
		if c, ok := f.call(e); ok && (c.is("Comm", "Rank") || c.is("Comm", "Size")) {
			at, ok := f.placeOf(c.receiver())
			return ok && !f.moves(bodyOf(loop), buffer{place: at})
		}
	}
	return false
}

// leftOut returns the calls between n and the end of the loop that are not made after the loop: there, the
// ranks that left them out might make up for it.
func (f *function) leftOut(n ast.Stmt, loop ast.Node, comm place) (all []call) {
	behind := f.rest(loop.End(), comm)
	if !behind.knows {
		return nil
	}
	for _, c := range f.after(n.End(), comm) {
		if c.Pos() < loop.End() && !behind.has(c) {
			all = append(all, c)
		}
	}
	return all
}

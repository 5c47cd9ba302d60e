package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// A function is a declared function or a function literal. Code in nested literals belongs to these, not to
// it.
type function struct {
	*analysis.Pass
	node  ast.Node // *ast.FuncDecl or *ast.FuncLit
	body  *ast.BlockStmt
	depth int // of variables that are replaced by their values

	called bool // it is looked at for a call of it: calls in it are not followed
}

// newFunction returns nil for a declaration without a body.
func newFunction(pass *analysis.Pass, n ast.Node) *function {
	f := &function{Pass: pass, node: n}
	switch n := n.(type) {
	case *ast.FuncDecl:
		f.body = n.Body
	case *ast.FuncLit:
		f.body = n.Body
	}
	if f.body == nil {
		return nil
	}
	return f
}

// line returns the line of a position, for messages.
func (f *function) line(pos token.Pos) int { return f.Fset.Position(pos).Line }

// walk visits n and everything below it, except the contents of function literals.
func walk(n ast.Node, visit func(ast.Node) bool) {
	ast.Inspect(n, func(m ast.Node) bool {
		if _, ok := m.(*ast.FuncLit); ok && m != n {
			return false
		}
		return m == nil || visit(m)
	})
}

// preorder is walk over the function, with the nodes above each node, outermost first.
func (f *function) preorder(visit func(n ast.Node, above []ast.Node)) {
	ast.PreorderStack(f.body, nil, func(n ast.Node, above []ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		visit(n, above)
		return true
	})
}

// lists visits each list of statements of the function.
func (f *function) lists(visit func([]ast.Stmt)) {
	walk(f.body, func(n ast.Node) bool {
		visit(listOf(n))
		return true
	})
}

// listOf returns the statements that n is a list of, or none.
func listOf(n ast.Node) []ast.Stmt {
	switch n := n.(type) {
	case *ast.BlockStmt:
		return n.List
	case *ast.CaseClause:
		return n.Body
	case *ast.CommClause:
		return n.Body
	}
	return nil
}

// local returns the variable of this function that e names, or nil. Parameters and results do not count.
func (f *function) local(e ast.Expr) *types.Var {
	v := f.variable(e)
	if v == nil || v.Pos() < f.body.Pos() || v.Pos() >= f.body.End() {
		return nil
	}
	return v
}

// variable returns the variable that e names, or nil.
func (f *function) variable(e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := f.TypesInfo.ObjectOf(id).(*types.Var)
	return v
}

// mentions reports whether n names v, also within function literals.
func (f *function) mentions(n ast.Node, v *types.Var) (found bool) {
	ast.Inspect(n, func(m ast.Node) bool {
		if id, ok := m.(*ast.Ident); ok && f.TypesInfo.Uses[id] == v {
			found = true
		}
		return !found
	})
	return found
}

// leaks reports whether v is used in a function literal, or its address is taken: then it may change in
// ways that this function does not show.
func (f *function) leaks(v *types.Var) (found bool) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = found || f.mentions(n.Body, v)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && f.variable(n.X) == v
		}
		return !found
	})
	return found
}

// leaksBefore reports whether the variable that e assigns to may leak before the assignment. If that declares it,
// what makes it leak comes later.
func (f *function) leaksBefore(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return !(ok && f.TypesInfo.Defs[id] != nil) && f.leaks(f.variable(e))
}

// A place is a variable, or a field of one, or a field of that, and so on. Two expressions refer to the
// same data if their places are equal.
type place struct {
	root types.Object
	path string
}

// placeOf returns the place that e names. A full slice of something has the same place.
func (f *function) placeOf(e ast.Expr) (place, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if o := f.TypesInfo.ObjectOf(e); o != nil {
			_, ok := o.(*types.Var)
			return place{root: o}, ok
		}
	case *ast.SelectorExpr:
		if p, ok := f.placeOf(e.X); ok {
			return place{p.root, p.path + "." + e.Sel.Name}, true
		}
	case *ast.SliceExpr:
		if e.Low == nil && e.High == nil {
			return f.placeOf(e.X)
		}
	}
	return place{}, false
}

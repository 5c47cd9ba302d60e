package mpivet

import (
	"go/ast"
	"go/types"
	"slices"
)

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

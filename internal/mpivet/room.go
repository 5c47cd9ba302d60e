package mpivet

import (
	"go/ast"
	"go/types"
)

// room reports receives into a slice without elements whose elements are used later: a receive fills the
// existing elements and does not append.
//
// MPI 4.1, section 3.2.4.
func (f *function) room() {
	f.calls(f.body, func(c call) {
		buf := c.fills()
		if buf == nil || c.sends() == buf {
			return
		}
		v := f.local(buf)
		if v == nil || f.leaks(v) || !f.without(v) || !f.reads(v) {
			return
		}
		f.Reportf(buf.Pos(), "%s has no elements, and %s receives into those that are there; make it with room for the message", v.Name(), c.fn.Name())
	})
}

// without reports whether v never gets elements.
func (f *function) without(v *types.Var) bool {
	value, times := f.values(v)
	if times == 0 {
		return f.declaredEmpty(v)
	}
	return times == 1 && value != nil && f.holdsNothing(value)
}

// declaredEmpty reports whether v is declared as var v []T, here or around this function. Parameters and
// results are declared without a value, too, but do not count.
func (f *function) declaredEmpty(v *types.Var) (found bool) {
	if _, slice := v.Type().Underlying().(*types.Slice); !slice {
		return false
	}
	for _, file := range f.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.ValueSpec); ok && len(s.Values) == 0 {
				for _, id := range s.Names {
					found = found || f.TypesInfo.Defs[id] == v
				}
			}
			return !found
		})
	}
	return found
}

// holdsNothing reports whether e is a slice without elements: nil, []T{}, make([]T, 0).
func (f *function) holdsNothing(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return f.TypesInfo.Types[e].IsNil()
	case *ast.CompositeLit:
		_, slice := f.TypesInfo.TypeOf(e).Underlying().(*types.Slice)
		return slice && len(e.Elts) == 0
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "make" && len(e.Args) > 1 {
			n, ok := f.number(e.Args[1])
			return ok && n == 0
		}
		of := f.converted(e)
		return of != nil && f.holdsNothing(of)
	}
	return false
}

// reads reports whether the function reads elements of v.
func (f *function) reads(v *types.Var) (found bool) {
	walk(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			found = found || f.variable(n.X) == v
		case *ast.RangeStmt:
			found = found || f.variable(n.X) == v
		}
		return !found
	})
	return found
}

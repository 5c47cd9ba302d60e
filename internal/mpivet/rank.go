package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// rankOf returns the communicator whose rank e is: c.Rank(), a variable with that value, or arithmetic on
// one of these with constants.
func (f *function) rankOf(e ast.Expr) (place, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if c, ok := f.call(e); ok && c.is("Comm", "Rank") {
			return f.placeOf(c.receiver())
		}
	case *ast.Ident:
		if v := f.variable(e); v != nil {
			if from := f.onlyValue(v); from != nil {
				return f.rankOf(from)
			}
		}
	case *ast.BinaryExpr:
		switch e.Op {
		case token.ADD, token.SUB, token.REM, token.AND, token.XOR:
			if _, ok := f.number(e.Y); ok {
				return f.rankOf(e.X)
			}
		}
	}
	return place{}, false
}

// onlyValue returns the expression that gives v its value, if there is exactly one in the file and v is not
// a parameter.
func (f *function) onlyValue(v *types.Var) ast.Expr {
	var value ast.Expr
	times := 0
	for _, file := range f.Files {
		if file.FileStart > v.Pos() || v.Pos() >= file.FileEnd {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if f.variable(l) == v {
						times++
						if len(n.Lhs) == len(n.Rhs) {
							value = n.Rhs[i]
						}
					}
				}
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if f.TypesInfo.Defs[id] == v && i < len(n.Values) && len(n.Names) == len(n.Values) {
						times++
						value = n.Values[i]
					}
				}
			case *ast.IncDecStmt:
				if f.variable(n.X) == v {
					times++
				}
			case *ast.UnaryExpr:
				if n.Op == token.AND && f.variable(n.X) == v {
					times++
				}
			}
			return true
		})
	}
	if times != 1 {
		return nil
	}
	return value
}

// asksRank returns the communicator on whose rank the value of cond depends.
func (f *function) asksRank(cond ast.Expr) (place, bool) {
	switch e := ast.Unparen(cond).(type) {
	case *ast.UnaryExpr:
		return f.asksRank(e.X)
	case *ast.BinaryExpr:
		switch e.Op {
		case token.LAND, token.LOR:
			if p, ok := f.asksRank(e.X); ok {
				return p, true
			}
			return f.asksRank(e.Y)
		case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
			if p, ok := f.rankOf(e.X); ok {
				return p, !f.isSize(e.Y)
			}
			if p, ok := f.rankOf(e.Y); ok {
				return p, !f.isSize(e.X)
			}
		}
	}
	return place{}, false
}

// isSize reports whether e is the size of a communicator: every rank is below it.
func (f *function) isSize(e ast.Expr) bool {
	c, ok := f.call(ast.Unparen(e))
	return ok && c.is("Comm", "Size")
}

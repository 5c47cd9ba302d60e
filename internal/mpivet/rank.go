package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// A rankValue is a value that is computed from the rank in a communicator.
type rankValue struct {
	comm    place
	bounded bool  // the rest holds
	least   int64 // it is at least this
	over    int64 // it is below the size of the communicator plus this
}

// rankOf returns the communicator whose rank e is: c.Rank(), a variable with that value, or arithmetic on
// one of these with constants.
func (f *function) rankOf(e ast.Expr) (place, bool) {
	r, ok := f.rank(e)
	return r.comm, ok
}

// rank is rankOf with the bounds of the value.
func (f *function) rank(e ast.Expr) (rankValue, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if c, ok := f.call(e); ok && c.is("Comm", "Rank") {
			at, ok := f.placeOf(c.receiver())
			return rankValue{comm: at, bounded: true}, ok
		}
	case *ast.Ident:
		if from := f.behind(e); from != nil {
			return f.deeper().rank(from)
		}
	case *ast.BinaryExpr:
		if k, ok := f.number(e.Y); ok {
			r, ok := f.rank(e.X)
			return r.with(e.Op, k), ok && arithmetic(e.Op)
		}
	}
	return rankValue{}, false
}

// arithmetic reports whether an operation on a rank and a constant gives another value on another rank.
func arithmetic(op token.Token) bool {
	switch op {
	case token.ADD, token.SUB, token.REM, token.AND, token.XOR:
		return true
	}
	return false
}

// with returns r op k.
func (r rankValue) with(op token.Token, k int64) rankValue {
	switch op {
	case token.ADD:
		r.least, r.over = r.least+k, r.over+k
	case token.SUB:
		r.least, r.over = r.least-k, r.over-k
	case token.REM, token.AND:
		r.bounded = r.bounded && r.least >= 0
		r.least = 0
	default:
		r.bounded = false
	}
	return r
}

// deep is how many variables are replaced by their values, one after the other, before mpivet gives up: the
// variables may depend on each other in a circle.
const deep = 4

// deeper returns f for looking at the value of a variable instead of the variable.
func (f *function) deeper() *function {
	g := *f
	g.depth++
	return &g
}

// behind returns the expression that gives the variable e its value, if there is exactly one, and f is not yet
// too deep.
func (f *function) behind(e *ast.Ident) ast.Expr {
	if v := f.variable(e); v != nil && f.depth < deep {
		return f.onlyValue(v)
	}
	return nil
}

// onlyValue returns the expression that gives v its value, if there is exactly one and v is not a parameter.
func (f *function) onlyValue(v *types.Var) ast.Expr {
	value, times := f.values(v)
	if times != 1 {
		return nil
	}
	return value
}

// values returns how often v gets a value, or may get one through a pointer, in the file or, if it is a
// variable of the package, in all files. Of the last one it returns the expression, if there is one for v alone.
func (f *function) values(v *types.Var) (value ast.Expr, times int) {
	set := func(to, from ast.Expr) {
		if to != nil && f.variable(to) == v {
			value = from
			times++
		}
	}
	for _, file := range f.Files {
		if v.Parent() != f.Pkg.Scope() && (file.FileStart > v.Pos() || v.Pos() >= file.FileEnd) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			assigned(n, set)
			return true
		})
	}
	return value, times
}

// assigned calls set for each expression that n assigns to, with what it assigns, or nil.
func assigned(n ast.Node, set func(to, from ast.Expr)) {
	from := func(values []ast.Expr, i, n int) ast.Expr {
		if len(values) == n {
			return values[i]
		}
		return nil
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			set(l, from(n.Rhs, i, len(n.Lhs)))
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if len(n.Values) > 0 {
				set(id, from(n.Values, i, len(n.Names)))
			}
		}
	case *ast.RangeStmt:
		set(n.Key, nil)
		set(n.Value, nil)
	case *ast.IncDecStmt:
		set(n.X, nil)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			set(n.X, nil)
		}
	}
}

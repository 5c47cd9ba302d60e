package mpivet

import (
	"go/ast"
	"go/constant"
	"go/token"
)

// asksRank returns the communicator on whose rank the value of cond depends: a comparison with the rank, a
// variable with such a value, or what is made of these.
func (f *function) asksRank(cond ast.Expr) (place, bool) {
	if _, known := f.truth(cond); known {
		return place{}, false
	}
	switch e := ast.Unparen(cond).(type) {
	case *ast.Ident:
		if from := f.behind(e); from != nil {
			return f.deeper().asksRank(from)
		}
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
				return p, true
			}
			return f.rankOf(e.Y)
		}
	}
	return place{}, false
}

// truth returns the value of a condition, if it is the same on all ranks: a constant, a comparison that ranks
// decide by their range, and what these decide.
func (f *function) truth(cond ast.Expr) (value, known bool) {
	return inferred(cond, func(cond ast.Expr) (value, known bool) {
		if v := f.TypesInfo.Types[cond].Value; v != nil && v.Kind() == constant.Bool {
			return constant.BoolVal(v), true
		}
		switch e := cond.(type) {
		case *ast.Ident:
			if from := f.behind(e); from != nil {
				return f.deeper().truth(from)
			}
		case *ast.BinaryExpr:
			if value, known = f.compared(e.X, e.Op, e.Y); !known {
				return f.compared(e.Y, mirrored(e.Op), e.X)
			}
		}
		return value, known
	})
}

// inferred returns the value of a condition, if it follows from those values of it and of its parts that are known.
func inferred(cond ast.Expr, given func(ast.Expr) (value, known bool)) (value, known bool) {
	cond = ast.Unparen(cond)
	if value, known = given(cond); known {
		return value, true
	}
	switch e := cond.(type) {
	case *ast.UnaryExpr:
		value, known = inferred(e.X, given)
		return !value, known && e.Op == token.NOT
	case *ast.BinaryExpr:
		if e.Op != token.LAND && e.Op != token.LOR {
			break
		}
		x, knowsX := inferred(e.X, given)
		y, knowsY := inferred(e.Y, given)
		decisive := e.Op == token.LOR
		if knowsX && x == decisive || knowsY && y == decisive {
			return decisive, true
		}
		return !decisive, knowsX && knowsY
	}
	return false, false
}

// compared returns the value of x op y, if x is computed from a rank, y is a constant or computed from the
// size of a communicator, and the value follows from 0 <= rank < size.
func (f *function) compared(x ast.Expr, op token.Token, y ast.Expr) (value, known bool) {
	r, ok := f.rank(x)
	if !ok || !r.bounded {
		return false, false
	}
	if k, ok := f.number(y); ok {
		return settled(op, r.least-k)
	}
	if more, ok := f.sizeOf(y); ok {
		return settled(mirrored(op), more-r.over+1)
	}
	return false, false
}

// settled returns the value of x op y, if it follows from x - y >= least.
func settled(op token.Token, least int64) (value, known bool) {
	switch op {
	case token.GEQ, token.LSS:
		return op == token.GEQ, least >= 0
	case token.GTR, token.NEQ, token.LEQ, token.EQL:
		return op == token.GTR || op == token.NEQ, least > 0
	}
	return false, false
}

// mirrored returns the operator that compares y with x as op compares x with y.
func mirrored(op token.Token) token.Token {
	switch op {
	case token.LSS:
		return token.GTR
	case token.LEQ:
		return token.GEQ
	case token.GTR:
		return token.LSS
	case token.GEQ:
		return token.LEQ
	}
	return op
}

// sizeOf returns how much e is above the size of a communicator, if it is a size plus or minus a constant.
// The size of another communicator counts, too: this one may have been made from it with all its ranks.
func (f *function) sizeOf(e ast.Expr) (more int64, ok bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if of := f.converted(e); of != nil {
			return f.sizeOf(of)
		}
		c, ok := f.call(e)
		return 0, ok && c.is("Comm", "Size")
	case *ast.Ident:
		if from := f.behind(e); from != nil {
			return f.deeper().sizeOf(from)
		}
	case *ast.BinaryExpr:
		k, known := f.number(e.Y)
		more, ok = f.sizeOf(e.X)
		switch e.Op {
		case token.ADD:
			return more + k, ok && known
		case token.SUB:
			return more - k, ok && known
		}
	}
	return 0, false
}

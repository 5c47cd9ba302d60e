package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// uneven reports a collective call in every turn of a loop that ranks go through unequally often. It is silent
// where ranks may make up for it: if they part around the loop, leave it, or make the call elsewhere in ways that
// may differ, too.
func (f *function) uneven(loop ast.Node, above []ast.Node) {
	by, comm, ok := f.turnsOf(loop)
	if !ok || f.partsIn(above) || f.escapes(bodyOf(loop)) {
		return
	}
	all, turn := f.branch(comm, "", f.body, f.body), *f
	turn.body = bodyOf(loop)
	inEach := turn.surely()
	for _, c := range f.branch(comm, "", loop, turn.body).calls {
		if all.knows && inEach(c) && !c.unsure && !f.madeUpFor(c, all.calls, loop) {
			f.Reportf(c.Pos(), "%s is called in every turn of a loop whose number of turns depends on %s; all ranks of the communicator must call it equally often: move it out of the loop",
				c.fn.Name(), types.ExprString(by))
			return
		}
	}
}

// madeUpFor reports whether one of all calls is the same as c, outside of the loop, and not made by all ranks.
func (f *function) madeUpFor(c call, all []call, loop ast.Node) bool {
	sure := f.surely()
	return slices.ContainsFunc(all, func(d call) bool {
		return d.fn.Name() == c.fn.Name() && !inside(d, loop) && (d.unsure || !sure(d))
	})
}

// turnsOf returns the expression, computed from a rank, that says how many turns a loop has: that of a range over
// a number, or one end of a loop that counts by one, whose other end is the same on all ranks.
func (f *function) turnsOf(loop ast.Node) (by ast.Expr, comm place, ok bool) {
	switch n := loop.(type) {
	case *ast.RangeStmt:
		comm, ok = f.rankOf(n.X)
		return n.X, comm, ok
	case *ast.ForStmt:
		from, to := f.counted(n)
		if comm, ok = f.rankOf(from); ok && f.uniform(to) {
			return from, comm, true
		}
		comm, ok = f.rankOf(to)
		return to, comm, ok && f.uniform(from)
	}
	return nil, place{}, false
}

// counted returns where a loop begins to count and where it ends, if only its head changes its counter, by one, and it
// may have turns.
func (f *function) counted(n *ast.ForStmt) (from, to ast.Expr) {
	cond, compares := n.Cond.(*ast.BinaryExpr)
	step, counts := n.Post.(*ast.IncDecStmt)
	if n.Init == nil || !compares || !counts {
		return nil, nil
	}
	v, op := f.variable(step.X), cond.Op
	switch {
	case v == nil:
		return nil, nil
	case f.variable(cond.X) == v:
		to = cond.Y
	case f.variable(cond.Y) == v:
		to, op = cond.X, mirrored(cond.Op)
	}
	assigned(n.Init, func(x, value ast.Expr) {
		if f.variable(x) == v {
			from = value
		}
	})
	if _, times := f.values(v); times != 2 || from == nil || to == nil || !towards(op, step.Tok) {
		return nil, nil
	}
	if goes, known := f.truth(&ast.BinaryExpr{X: from, Op: op, Y: to}); known && !goes {
		return nil, nil
	}
	return from, to
}

// towards reports whether a counter that goes up or down, by step, comes to the end of the condition op.
func towards(op, step token.Token) bool {
	switch op {
	case token.LSS, token.LEQ:
		return step == token.INC
	case token.GTR, token.GEQ:
		return step == token.DEC
	}
	return op == token.NEQ
}

// uniform reports whether e is a constant, or computed from the size of a communicator.
func (f *function) uniform(e ast.Expr) bool {
	_, constant := f.number(e)
	_, size := f.sizeOf(e)
	return constant || size
}

// partsIn reports whether one of the nodes around a statement may be for some ranks only.
func (f *function) partsIn(above []ast.Node) bool {
	for _, n := range above {
		switch n := n.(type) {
		case *ast.IfStmt:
			if _, ok := f.asksRank(n.Cond); ok {
				return true
			}
		case *ast.SwitchStmt:
			return true
		case *ast.ForStmt, *ast.RangeStmt:
			if _, _, ok := f.turnsOf(n); ok {
				return true
			}
		}
	}
	return false
}

// escapes reports whether the body of a loop may leave a turn, other than because of an error.
func (f *function) escapes(body *ast.BlockStmt) (found bool) {
	failing := f.failing()
	walk(body, func(n ast.Node) bool {
		s, ok := n.(ast.Stmt)
		r, returns := n.(*ast.ReturnStmt)
		found = found || ok && leaves(s) && !(returns && failing[r])
		return !found
	})
	return found
}

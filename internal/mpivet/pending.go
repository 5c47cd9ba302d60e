package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// pending reports buffers that are used while they belong to a request: between the call that starts it and
// the next statement that names the request.
//
// MPI 4.1, section 3.7.2.
func (f *function) pending() {
	f.lists(func(list []ast.Stmt) {
		for i, s := range list {
			for _, c := range f.begins(s) {
				f.between(c, list[i+1:])
			}
		}
	})
	walk(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			f.turns(n, n.Body)
		case *ast.RangeStmt:
			f.turns(n, n.Body)
		}
		return true
	})
}

// A begun is a call whose request is stored in a variable or a field, or in a list there.
type begun struct {
	call
	handle *types.Var // nil: in a field
	field  place
	list   bool
}

// begins returns the requests that the statement s starts.
func (f *function) begins(s ast.Stmt) (all []begun) {
	a, ok := s.(*ast.AssignStmt)
	if !ok {
		return nil
	}
	for i, r := range a.Rhs {
		c, ok := f.call(r)
		to := a.Lhs[min(i, len(a.Lhs)-1)]
		b := begun{call: c}
		switch {
		case ok && c.keeps():
			to = target(a, c)
			if x, ok := to.(*ast.IndexExpr); ok {
				to, b.list = x.X, true
			}
		case !ok:
			if b.call, ok = f.appends(r); !ok {
				continue
			}
			b.list = true
		default:
			continue
		}
		if b.handle = f.local(to); b.handle != nil && !f.leaksBefore(to) || b.handle == nil && f.inField(&b, to) {
			all = append(all, b)
		}
	}
	return all
}

// appends returns the call whose request e appends to a list.
func (f *function) appends(e ast.Expr) (call, bool) {
	a, ok := e.(*ast.CallExpr)
	if !ok || len(a.Args) != 2 {
		return call{}, false
	}
	if id, ok := a.Fun.(*ast.Ident); !ok || id.Name != "append" {
		return call{}, false
	}
	c, ok := f.call(a.Args[1])
	return c, ok && c.keeps()
}

// between checks the statements up to the next mention of the request.
func (f *function) between(b begun, rest []ast.Stmt) {
	for _, buf := range []struct {
		e     ast.Expr
		fills bool
	}{{b.sends(), false}, {b.fills(), true}} {
		if buf.e == nil {
			continue
		}
		k, ok := f.bufferOf(buf.e)
		if !ok {
			continue
		}
		for _, s := range rest {
			if f.maySettle(s, b) || leaves(s) || f.moves(s, k) {
				break
			}
			if u := f.using(s, k, buf.fills); u != nil {
				f.Reportf(u.Pos(), "%s is used while the %s of line %d may still %s it; wait for the request first",
					types.ExprString(buf.e), b.fn.Name(), f.line(b.Pos()), verb(buf.fills))
				return
			}
		}
	}
}

func verb(fills bool) string {
	if fills {
		return "fill"
	}
	return "send"
}

// A buffer is a place, or a part of it between constants.
type buffer struct {
	place
	low, high int64 // high < 0: to the end
}

func (f *function) bufferOf(e ast.Expr) (buffer, bool) {
	low, high := int64(0), int64(-1)
	if s, ok := ast.Unparen(e).(*ast.SliceExpr); ok && (s.Low != nil || s.High != nil) {
		if s.Low != nil {
			if low, ok = f.number(s.Low); !ok {
				return buffer{}, false
			}
		}
		if s.High != nil {
			if high, ok = f.number(s.High); !ok {
				return buffer{}, false
			}
		}
		e = s.X
	}
	p, ok := f.placeOf(e)
	return buffer{p, low, high}, ok
}

// meets reports whether the two certainly have elements in common.
func (b buffer) meets(o buffer) bool {
	return b.place == o.place && (b.high < 0 || o.low < b.high) && (o.high < 0 || b.low < o.high) &&
		(b.high != b.low) && (o.high != o.low) && (b.high >= 0 && o.high >= 0 || b.low == 0 && o.low == 0)
}

// moves reports whether s makes the variable of k refer to another buffer.
func (f *function) moves(s ast.Stmt, k buffer) (found bool) {
	walk(s, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for _, l := range a.Lhs {
				p, ok := f.placeOf(l)
				found = found || ok && p.root == k.root && len(p.path) <= len(k.path)
			}
		}
		return !found
	})
	return found
}

// using returns where n writes to k or, if k is being filled, reads it.
func (f *function) using(n ast.Node, k buffer, filled bool) (at ast.Node) {
	walk(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.AssignStmt:
			for _, l := range m.Lhs {
				if f.elementOf(l, k) {
					at = l
				}
			}
		case *ast.IncDecStmt:
			if f.elementOf(m.X, k) {
				at = m
			}
		case *ast.IndexExpr:
			if filled && f.elementOf(m, k) {
				at = m
			}
		case *ast.RangeStmt:
			if b, ok := f.bufferOf(m.X); filled && ok && m.Value != nil && b.meets(k) {
				at = m.X
			}
		case *ast.CallExpr:
			if f.writes(m, k, filled) {
				at = m
			}
		}
		return at == nil
	})
	return at
}

// elementOf reports whether e is an element of k, or a field of one.
func (f *function) elementOf(e ast.Expr, k buffer) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		return f.elementOf(e.X, k)
	case *ast.IndexExpr:
		if p, ok := f.placeOf(e.X); ok && p == k.place {
			if i, ok := f.number(e.Index); ok {
				return i >= k.low && (k.high < 0 || i < k.high)
			}
			return k.low == 0 && k.high < 0
		}
		return f.elementOf(e.X, k)
	}
	return false
}

// writes reports whether a call changes k, or reads it while it is being filled.
func (f *function) writes(e *ast.CallExpr, k buffer, filled bool) bool {
	same := func(a ast.Expr) bool {
		if a == nil {
			return false
		}
		b, ok := f.bufferOf(a)
		return ok && b.meets(k)
	}
	if id, ok := ast.Unparen(e.Fun).(*ast.Ident); ok {
		switch id.Name {
		case "copy":
			return same(e.Args[0]) || filled && same(e.Args[1])
		case "clear":
			return same(e.Args[0])
		}
	}
	c, ok := f.call(e)
	return ok && (same(c.fills()) || filled && same(c.sends()))
}

// turns reports a loop that starts requests on the same buffer in every iteration and waits for none of
// them.
func (f *function) turns(loop ast.Node, body *ast.BlockStmt) {
	for i, s := range body.List {
		for _, b := range f.begins(s) {
			if b.list && b.handle != nil && !inside(b.handle, loop) && !f.looksAt(body, b) && !stops(body.List[i+1:]) {
				f.shared(b, loop, body)
			}
		}
	}
}

func inside(v interface{ Pos() token.Pos }, n ast.Node) bool {
	return v.Pos() >= n.Pos() && v.Pos() < n.End()
}

// stops reports whether there is only one iteration.
func stops(rest []ast.Stmt) bool {
	for _, s := range rest {
		if b, ok := s.(*ast.BranchStmt); ok && b.Tok == token.BREAK {
			return true
		}
		if _, ok := s.(*ast.ReturnStmt); ok {
			return true
		}
	}
	return false
}

// looksAt reports whether the loop uses the list of requests other than by adding to it.
func (f *function) looksAt(body *ast.BlockStmt, b begun) (found bool) {
	ast.PreorderStack(body, nil, func(n ast.Node, above []ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && f.TypesInfo.Uses[id] == b.handle && !f.onlyFills(above, id) {
			found = true
		}
		return !found
	})
	return found
}

// shared reports the buffers of b that are the same in every iteration.
func (f *function) shared(b begun, loop ast.Node, body *ast.BlockStmt) {
	for _, buf := range []struct {
		e     ast.Expr
		fills bool
	}{{b.sends(), false}, {b.fills(), true}} {
		if buf.e == nil {
			continue
		}
		k, ok := f.bufferOf(buf.e)
		if !ok || inside(k.root, loop) || f.moves(body, k) || f.empty(buf.e) {
			continue
		}
		if buf.fills {
			f.Reportf(b.Pos(), "every turn of the loop has %s fill %s, while those before may still do so; give each request a buffer of its own",
				b.fn.Name(), types.ExprString(buf.e))
			return
		}
		if at := f.using(body, k, false); at != nil {
			f.Reportf(at.Pos(), "%s is changed in every turn of the loop, while the %s of the turn before (line %d) may still send it; give each request a buffer of its own",
				types.ExprString(buf.e), b.fn.Name(), f.line(b.Pos()))
			return
		}
	}
}

// empty reports whether a buffer is known to be empty: a variable that never gets elements. A parameter is not:
// programs that mean empty messages say so where they send them.
func (f *function) empty(e ast.Expr) bool {
	v := f.variable(e)
	return v != nil && f.without(v)
}

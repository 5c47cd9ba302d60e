package mpivet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/cfg"
)

// A step says what a statement is for something that has to be done on each path.
type step int

const (
	undone step = iota // it remains to be done
	done               // it is done, as far as anybody knows
	wrong              // it should have been done before
)

// A search looks for a path on which something is not done, from a call or a statement on.
type search struct {
	*function
	from    ast.Node
	of      place // what it mentions if it is done
	look    func(ast.Node) step
	holds   facts
	failing map[*ast.ReturnStmt]bool
	seen    map[*cfg.Block]bool
}

// follow finds a path from a statement, or a call in it, to one that is wrong, or to a return, on which something
// remains undone that mentions p; nil if there is none. Returns because of an error do not count.
func (f *function) follow(from ast.Node, p place, look func(ast.Node) step) ast.Node {
	s := search{f, from, p, look, f.around(from), f.failing(), map[*cfg.Block]bool{}}
	for _, b := range cfg.New(f.body, f.mayReturn).Blocks {
		if i := slices.IndexFunc(b.Nodes, func(n ast.Node) bool { return inside(from, n) }); i >= 0 && b.Live {
			return s.path(slices.Concat(behind(from, b.Nodes[i]), b.Nodes[i+1:]), b, s.ways(b, b))
		}
	}
	return nil
}

// behind returns the calls in n that come after from.
func behind(from, n ast.Node) (calls []ast.Node) {
	walk(n, func(m ast.Node) bool {
		if e, ok := m.(*ast.CallExpr); ok && e.Pos() >= from.End() {
			calls = append(calls, e)
		}
		return true
	})
	return calls
}

// path follows some nodes of b, and then the ways to other blocks.
func (s *search) path(nodes []ast.Node, b *cfg.Block, ways []*cfg.Block) ast.Node {
	for _, n := range nodes {
		switch s.look(n) {
		case done:
			return nil
		case wrong:
			return n
		}
		if r, ok := n.(*ast.ReturnStmt); ok && s.failing[r] {
			return nil
		} else if ok {
			return n
		}
	}
	for _, next := range ways {
		if s.seen[next] {
			continue
		}
		on := s.ways(b, next)
		s.seen[next] = len(on) == len(next.Succs)
		if end := s.path(next.Nodes, next, on); end != nil {
			return end
		}
	}
	return nil
}

// ways returns where a path that comes from a block to b may go on. A loop that ends when a request is complete is
// not left before. One that begins later, and mentions what is to be done, has a turn, as far as anybody knows. Calls
// do not fail, and what held where the path began, holds in a later if.
func (s *search) ways(from, b *cfg.Block) []*cfg.Block {
	head := b.Kind == cfg.KindForLoop || b.Kind == cfg.KindRangeLoop
	first := head && !(from.Stmt != nil && inside(from.Stmt, b.Stmt))
	if s.untilComplete(b, s.of) || first && s.mentionsPlace(bodyOf(b.Stmt), s.of) {
		return b.Succs[:1]
	}
	if len(b.Succs) == 2 && b.Succs[0].Kind == cfg.KindIfThen {
		cond := b.Nodes[len(b.Nodes)-1].(ast.Expr)
		value, known := s.succeeds(cond)
		if !known {
			value, known = s.holds.value(cond)
		}
		if known && value {
			return b.Succs[:1]
		} else if known {
			return b.Succs[1:]
		}
	}
	return b.Succs
}

// succeeds returns the value of err == nil and err != nil after a call that has not failed.
func (f *function) succeeds(cond ast.Expr) (value, known bool) {
	e, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || !f.TypesInfo.Types[e.Y].IsNil() || !isError(f.TypesInfo.TypeOf(e.X)) {
		return false, false
	}
	return e.Op == token.EQL, e.Op == token.EQL || e.Op == token.NEQ
}

// untilComplete reports whether b ends with the condition !v of a loop in which v becomes true only when a Test says
// that the request in p is complete.
func (f *function) untilComplete(b *cfg.Block, p place) bool {
	if len(b.Nodes) == 0 {
		return false
	}
	e, ok := b.Nodes[len(b.Nodes)-1].(*ast.UnaryExpr)
	if !ok || e.Op != token.NOT {
		return false
	}
	v := f.variable(e.X)
	if v == nil {
		return false
	}
	tested, otherwise := false, false
	ast.Inspect(f.body, func(n ast.Node) bool {
		assigned(n, func(to, from ast.Expr) {
			switch {
			case to == nil || f.variable(to) != v:
			case from != nil && f.TypesInfo.Types[from].Value != nil:
				otherwise = otherwise || constant.BoolVal(f.TypesInfo.Types[from].Value)
			case f.mentionsPlace(n, p):
				tested = true
			default:
				otherwise = true
			}
		})
		return true
	})
	return tested && !otherwise
}

// facts are the values of conditions, by their text.
type facts map[string]bool

// around returns what holds at n, because of each if around it.
func (f *function) around(n ast.Node) facts {
	all := facts{}
	walk(f.body, func(m ast.Node) bool {
		if m, ok := m.(*ast.IfStmt); ok && inside(n, m.Body) {
			all.add(m.Cond, true)
		} else if ok && m.Else != nil && inside(n, m.Else) {
			all.add(m.Cond, false)
		}
		return true
	})
	return all
}

// add notes the value of a condition, and of those from which it follows.
func (all facts) add(cond ast.Expr, value bool) {
	cond = ast.Unparen(cond)
	all[types.ExprString(cond)] = value
	switch e := cond.(type) {
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			all.add(e.X, !value)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND && value || e.Op == token.LOR && !value {
			all.add(e.X, value)
			all.add(e.Y, value)
		}
	}
}

// value returns the value of a condition, if it follows from the facts.
func (all facts) value(cond ast.Expr) (value, known bool) {
	return inferred(cond, func(cond ast.Expr) (value, known bool) {
		value, known = all[types.ExprString(cond)]
		return value, known
	})
}

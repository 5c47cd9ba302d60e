package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// oneOf compares the clauses of a switch on a rank with each other. Without a default clause they may well
// cover all ranks. Clauses that fail are left out.
func (f *function) oneOf(n *ast.SwitchStmt) {
	if n.Tag == nil {
		f.chain(n)
		return
	}
	comm, ok := f.rankOf(n.Tag)
	if !ok {
		return
	}
	var all []branch
	for i, s := range n.Body.List {
		if b := f.branch(comm, casesOf(n, i), s, body(n, i)); !b.fails {
			all = append(all, b)
		}
	}
	if !f.lackingInOne(all, n) {
		pairs(all, func(some, others *branch) bool { return f.skipped(some, others, n) })
	}
}

// lackingInOne reports a call that one clause of n makes and another does not.
func (f *function) lackingInOne(all []branch, n *ast.SwitchStmt) bool {
	return pairs(all, func(some, others *branch) bool {
		c, ok := f.lacking(some, others, n)
		if ok {
			f.Reportf(c.Pos(), "not all cases of this switch on %s call %s; all ranks of the communicator must: move it out of the switch, or call it in all cases",
				types.ExprString(n.Tag), c.fn.Name())
		}
		return ok
	})
}

// pairs calls look for pairs of branches until it returns true.
func pairs(all []branch, look func(some, others *branch) bool) bool {
	for i := range all {
		for j := range all {
			if i != j && look(&all[i], &all[j]) {
				return true
			}
		}
	}
	return false
}

// casesOf says for which values the clause i of n is.
func casesOf(n *ast.SwitchStmt, i int) string {
	var cond ast.Expr
	for _, e := range n.Body.List[i].(*ast.CaseClause).List {
		cond = or(cond, &ast.BinaryExpr{X: n.Tag, Op: token.EQL, Y: e})
	}
	if cond == nil {
		return "another " + types.ExprString(n.Tag)
	}
	return types.ExprString(cond)
}

// or returns x || y, or y if there is no x.
func or(x, y ast.Expr) ast.Expr {
	if x == nil {
		return y
	}
	return &ast.BinaryExpr{X: x, Op: token.LOR, Y: y}
}

// body returns what is executed in the clause i of n: its statements, and those that it falls through to. A
// break at the end only leaves the switch.
func body(n *ast.SwitchStmt, i int) *ast.BlockStmt {
	list := n.Body.List[i].(*ast.CaseClause).Body
	if len(list) == 0 {
		return &ast.BlockStmt{}
	}
	most := list[:len(list)-1]
	if b, ok := list[len(list)-1].(*ast.BranchStmt); ok && b.Label == nil {
		switch b.Tok {
		case token.FALLTHROUGH:
			return &ast.BlockStmt{List: slices.Concat(most, body(n, i+1).List)}
		case token.BREAK:
			return &ast.BlockStmt{List: most}
		}
	}
	return &ast.BlockStmt{List: list}
}

// chain compares the clauses of a switch without a tag, which is an if with many else: each one that is on a
// rank with those that come after it.
func (f *function) chain(n *ast.SwitchStmt) {
	order, complete := evaluated(n)
	asked := false
	for k, i := range order {
		cond := condition(n, i)
		comm, ok := f.asksRank(cond)
		if !ok || asked && !complete && k == len(order)-1 {
			continue // the last one may well be for all that remain
		}
		asked = true
		then := f.branch(comm, types.ExprString(cond), n.Body.List[i], body(n, i))
		other := f.alternatives(n, comm, order[k+1:], complete)
		other.cond = "!(" + then.cond + ")"
		if !then.fails && !other.fails && (f.missing(&then, &other, n) || f.missing(&other, &then, n)) {
			return
		}
	}
}

// evaluated returns the clauses of n in the order in which they are tried, and whether there is a default
// clause, which is the last one wherever it stands.
func evaluated(n *ast.SwitchStmt) (order []int, complete bool) {
	last := -1
	for i, s := range n.Body.List {
		if s.(*ast.CaseClause).List == nil {
			last = i
		} else {
			order = append(order, i)
		}
	}
	if last >= 0 {
		order = append(order, last)
	}
	return order, last >= 0
}

// condition returns the condition of the clause i of n; that of the default clause asks nothing.
func condition(n *ast.SwitchStmt, i int) ast.Expr {
	var cond ast.Expr
	for _, e := range n.Body.List[i].(*ast.CaseClause).List {
		cond = or(cond, e)
	}
	if cond == nil {
		return ast.NewIdent("default")
	}
	return cond
}

// alternatives returns what the ranks do that come to some clauses of n: one of these or, if they are not
// complete, nothing.
func (f *function) alternatives(n *ast.SwitchStmt, comm place, clauses []int, complete bool) branch {
	all := f.branch(comm, "", n)
	all.over, all.fails = complete, complete
	for _, i := range clauses {
		b := f.branch(comm, "", n.Body.List[i], body(n, i))
		all.fails = all.fails && b.fails
		if b.fails {
			continue
		}
		all.calls = append(all.calls, b.calls...)
		all.knows = all.knows && b.knows
		all.over = all.over && b.over
		if _, returns := b.exit.(*ast.ReturnStmt); all.exit == nil || !returns {
			all.exit = b.exit
		}
	}
	return all
}

package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// collectives are the calls that all ranks of a communicator make, except those whose names begin with I or
// end in Init.
var collectives = set(`Barrier Bcast Gather Gatherv Scatter Scatterv Allgather Allgatherv Alltoall Alltoallv Alltoallw
	Reduce Allreduce ReduceScatterBlock ReduceScatter Scan Exscan
	NeighborAllgather NeighborAllgatherv NeighborAlltoall NeighborAlltoallv NeighborAlltoallw
	WinAllocate WinAllocateShared WinCreate WinDynamic`)

// makers are the methods of a communicator that all its ranks call, and fences those of a window.
var (
	makers = set(`Dup DupWithInfo Idup IdupWithInfo Split SplitType SplitHardware SplitResource Create CartCreate CartSub GraphCreate
	DistGraphCreate DistGraphCreateAdjacent Merge IntercommCreate`)
	fences = set("Fence Free")
)

func set(words string) map[string]bool {
	s := map[string]bool{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

// on returns the communicator on which all ranks must make the call, if c is collective.
func (f *function) on(c call) (place, bool) {
	name := c.fn.Name()
	switch {
	case c.sig.Recv() == nil:
		name = strings.TrimSuffix(name, "Init")
		plain, cut := strings.CutPrefix(name, "I")
		if cut && plain != "" {
			plain = strings.ToUpper(plain[:1]) + plain[1:]
		}
		if comm := c.arg("c"); comm != nil && (collectives[name] || collectives[plain]) {
			return f.placeOf(comm)
		}
	case c.of("Comm") && makers[name]:
		return f.placeOf(c.receiver())
	case c.of("Win") && fences[name]:
		return f.windowOf(c.receiver())
	}
	return place{}, false
}

// windowOf returns the communicator of the window e, if the window was made in this function.
func (f *function) windowOf(e ast.Expr) (place, bool) {
	w := f.local(e)
	p, found := place{}, false
	if w == nil {
		return p, false
	}
	f.preorder(func(n ast.Node, _ []ast.Node) {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 && f.variable(a.Lhs[0]) == w {
			if c, ok := f.call(a.Rhs[0]); ok && c.arg("c") != nil && strings.HasPrefix(c.fn.Name(), "Win") {
				p, found = f.placeOf(c.arg("c"))
			}
		}
	})
	return p, found
}

// collective reports calls that all ranks of a communicator must make but only some of them reach: calls in
// a condition on the rank, without the same call in the other branch.
//
// MPI 4.1, section 6.1.
func (f *function) collective() {
	chained := map[*ast.IfStmt]bool{} // else if: treated as a part of the first if
	f.preorder(func(n ast.Node, above []ast.Node) {
		switch n := n.(type) {
		case *ast.IfStmt:
			if next, ok := n.Else.(*ast.IfStmt); ok {
				chained[next] = true
			}
			if c, ok := f.asksRank(n.Cond); ok && (!chained[n] || n.Else != nil) {
				f.either(n, c)
			}
		case *ast.SwitchStmt:
			f.oneOf(n)
		case *ast.ForStmt, *ast.RangeStmt:
			f.uneven(n, above)
		}
	})
}

// either compares the two branches of an if. If one returns, the other one continues to the end of the
// function.
func (f *function) either(n *ast.IfStmt, comm place) {
	cond := types.ExprString(n.Cond)
	then := f.branch(comm, cond, n, n.Body)
	other := f.branch(comm, "!("+cond+")", n)
	if n.Else != nil {
		other.add(n.Else)
	}
	if !then.fails && !other.fails {
		f.missing(&then, &other, n)
		f.missing(&other, &then, n)
	}
}

// missing reports calls in the branch of some ranks that the branch of the others lacks. The ranks part in n.
func (f *function) missing(some, others *branch, n ast.Stmt) (found bool) {
	if c, ok := f.lacking(some, others, n); ok {
		f.Reportf(c.Pos(), "only ranks with %s call %s here; all ranks of the communicator must: move it out of the condition, or call it in both branches",
			some.cond, c.fn.Name())
		return true
	}
	return f.skipped(some, others, n)
}

// lacking returns a call in the branch of some ranks that the others never make.
func (f *function) lacking(some, others *branch, n ast.Stmt) (call, bool) {
	for _, c := range some.calls {
		if !c.unsure && f.lacks(others, some, c, n.End()) {
			return c, true
		}
	}
	return call{}, false
}

// skipped reports a call after n to which some ranks come, and the others do not.
func (f *function) skipped(some, others *branch, n ast.Stmt) bool {
	if !others.over || some.over || !others.knows {
		return false
	}
	for _, c := range f.skips(others, n) {
		if !c.unsure && !others.has(c) {
			f.Reportf(c.Pos(), "not all ranks of the communicator come to this %s: those with %s %s in line %d; let them call it, too",
				c.fn.Name(), others.cond, others.leaving(), others.line)
			return true
		}
	}
	return false
}

// lacks reports whether b, compared with own, never makes the call c, neither in the branch nor, if it
// continues, in the code after pos.
func (f *function) lacks(b, own *branch, c call, pos token.Pos) bool {
	if !b.knows || b.has(c) {
		return false
	}
	if !own.over || b.over {
		return true
	}
	rest := f.rest(pos, b.comm)
	return rest.knows && !rest.has(c)
}

// rest returns what follows pos in the function.
func (f *function) rest(pos token.Pos, comm place) branch {
	b := f.branch(comm, "", f.body)
	end, others := f.apart(pos)
	walk(f.body, func(n ast.Node) bool {
		if slices.Contains(others, n) || n.Pos() >= end {
			return false
		}
		if e, ok := n.(*ast.CallExpr); ok && e.Pos() > pos {
			b.add(e)
			return false
		}
		return true
	})
	return b
}

// apart returns what ranks at pos do not come to: what is behind the end of a list of statements around pos that
// returns, and the other cases and the else of what pos is in.
func (f *function) apart(pos token.Pos) (end token.Pos, others []ast.Node) {
	around := func(n ast.Node) bool {
		switch n.(type) {
		case *ast.CaseClause, *ast.CommClause: // which have no brace behind their last statement
			return n.Pos() <= pos && pos <= n.End()
		}
		return n.Pos() <= pos && pos < n.End()
	}
	end = f.body.End()
	walk(f.body, func(n ast.Node) bool {
		if !around(n) {
			return false
		}
		if n, ok := n.(*ast.IfStmt); ok && n.Else != nil && around(n.Body) {
			others = append(others, n.Else)
		}
		for _, s := range listOf(n) {
			switch s.(type) {
			case *ast.ReturnStmt:
				end = min(end, n.End())
			case *ast.CaseClause, *ast.CommClause:
				if !around(s) {
					others = append(others, s)
				}
			}
		}
		return true
	})
	return end, others
}

func (f *function) after(pos token.Pos, comm place) []call {
	b := f.rest(pos, comm)
	return b.calls
}

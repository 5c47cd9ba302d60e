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
	makers = set(`Dup DupWithInfo Idup IdupWithInfo Split SplitType Create CartCreate CartSub GraphCreate DistGraphCreate
	DistGraphCreateAdjacent Merge IntercommCreate`)
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
	case isMPI(c.sig.Recv().Type(), "Comm") && makers[name]:
		return f.placeOf(c.receiver())
	case isMPI(c.sig.Recv().Type(), "Win") && fences[name]:
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
		}
	})
}

// A branch is what some of the ranks execute.
type branch struct {
	f     *function
	comm  place
	calls []call // collective calls on comm
	knows bool   // all calls on comm are known
	over  bool   // it ends with a return
	fails bool   // it returns an error, or ends the program
}

func (f *function) branch(comm place, nodes ...ast.Node) branch {
	b := branch{f: f, comm: comm, knows: true}
	for _, n := range nodes {
		b.add(n)
	}
	return b
}

func (b *branch) add(n ast.Node) {
	walk(n, func(m ast.Node) bool {
		if e, ok := m.(*ast.CallExpr); ok {
			if c, ok := b.f.call(e); !ok {
				b.knows = b.knows && !b.f.mayCommunicate(e, b.comm)
			} else if at, ok := b.f.on(c); ok && at == b.comm {
				b.calls = append(b.calls, c)
			}
		}
		return true
	})
	if list, ok := n.(*ast.BlockStmt); ok && len(list.List) > 0 {
		last := list.List[len(list.List)-1]
		b.over = leaves(last)
		r, ok := last.(*ast.ReturnStmt)
		b.fails = b.fails || slices.ContainsFunc(list.List, b.f.ends) || ok && b.f.returnsError(r)
	}
}

// ends reports whether a statement always makes a call that does not return, like mpi.Abort. A rank that comes
// there has given up, and leaves the calls of the others out on purpose.
func (f *function) ends(s ast.Stmt) (found bool) {
	walk(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.GoStmt:
			return false // may be not executed
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				return false
			}
		case *ast.CallExpr:
			found = found || !f.mayReturn(n)
		}
		return !found
	})
	return found
}

// has reports whether the branch makes a call of the same name as c.
func (b *branch) has(c call) bool {
	for _, d := range b.calls {
		if d.fn.Name() == c.fn.Name() {
			return true
		}
	}
	return false
}

// mayCommunicate reports whether a call of the program's own function may communicate on comm: the function
// has access to something of package mpi.
func (f *function) mayCommunicate(e *ast.CallExpr, comm place) bool {
	if tv := f.TypesInfo.Types[e.Fun]; tv.IsType() || tv.IsBuiltin() {
		return false
	}
	for _, a := range e.Args {
		if holdsMPI(f.TypesInfo.TypeOf(a), 0) {
			return true
		}
	}
	switch fun := ast.Unparen(e.Fun).(type) {
	case *ast.SelectorExpr:
		if s := f.TypesInfo.Selections[fun]; s != nil {
			return holdsMPI(s.Recv(), 0)
		}
		return false // a function of another package
	case *ast.Ident:
		if _, ok := f.TypesInfo.Uses[fun].(*types.Func); ok {
			return comm.root.Parent() == f.Pkg.Scope() // a function of this package, which sees its variables
		}
	}
	return true // a function value: it may hold anything
}

// holdsMPI reports whether a value of type t may give access to a communicator.
func holdsMPI(t types.Type, depth int) bool {
	if t == nil || depth > 4 {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == mpiPath {
		switch n.Obj().Name() {
		case "Comm", "Win", "Request", "Session", "Group":
			return true
		}
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return holdsMPI(u.Elem(), depth+1)
	case *types.Slice:
		return holdsMPI(u.Elem(), depth+1)
	case *types.Array:
		return holdsMPI(u.Elem(), depth+1)
	case *types.Map:
		return holdsMPI(u.Elem(), depth+1)
	case *types.Signature:
		return true
	case *types.Struct:
		for v := range u.Fields() {
			if holdsMPI(v.Type(), depth+1) {
				return true
			}
		}
	case *types.Interface:
		return !u.Empty() && !isError(t)
	}
	return false
}

// either compares the two branches of an if. If one returns, the other one continues to the end of the
// function.
func (f *function) either(n *ast.IfStmt, comm place) {
	then := f.branch(comm, n.Body)
	other := f.branch(comm)
	if n.Else != nil {
		other.add(n.Else)
	}
	if then.fails || other.fails {
		return
	}
	cond := types.ExprString(n.Cond)
	f.missing(&then, &other, n, cond)
	f.missing(&other, &then, n, "!("+cond+")")
}

// missing reports calls in the branch of some ranks that the branch of the others lacks.
func (f *function) missing(some, others *branch, n *ast.IfStmt, cond string) {
	for _, c := range some.calls {
		if !f.lacks(others, some, c, n.End()) {
			continue
		}
		f.Reportf(c.Pos(), "only ranks with %s call %s here; all ranks of the communicator must: move it out of the condition, or call it in both branches",
			cond, c.fn.Name())
		return
	}
	if !others.over || some.over || !others.knows || f.inLoop(n) {
		return
	}
	for _, c := range f.after(n.End(), some.comm) {
		if !others.has(c) {
			f.Reportf(c.Pos(), "not all ranks of the communicator come to this %s: those with %s return in line %d; let them call it, too",
				c.fn.Name(), negated(cond), f.line(n.Pos()))
			return
		}
	}
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
	b := f.branch(comm)
	walk(f.body, func(n ast.Node) bool {
		if e, ok := n.(*ast.CallExpr); ok && e.Pos() > pos {
			b.add(e)
			return false
		}
		return true
	})
	return b
}

func (f *function) after(pos token.Pos, comm place) []call {
	b := f.rest(pos, comm)
	return b.calls
}

// inLoop reports whether n is in a loop, where following code may be executed before it.
func (f *function) inLoop(n ast.Node) (found bool) {
	f.preorder(func(m ast.Node, above []ast.Node) {
		if m != n {
			return
		}
		for _, a := range above {
			switch a.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				found = true
			}
		}
	})
	return found
}

func negated(cond string) string {
	if len(cond) > 2 && cond[0] == '!' && cond[1] == '(' {
		return cond[2 : len(cond)-1]
	}
	return "!(" + cond + ")"
}

// oneOf compares the clauses of a switch on a rank with each other. Without a default clause they may well
// cover all ranks.
func (f *function) oneOf(n *ast.SwitchStmt) {
	if n.Tag == nil {
		return
	}
	comm, ok := f.rankOf(n.Tag)
	if !ok {
		return
	}
	var all []branch
	for _, s := range n.Body.List {
		b := f.branch(comm, &ast.BlockStmt{List: s.(*ast.CaseClause).Body})
		if b.fails || b.over {
			return
		}
		all = append(all, b)
	}
	for i := range all {
		for j := range all {
			for _, c := range all[i].calls {
				if all[j].knows && !all[j].has(c) {
					f.Reportf(c.Pos(), "not all cases of this switch on %s call %s; all ranks of the communicator must: move it out of the switch, or call it in all cases",
						types.ExprString(n.Tag), c.fn.Name())
					return
				}
			}
		}
	}
}

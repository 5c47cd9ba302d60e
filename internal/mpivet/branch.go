package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/types/typeutil"
)

// A branch is what some of the ranks execute.
type branch struct {
	f     *function
	comm  place
	cond  string // which ranks
	line  int
	calls []call   // collective calls on comm
	knows bool     // all calls on comm are known
	over  bool     // it ends with a return, or leaves a turn of a loop
	exit  ast.Stmt // the last statement, if it is over
	fails bool     // it returns an error, or ends the program
}

// branch returns the branch, at the statement at, that consists of some nodes.
func (f *function) branch(comm place, cond string, at ast.Node, nodes ...ast.Node) branch {
	b := branch{f: f, comm: comm, cond: cond, line: f.line(at.Pos()), knows: true}
	for _, n := range nodes {
		b.add(n)
	}
	return b
}

func (b *branch) add(n ast.Node) {
	walk(n, func(m ast.Node) bool {
		if e, ok := m.(*ast.CallExpr); ok {
			if c, ok := b.f.call(e); !ok {
				if b.f.mayCommunicate(e, b.comm) {
					inner, ok := b.f.within(e, b.comm)
					b.calls, b.knows = append(b.calls, inner...), b.knows && ok
				}
			} else if at, ok := b.f.on(c); ok && at == b.comm {
				b.calls = append(b.calls, c)
			}
		}
		return true
	})
	if list, ok := n.(*ast.BlockStmt); ok && len(list.List) > 0 {
		last := list.List[len(list.List)-1]
		b.over, b.exit = leaves(last), last
		r, ok := last.(*ast.ReturnStmt)
		b.fails = b.fails || slices.ContainsFunc(list.List, b.f.ends) || ok && b.f.returnsError(r) && !b.f.passesOn(list.List, b.comm)
	}
}

// passesOn reports whether a list of statements ends with the return of what a call of package mpi has just
// returned, which is mostly nil: the last results of `_, err := r.Wait()` and `return err`, or the errors.Join of
// such calls, or the result of a function of this package that is seen through: see within.
func (f *function) passesOn(list []ast.Stmt, comm place) bool {
	r := list[len(list)-1].(*ast.ReturnStmt)
	last := r.Results[len(r.Results)-1]
	if e, ok := ast.Unparen(last).(*ast.CallExpr); ok {
		if _, ok := f.within(e, comm); ok {
			return true
		}
		return f.joins(e) && !slices.ContainsFunc(e.Args, func(a ast.Expr) bool { _, ok := f.call(a); return !ok })
	}
	v := f.variable(last)
	if v == nil || len(list) < 2 {
		return false
	}
	a, ok := list[len(list)-2].(*ast.AssignStmt)
	if !ok || len(a.Rhs) != 1 || f.variable(a.Lhs[len(a.Lhs)-1]) != v {
		return false
	}
	if e, ok := a.Rhs[0].(*ast.CallExpr); ok {
		if _, ok := f.within(e, comm); ok {
			return true
		}
	}
	_, ok = f.call(a.Rhs[0])
	return ok
}

// joins reports whether e calls errors.Join.
func (f *function) joins(e *ast.CallExpr) bool {
	fn, ok := typeutil.Callee(f.TypesInfo, e).(*types.Func)
	return ok && fn.FullName() == "errors.Join"
}

// leaving says how the branch ends.
func (b *branch) leaving() string {
	if s, ok := b.exit.(*ast.BranchStmt); ok {
		return s.Tok.String()
	}
	return "return"
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
	if f.converted(e) != nil || f.TypesInfo.Types[e.Fun].IsBuiltin() {
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

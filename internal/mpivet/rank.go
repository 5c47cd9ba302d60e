package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A rankValue is a value that is computed from the rank in a communicator.
type rankValue struct {
	comm    place
	exact   bool  // it is the rank plus least
	bounded bool  // the rest holds
	least   int64 // it is at least this
	over    int64 // it is below the size of the communicator plus this, if that is not unlimited
}

// unlimited is more than anything that is added to ranks or subtracted from them.
const unlimited = 1 << 60

// rankOf returns the communicator whose rank e is: c.Rank(), a variable with that value, or arithmetic on
// one of these with constants and sizes of communicators.
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
			return rankValue{comm: at, exact: true, bounded: true}, ok
		}
		if of := f.converted(e); of != nil {
			r, ok := f.rank(of)
			r.bounded = r.bounded && r.least >= 0 // an unsigned number wraps around
			return r, ok
		}
	case *ast.Ident:
		if from := f.behind(e); from != nil {
			return f.deeper().rank(from)
		}
	case *ast.BinaryExpr:
		return f.computed(e)
	}
	return rankValue{}, false
}

// computed is rank for an operation on a rank and a constant, or a size.
func (f *function) computed(e *ast.BinaryExpr) (rankValue, bool) {
	if k, ok := f.number(e.Y); ok {
		r, ok := f.rank(e.X)
		return r.with(e.Op, k), ok && tellsApart(e.Op, k)
	}
	if k, ok := f.number(e.X); ok {
		r, ok := f.rank(e.Y)
		return r.behind(e.Op, k), ok && tellsApart(e.Op, k) && (commutes(e.Op) || e.Op == token.SUB)
	}
	if more, ok := f.sizeOf(e.X); ok && e.Op == token.ADD {
		r, ok := f.rank(e.Y)
		return r.plusSize(more), ok
	} else if ok && e.Op == token.SUB {
		r, ok := f.rank(e.Y)
		return rankValue{r.comm, false, r.bounded, more + 1 - r.over, more + 1 - r.least}, ok
	}
	more, ok := f.sizeOf(e.Y)
	switch {
	case !ok:
	case e.Op == token.ADD:
		r, ok := f.rank(e.X)
		return r.plusSize(more), ok
	case e.Op == token.REM && more == 0:
		r, ok := f.rank(e.X)
		return rankValue{comm: r.comm, bounded: r.bounded && r.least >= 0}, ok
	}
	return rankValue{}, false
}

// plusSize returns r plus a size, which is at least 1, plus more.
func (r rankValue) plusSize(more int64) rankValue {
	return rankValue{r.comm, false, r.bounded, r.least + 1 + more, unlimited}
}

// tellsApart reports whether an operation on a rank and a constant gives another value on another rank.
func tellsApart(op token.Token, k int64) bool {
	switch op {
	case token.ADD, token.SUB, token.XOR, token.SHL, token.SHR:
		return true
	case token.MUL, token.QUO, token.AND:
		return k != 0
	case token.REM:
		return k > 1
	}
	return false
}

// commutes reports whether k op r is r op k.
func commutes(op token.Token) bool {
	return op == token.ADD || op == token.MUL || op == token.AND || op == token.XOR
}

// with returns r op k.
func (r rankValue) with(op token.Token, k int64) rankValue {
	switch op {
	case token.ADD:
		r.least, r.over = r.least+k, r.over+k
		return r
	case token.SUB:
		r.least, r.over = r.least-k, r.over-k
		return r
	}
	r.exact = false
	switch op {
	case token.REM, token.AND:
		r.bounded = r.bounded && r.least >= 0
		r.least = 0
	case token.QUO, token.SHR: // no larger than r, and 0 for some rank
		r.bounded = r.bounded && r.least >= 0 && k > 0
		r.least = 0
	default:
		r.bounded = false
	}
	return r
}

// behind returns k op r.
func (r rankValue) behind(op token.Token, k int64) rankValue {
	if op == token.SUB {
		return rankValue{comm: r.comm}
	}
	return r.with(op, k)
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

// onlyValue returns the expression that gives v its value, if there is exactly one, and v has no other value
// before: it is a variable that begins with this one, or gets it in the list of statements that declares it.
// Exported variables may get others in other packages, and variables with methods from these.
func (f *function) onlyValue(v *types.Var) ast.Expr {
	value, times := f.values(v)
	if times != 1 || value == nil || v.Kind() == types.PackageVar && v.Exported() || changesItself(v.Type()) || v.Kind() != types.PackageVar && !f.fromTheStart(v, value) {
		return nil
	}
	return value
}

// changesItself reports whether t has methods that may change it.
func changesItself(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return false
	}
	for m := range n.Methods() {
		if _, pointer := m.Signature().Recv().Type().(*types.Pointer); pointer {
			return true
		}
	}
	return false
}

// fromTheStart reports whether v is declared with value, or gets it in the list of statements that declares it.
func (f *function) fromTheStart(v *types.Var, value ast.Expr) (found bool) {
	f.inFiles(v, func(n ast.Node) bool {
		assigned(n, func(to, from ast.Expr) {
			id, ok := to.(*ast.Ident)
			found = found || ok && from == value && f.TypesInfo.Defs[id] == v
		})
		declared := false
		for _, s := range listOf(n) {
			_, decl := s.(*ast.DeclStmt)
			declared = declared || decl && inside(v, s)
			assigned(s, func(_, from ast.Expr) { found = found || declared && from == value })
		}
		return !found
	})
	return found
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
	f.inFiles(v, func(n ast.Node) bool {
		assigned(n, set)
		return true
	})
	return value, times
}

// inFiles visits the nodes of the files that can name v.
func (f *function) inFiles(v *types.Var, visit func(ast.Node) bool) {
	for _, file := range f.filesOf(v) {
		ast.Inspect(file, visit)
	}
}

// filesOf returns the file that can name v, or all files for a variable of the package.
func (f *function) filesOf(v *types.Var) []*ast.File {
	if v.Kind() == types.PackageVar {
		return f.Files
	}
	i := slices.IndexFunc(f.Files, func(file *ast.File) bool { return file.FileStart <= v.Pos() && v.Pos() < file.FileEnd })
	return f.Files[max(i, 0) : i+1]
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

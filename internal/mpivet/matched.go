package mpivet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A transfer is a send or a receive, with what constants reveal about it.
type transfer struct {
	call
	comm  place
	send  bool
	buf   ast.Expr
	peer  number
	tag   number
	ranks ranks // that execute it
}

// A number is a constant, or unknown.
type number struct {
	n     int64
	known bool
}

// The wildcards of package mpi, and the rank that does not exist.
const anySource, anyTag, procNull = -1, -1, -2

// ranks are the ranks of a communicator that satisfy a condition: one, or all but some.
type ranks struct {
	only number
	not  []int64
}

// meant reports whether s, of one rank, may mean a receive that ranks r execute: one rank, or the others than that
// of s.
func (r ranks) meant(s transfer) bool {
	return r.only.known || slices.Contains(r.not, s.ranks.only.n)
}

func (r ranks) may(rank int64) bool {
	if r.only.known {
		return r.only.n == rank
	}
	return !slices.Contains(r.not, rank)
}

// matched reports sends between two given ranks that no receive of the function matches, while the receiver
// has a receive that no send matches: the tags must be wrong. Where the tags fit and exactly one send and
// one receive match, their element types are compared, and their lengths.
//
// MPI 4.1, sections 3.2.4 and 3.3.1.
func (f *function) matched() {
	all, known := f.transfers()
	if !known {
		return
	}
	for _, s := range all {
		if !s.send || !s.ranks.only.known || !s.peer.known || !s.tag.known {
			continue
		}
		var lost, fit []transfer
		for _, r := range all {
			switch {
			case r.send || !r.ranks.may(s.peer.n) || r.comm != s.comm || r.peer.known && r.peer.n != anySource && r.peer.n != s.ranks.only.n:
			case r.tag.known && r.tag.n != anyTag && r.tag.n != s.tag.n:
				lost = append(lost, r)
			default:
				fit = append(fit, r)
			}
		}
		switch {
		case len(fit) == 0:
			f.otherTag(s, lost, all)
		case len(fit) == 1:
			f.otherElements(s, fit[0], all)
		}
	}
}

// otherTag reports s if one of the lost receives, which may have been meant, matches no other send.
func (f *function) otherTag(s transfer, lost, all []transfer) {
	for _, r := range lost {
		alone := r.peer.known && r.peer.n == s.ranks.only.n && r.ranks.meant(s)
		for _, other := range all {
			if other.send && other.ranks.may(s.ranks.only.n) && (!other.tag.known || other.tag.n == r.tag.n) {
				alone = false
			}
		}
		if alone {
			f.Reportf(s.Pos(), "%s to %d has the tag %d, and rank %d receives from %d with the tag %d (line %d); use the same tag",
				s.fn.Name(), s.peer.n, s.tag.n, s.peer.n, s.ranks.only.n, r.tag.n, f.line(r.Pos()))
			return
		}
	}
}

// otherElements compares the elements of a send with those of the only receive that can match it, if it is
// the only send that this receive can match.
func (f *function) otherElements(s, r transfer, all []transfer) {
	for _, other := range all {
		if other.send && other.CallExpr != s.CallExpr && (!other.tag.known || !r.tag.known || r.tag.n == anyTag || other.tag.n == r.tag.n) {
			return
		}
	}
	if !r.ranks.meant(s) || !r.ranks.only.known && !r.peer.known {
		return
	}
	from, to := f.element(s.buf), f.element(r.buf)
	if from == nil || to == nil {
		return
	}
	if a, b := basicOf(from), basicOf(to); a != b && a != types.Invalid && b != types.Invalid && a != types.Uint8 && b != types.Uint8 {
		f.Reportf(s.Pos(), "%s sends %s, and line %d receives them as %s; use the same type, or []byte",
			s.fn.Name(), types.TypeString(from, f.qualify), f.line(r.Pos()), types.TypeString(to, f.qualify))
		return
	}
	sent, knowsSent := f.length(s.buf)
	room, knowsRoom := f.length(r.buf)
	if types.Identical(from, to) && !isMPI(to, "Item") && knowsSent && knowsRoom && sent > room {
		f.Reportf(s.Pos(), "%s sends %d elements, and line %d has room for %d; receive into a longer buffer",
			s.fn.Name(), sent, f.line(r.Pos()), room)
	}
}

func (f *function) qualify(p *types.Package) string {
	if p == f.Pkg {
		return ""
	}
	return p.Name()
}

// basicOf returns what an element consists of, or Invalid if it consists of several types, or of an array
// of bytes, which may stand for any type.
func basicOf(t types.Type) types.BasicKind {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Int:
			return types.Int64
		case types.Uint, types.Uintptr:
			return types.Uint64
		}
		return u.Kind()
	case *types.Array:
		return basicOf(u.Elem())
	}
	return types.Invalid
}

// transfers returns the transfers of the function; known if it makes no others that could match instead.
func (f *function) transfers() (all []transfer, known bool) {
	known = true
	f.preorder(func(n ast.Node, above []ast.Node) {
		e, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		c, ok := f.call(e)
		if !ok {
			known = known && !f.mayCommunicate(e, place{root: types.NewVar(token.NoPos, nil, "", nil)})
			return
		}
		at, ok := f.placeOf(c.arg("c"))
		if !ok {
			known = known && c.anyArg("dst", "src", "m") == nil
			return
		}
		r := f.reach(above, at)
		if c.arg("dst") != nil {
			all = append(all, transfer{c, at, true, c.anyArg("send", "buf"), f.constant(c.arg("dst")), f.constant(c.anyArg("tag", "stag")), r})
		}
		if c.arg("src") != nil && c.anyArg("recv", "buf") != nil {
			all = append(all, transfer{c, at, false, c.anyArg("recv", "buf"), f.constant(c.arg("src")), f.constant(c.anyArg("tag", "rtag")), r})
		}
		known = known && (c.arg("src") == nil || c.anyArg("recv", "buf") != nil) // Mprobe receives elsewhere
	})
	return all, known
}

func (f *function) constant(e ast.Expr) number {
	n, ok := f.number(e)
	return number{n, ok}
}

// reach returns the ranks of comm that reach what is below the nodes.
func (f *function) reach(above []ast.Node, comm place) (r ranks) {
	for i, n := range above[:max(len(above)-1, 0)] {
		for _, s := range listOf(n) {
			if s == above[i+1] {
				break
			}
			if rank, ok := f.leftBy(s, comm); ok {
				r.not = append(r.not, rank)
			}
		}
		switch n := n.(type) {
		case *ast.IfStmt:
			rank, ok := f.equals(n.Cond, comm)
			switch {
			case !ok:
			case above[i+1] == n.Body:
				r.only = number{rank, true}
			case above[i+1] == n.Else:
				r.not = append(r.not, rank)
			}
		case *ast.SwitchStmt:
			if clause, ok := clauseOf(above[i:]); ok && n.Tag != nil {
				f.inClause(&r, n, clause, comm)
			}
		}
	}
	return r
}

// leftBy returns the rank of comm that does not come to the statements after s, in the same list.
func (f *function) leftBy(s ast.Stmt, comm place) (int64, bool) {
	n, ok := s.(*ast.IfStmt)
	if !ok || len(n.Body.List) == 0 {
		return 0, false
	}
	last := n.Body.List[len(n.Body.List)-1]
	if _, returns := last.(*ast.ReturnStmt); !returns && !plain(last) {
		return 0, false
	}
	return f.equals(n.Cond, comm)
}

// clauseOf returns the clause of the switch at the start of above.
func clauseOf(above []ast.Node) (*ast.CaseClause, bool) {
	if len(above) < 3 {
		return nil, false
	}
	c, ok := above[2].(*ast.CaseClause)
	return c, ok
}

func (f *function) inClause(r *ranks, n *ast.SwitchStmt, clause *ast.CaseClause, comm place) {
	if clause.List != nil {
		if len(clause.List) == 1 {
			rank, ok := f.rankIf(n.Tag, clause.List[0], comm)
			r.only = number{rank, ok}
		}
		return
	}
	for _, s := range n.Body.List {
		for _, e := range s.(*ast.CaseClause).List {
			if rank, ok := f.rankIf(n.Tag, e, comm); ok {
				r.not = append(r.not, rank)
			}
		}
	}
}

// equals returns the rank of comm that cond requires: c.Rank() == 1.
func (f *function) equals(cond ast.Expr, comm place) (int64, bool) {
	e, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok || e.Op != token.EQL {
		return 0, false
	}
	return f.rankIf(e.X, e.Y, comm)
}

// rankIf returns the rank of comm on which x, which is computed from it, equals the constant y. There may be
// several such ranks, as of c.Rank()%2 and 1; then there is no answer.
func (f *function) rankIf(x, y ast.Expr, comm place) (int64, bool) {
	r, ok := f.rank(x)
	k, known := f.number(y)
	return k - r.least, ok && known && r.exact && r.comm == comm
}

package mpivet

import (
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// inField notes the field to of a variable that has the request b, unless the variable may be used in ways that
// this function does not show.
func (f *function) inField(b *begun, to ast.Expr) bool {
	if _, ok := ast.Unparen(to).(*ast.SelectorExpr); !ok {
		return false
	}
	p, ok := f.placeOf(to)
	if !ok {
		return false
	}
	b.field = p
	v, ok := p.root.(*types.Var)
	return ok && !f.leaks(v)
}

// maySettle reports whether the request b may be complete after s: s mentions it, or, if it is in a field, which
// other names may refer to, calls what may wait for it.
func (f *function) maySettle(s ast.Stmt, b begun) (found bool) {
	if b.handle != nil {
		return f.mentions(s, b.handle)
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || f.mayWait(n, b.field)
		case *ast.SelectorExpr:
			if p, ok := f.placeOf(n); ok && f.isField(n) {
				found = found || p.overlaps(b.field)
				return false // not each variable on the way to the field
			}
		case *ast.Ident:
			found = found || f.TypesInfo.Uses[n] == b.field.root
		}
		return !found
	})
	return found
}

// ownPlace returns the place that e names, if it is a local variable, or a field of one that is a struct, and
// has no other name: nothing else refers to the variable.
func (f *function) ownPlace(e ast.Expr) (p place, ok bool) {
	root := e
	for {
		s, field := ast.Unparen(root).(*ast.SelectorExpr)
		if !field {
			break
		}
		if _, value := f.TypesInfo.TypeOf(s.X).Underlying().(*types.Struct); !value || !f.isField(s) || f.promoted(s) {
			return place{}, false
		}
		root = s.X
	}
	v := f.local(root)
	if v == nil || f.leaksBefore(root) || root != e && f.lends(v) {
		return place{}, false
	}
	return f.placeOf(e)
}

// lends reports whether a method is called on v, or on a part of it, that gets its address.
func (f *function) lends(v *types.Var) (found bool) {
	ast.Inspect(f.body, func(n ast.Node) bool {
		e, ok := n.(*ast.SelectorExpr)
		if !ok {
			return !found
		}
		p, named := f.placeOf(e.X)
		s := f.TypesInfo.Selections[e]
		if named && p.root == v && s != nil && s.Kind() != types.FieldVal {
			_, pointer := s.Obj().Type().(*types.Signature).Recv().Type().(*types.Pointer)
			_, already := s.Recv().Underlying().(*types.Pointer)
			found = found || pointer && !already
		}
		return !found
	})
	return found
}

// promoted reports whether e names a field of an embedded struct by its name alone.
func (f *function) promoted(e *ast.SelectorExpr) bool {
	s := f.TypesInfo.Selections[e]
	return s != nil && len(s.Index()) > 1
}

// mentionsPlace reports whether n names p, or something that p is in, also within function literals. Another
// field of the same variable is no mention.
func (f *function) mentionsPlace(n ast.Node, p place) (found bool) {
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.SelectorExpr:
			if at, ok := f.placeOf(m); ok && p.path != "" && f.isField(m) && !f.promoted(m) {
				found = found || at.overlaps(p)
				return false
			}
		case *ast.Ident:
			found = found || f.TypesInfo.Uses[m] == p.root
		}
		return !found
	})
	return found
}

// isField reports whether e names a field, and not a method.
func (f *function) isField(e *ast.SelectorExpr) bool {
	s := f.TypesInfo.Selections[e]
	return s != nil && s.Kind() == types.FieldVal
}

// overlaps reports whether one place is the other, or a part of it.
func (p place) overlaps(o place) bool {
	return p.root == o.root && (strings.HasPrefix(p.path+".", o.path+".") || strings.HasPrefix(o.path+".", p.path+"."))
}

// mayWait reports whether a call may wait for the request in a field: by a call of package mpi for requests, or
// by a function that may have access to the field.
func (f *function) mayWait(e *ast.CallExpr, field place) bool {
	if c, ok := f.call(e); ok {
		return takesRequest(c.sig)
	}
	fn := typeutil.Callee(f.TypesInfo, e)
	if fn != nil && fn.Pkg() == f.Pkg {
		return true
	}
	return f.mayCommunicate(e, field)
}

// takesRequest reports whether a function has a request, or a list of them, as receiver or parameter.
func takesRequest(sig *types.Signature) bool {
	if r := sig.Recv(); r != nil && isMPI(r.Type(), "Request") {
		return true
	}
	for p := range sig.Params().Variables() {
		t := p.Type()
		if list, ok := t.Underlying().(*types.Slice); ok {
			t = list.Elem()
		}
		if isMPI(t, "Request") {
			return true
		}
	}
	return false
}

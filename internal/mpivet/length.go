package mpivet

import (
	"go/ast"
	"go/constant"
	"go/types"
)

// length returns the number of elements of a slice, if constants say it: where it is made, or cut.
func (f *function) length(e ast.Expr) (int64, bool) {
	if a, ok := f.TypesInfo.TypeOf(e).Underlying().(*types.Array); ok {
		return a.Len(), true
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if from := f.behind(e); from != nil {
			return f.deeper().length(from)
		}
	case *ast.CompositeLit:
		for _, x := range e.Elts {
			if _, keyed := x.(*ast.KeyValueExpr); keyed {
				return 0, false
			}
		}
		return int64(len(e.Elts)), true
	case *ast.SliceExpr:
		return f.cut(e)
	case *ast.CallExpr:
		return f.made(e)
	}
	return 0, false
}

// cut is length for x[low:high].
func (f *function) cut(e *ast.SliceExpr) (n int64, ok bool) {
	low := int64(0)
	if e.High != nil {
		n, ok = f.number(e.High)
	} else if _, pointer := f.TypesInfo.TypeOf(e.X).Underlying().(*types.Pointer); !pointer {
		n, ok = f.length(e.X)
	}
	if e.Low != nil && ok {
		low, ok = f.number(e.Low)
	}
	return n - low, ok
}

// made is length for make([]T, n) and []byte("text").
func (f *function) made(e *ast.CallExpr) (int64, bool) {
	if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "make" && f.TypesInfo.Types[e.Fun].IsBuiltin() && len(e.Args) > 1 {
		return f.number(e.Args[1])
	}
	of := f.converted(e)
	if of == nil {
		return 0, false
	}
	if v := f.TypesInfo.Types[of].Value; v != nil && v.Kind() == constant.String {
		s, bytes := f.TypesInfo.TypeOf(e).Underlying().(*types.Slice)
		return int64(len(constant.StringVal(v))), bytes && types.Identical(s.Elem().Underlying(), types.Typ[types.Byte])
	}
	return f.length(of)
}

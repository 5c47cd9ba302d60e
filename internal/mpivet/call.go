package mpivet

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// A call is a call of a function or a method of package mpi.
type call struct {
	*ast.CallExpr
	fn  *types.Func
	sig *types.Signature

	inner  bool // a function that is called here makes it
	unsure bool // and may make it or not: see within
}

// call returns n as a call of package mpi, if it is one.
func (f *function) call(n ast.Node) (call, bool) {
	e, ok := n.(*ast.CallExpr)
	if !ok {
		return call{}, false
	}
	fn, ok := typeutil.Callee(f.TypesInfo, e).(*types.Func)
	if !ok || fn.Pkg() == nil || fn.Pkg().Path() != mpiPath || isTransport(fn) {
		return call{}, false
	}
	return call{CallExpr: e, fn: fn, sig: fn.Signature()}, true
}

// isTransport reports whether fn is a method of the transport of package mpi.
func isTransport(fn *types.Func) bool {
	r := fn.Signature().Recv()
	return r != nil && isMPI(r.Type(), "Transport")
}

// calls visits the calls of package mpi below n.
func (f *function) calls(n ast.Node, visit func(call)) {
	walk(n, func(m ast.Node) bool {
		if c, ok := f.call(m); ok {
			visit(c)
		}
		return true
	})
}

// arg returns the argument for the parameter called name, or nil.
func (c call) arg(name string) ast.Expr {
	for i := range c.sig.Params().Len() {
		if c.sig.Params().At(i).Name() == name && i < len(c.Args) {
			return c.Args[i]
		}
	}
	return nil
}

// anyArg returns the argument for the first of the given parameters that exists.
func (c call) anyArg(names ...string) ast.Expr {
	for _, name := range names {
		if a := c.arg(name); a != nil {
			return a
		}
	}
	return nil
}

// receiver returns the receiver of a method call, or nil.
func (c call) receiver() ast.Expr {
	if s, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok && c.sig.Recv() != nil {
		return s.X
	}
	return nil
}

// is reports whether the call is of the method name of the type typ of package mpi.
func (c call) is(typ, name string) bool { return c.fn.Name() == name && c.of(typ) }

// of reports whether the call is of a method of the type typ of package mpi.
func (c call) of(typ string) bool {
	r := c.sig.Recv()
	return r != nil && isMPI(r.Type(), typ)
}

// fails reports whether the last result is an error.
func (c call) fails() bool {
	r := c.sig.Results()
	return r.Len() > 0 && isError(r.At(r.Len()-1).Type())
}

// request returns the index of the result that is an active request, or -1. Persistent requests are not
// active, and generalized requests are completed by the program itself.
func (c call) request() int {
	if strings.HasSuffix(c.fn.Name(), "Init") || c.fn.Name() == "NewRequest" {
		return -1
	}
	for i := range c.sig.Results().Len() {
		if isMPI(c.sig.Results().At(i).Type(), "Request") {
			return i
		}
	}
	return -1
}

// keeps reports whether the call returns a request that keeps the buffers. Those of windows are complete at once.
func (c call) keeps() bool { return c.request() >= 0 && !c.of("Win") }

// sends returns the buffer that the call sends from, and fills the one that it receives into; both may be
// nil. An access to a window sends its data, and receives what it gets.
func (c call) sends() ast.Expr {
	if b := c.anyArg("send", "in", "data"); b != nil {
		return b
	}
	if c.arg("dst") != nil || c.arg("root") != nil {
		return c.arg("buf")
	}
	return nil
}

func (c call) fills() ast.Expr {
	if b := c.anyArg("recv", "out", "inout", "old"); b != nil {
		return b
	}
	if c.anyArg("src", "root", "m", "target") != nil {
		return c.arg("buf")
	}
	return nil
}

// number returns the value of an argument, if it is a constant, or a variable that always has the value of one.
func (f *function) number(e ast.Expr) (int64, bool) {
	if e == nil {
		return 0, false
	}
	v := f.TypesInfo.Types[e].Value
	if id, ok := ast.Unparen(e).(*ast.Ident); ok && v == nil {
		return f.deeper().number(f.behind(id))
	}
	if v == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(v))
}

// converted returns the operand of a conversion, or nil if e is a call.
func (f *function) converted(e *ast.CallExpr) ast.Expr {
	if len(e.Args) == 1 && f.TypesInfo.Types[e.Fun].IsType() {
		return e.Args[0]
	}
	return nil
}

// element returns the type of the elements of a buffer, or nil if it is unknown.
func (f *function) element(buf ast.Expr) types.Type {
	s, ok := f.TypesInfo.TypeOf(buf).Underlying().(*types.Slice)
	if !ok {
		return nil
	}
	if _, ok := types.Unalias(s.Elem()).(*types.TypeParam); ok {
		return nil
	}
	return s.Elem()
}

// isMPI reports whether t is the type of package mpi with this name, or a pointer to it.
func isMPI(t types.Type, name string) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == mpiPath
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

package mpivet

import (
	"fmt"
	"go/ast"
	"go/types"
)

// elements reports buffers whose elements hold pointers, which mean nothing in another process, and
// predefined operations on elements for which they are not defined.
//
// MPI 4.1, section 6.9.2.
func (f *function) elements() {
	f.calls(f.body, func(c call) {
		for _, t := range f.elementTypes(c) {
			if why := unfit(t); why != "" && !isMPI(t, "Item") {
				f.Reportf(c.Pos(), "%s cannot carry elements of type %s: the type %s; use numbers, bool, or arrays and flat structs of them",
					c.fn.Name(), types.TypeString(t, f.qualify), why)
				return
			}
			if op := f.operation(c); op != "" && !defined(op, t) {
				f.Reportf(c.arg("op").Pos(), "%s is not defined for elements of type %s; use another operation, or OpFunc",
					op, types.TypeString(t, f.qualify))
			}
		}
	})
}

// elementTypes returns the types of the elements that a call sends or receives.
func (f *function) elementTypes(c call) (all []types.Type) {
	switch {
	case c.anyArg("c", "m") != nil && c.anyArg("buf", "send", "recv", "in", "out") != nil:
	case c.fn.Name() == "OpFunc", c.fn.Name() == "PartOf":
	default:
		return nil
	}
	args := f.TypesInfo.Instances[nameOf(c.Fun)].TypeArgs
	for i := range args.Len() {
		all = append(all, args.At(i))
	}
	return all
}

// nameOf returns the identifier of the function that e calls.
func nameOf(e ast.Expr) *ast.Ident {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.IndexExpr:
		return nameOf(e.X)
	case *ast.IndexListExpr:
		return nameOf(e.X)
	}
	return nil
}

// unfit returns why values of t cannot be copied to another process, or "".
func unfit(t types.Type) string {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return ""
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return unfit(u.Elem())
	case *types.Struct:
		for v := range u.Fields() {
			if why := unfit(v.Type()); why != "" {
				return fmt.Sprintf("has the field %s, which %s", v.Name(), why)
			}
		}
		return ""
	case *types.Basic:
		if u.Kind() != types.String && u.Kind() != types.UnsafePointer {
			return ""
		}
	}
	return "holds pointers"
}

// operation returns the name of the predefined operation of a call, or "".
func (f *function) operation(c call) string {
	op := c.arg("op")
	if op == nil {
		return ""
	}
	id := nameOf(op)
	if id == nil {
		return ""
	}
	k, ok := f.TypesInfo.Uses[id].(*types.Const)
	if !ok || !isMPI(k.Type(), "Predefined") {
		return ""
	}
	return k.Name()
}

// defined reports whether a predefined operation works on elements of type t. For composite types this is
// not known, and it returns true.
//
// MPI 4.1, section 6.9.2.
func defined(op string, t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return true
	}
	info := b.Info()
	switch op {
	case "Sum", "Prod":
		return info&types.IsNumeric != 0
	case "Min", "Max":
		return info&types.IsNumeric != 0 && info&types.IsComplex == 0
	case "LAnd", "LOr", "LXor":
		return info&(types.IsBoolean|types.IsInteger) != 0
	case "BAnd", "BOr", "BXor":
		return info&types.IsInteger != 0
	case "MinLoc", "MaxLoc":
		return false
	}
	return true
}

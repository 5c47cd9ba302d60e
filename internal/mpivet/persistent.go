package mpivet

import "go/ast"

// started reports persistent requests that are started and never waited for, or started again before.
//
// MPI 4.1, section 3.9.
func (f *function) started(c call) {
	v := f.local(c.receiver())
	if v == nil || !f.owns(v, func(c call) bool { return takesRequest(c.sig) }) {
		return
	}
	path := f.follow(c, place{root: v}, func(n ast.Node) step {
		starts := f.anyOn(n, v, func(name string) bool { return name == "Start" })
		others := f.anyOn(n, v, func(name string) bool { return name != "Start" })
		switch {
		case starts && !others:
			return wrong
		case f.mentions(n, v):
			return done
		}
		return undone
	})
	switch path.(type) {
	case nil:
	case *ast.ReturnStmt:
		f.Reportf(c.Pos(), "the request that %s.Start starts is not waited for on the way to line %d; call %s.Wait there, too", v.Name(), f.line(path.Pos()), v.Name())
	default:
		f.Reportf(c.Pos(), "%s is started again in line %d, and nobody has waited for it; Wait before", v.Name(), f.line(path.Pos()))
	}
}

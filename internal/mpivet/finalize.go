package mpivet

import "go/ast"

// finalize reports a program that calls mpi.Init but never mpi.Finalize: its ranks end as if they had
// failed. If a communicator is passed to another package, that may call Finalize.
//
// MPI 4.1, section 11.2.2.
func (f *function) finalize() {
	d, ok := f.node.(*ast.FuncDecl)
	if !ok || f.Pkg.Name() != "main" || d.Recv != nil {
		return
	}
	f.calls(f.body, func(c call) {
		if c.fn.Name() == "Init" && c.sig.Recv() == nil && !f.finalized() {
			f.Reportf(c.Pos(), "nothing calls mpi.Finalize for this mpi.Init, so the job ends as if the rank had failed; defer it, or use mpi.Main")
		}
	})
}

// finalized reports whether the package mentions Finalize, or passes a communicator on.
func (f *function) finalized() (found bool) {
	for _, file := range f.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				found = found || n.Name == "Finalize"
			case *ast.CallExpr:
				found = found || f.givesAway(n)
			}
			return !found
		})
	}
	return found
}

// givesAway reports whether a call passes a communicator to a package other than mpi.
func (f *function) givesAway(e *ast.CallExpr) bool {
	if _, ok := f.call(e); ok {
		return false
	}
	if s, ok := e.Fun.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok && f.TypesInfo.Uses[id] != nil && f.TypesInfo.Uses[id].Pkg() == f.Pkg && f.TypesInfo.Selections[s] != nil {
			return false
		}
		for _, a := range e.Args {
			if isMPI(f.TypesInfo.TypeOf(a), "Comm") {
				return true
			}
		}
	}
	return false
}

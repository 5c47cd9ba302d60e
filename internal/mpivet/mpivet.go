// Package mpivet finds mistakes in programs that use package mpi, by static analysis. It reports what must
// be wrong, and is silent where it cannot know.
//
// Each check is an analyzer of golang.org/x/tools/go/analysis; cmd/mpivet runs them. They know the calls of
// MPI from their signatures: the names of the parameters say which is a buffer, a rank or a tag.
package mpivet

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/inspect"
	"golang.org/x/tools/go/ast/inspector"
)

// mpiPath is the package whose users are checked.
const mpiPath = "rhinet/mpi"

// Analyzers returns all checks, by name.
func Analyzers() []*analysis.Analyzer {
	return []*analysis.Analyzer{
		check("collective", "calls that all ranks must make, in a condition on the rank", (*function).collective),
		check("elements", "elements that cannot travel, and operations that are not defined for them", (*function).elements),
		check("epoch", "epochs of windows that some path leaves open", (*function).epoch),
		check("finalize", "mpi.Init in a program without mpi.Finalize", (*function).finalize),
		check("freed", "calls on communicators, windows and sessions that were freed before", (*function).freed),
		check("ignored", "errors of package mpi that nobody looks at", (*function).ignored),
		check("matched", "a send and a receive of one function whose tags or elements differ", (*function).matched),
		check("overlap", "a message that is sent from the buffer into which the call receives", (*function).overlap),
		check("pending", "buffers that are used while a request still sends or fills them", (*function).pending),
		check("room", "receive buffers that have no room", (*function).room),
		check("waited", "requests that nobody waits for, on some path", (*function).waited),
	}
}

// check returns an analyzer that checks one function after the other.
func check(name, doc string, look func(*function)) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:     name,
		Doc:      "report " + doc,
		Requires: []*analysis.Analyzer{inspect.Analyzer},
		Run: func(pass *analysis.Pass) (any, error) {
			if !uses(pass.Pkg) {
				return nil, nil
			}
			in := pass.ResultOf[inspect.Analyzer].(*inspector.Inspector)
			in.Preorder([]ast.Node{(*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)}, func(n ast.Node) {
				if f := newFunction(pass, n); f != nil {
					look(f)
				}
			})
			return nil, nil
		},
	}
}

// uses reports whether a package uses package mpi.
func uses(pkg *types.Package) bool {
	return pkg.Path() != mpiPath &&
		slices.ContainsFunc(pkg.Imports(), func(p *types.Package) bool { return p.Path() == mpiPath })
}

package mpivet

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// closers are the calls that end what a call on a window begins. An access is in an epoch of Fence if the function
// begins none of another kind.
var closers = map[string]string{"Lock": "Unlock", "LockAll": "UnlockAll", "Start": "Complete", "Post": "Wait or Test"}

// isAccess reports whether c accesses a window, in an epoch.
func isAccess(c call) bool { return c.of("Win") && c.arg("target") != nil && c.arg("disp") != nil }

// epoch reports epochs that a path leaves open, of windows that are made in this function and do not leave it: Free
// and Finalize fail then, and other ranks may wait for the end.
//
// MPI 4.1, section 12.5.
func (f *function) epoch() {
	told := map[*types.Var]bool{}
	f.preorder(func(n ast.Node, _ []ast.Node) {
		c, ok := f.call(n)
		if !ok || !c.of("Win") {
			return
		}
		v, end := f.local(c.receiver()), closers[c.fn.Name()]
		if isAccess(c) {
			end = "Fence"
		}
		if _, made := f.windowOf(c.receiver()); !made || end == "" || told[v] || !f.owns(v, func(c call) bool { return c.of("Win") && c.receiver() != nil }) {
			return
		}
		if end == "Fence" && f.anyOn(f.body, v, func(name string) bool { return closers[name] != "" }) {
			return
		}
		path := f.follow(c, place{root: v}, func(n ast.Node) step {
			if f.anyOn(n, v, func(name string) bool { return slices.Contains(strings.Fields(end), name) }) {
				return done
			}
			return undone
		})
		if path != nil {
			told[v] = true
			f.Reportf(c.Pos(), "the epoch of this %s is open on the way to line %d; call %s of %s there, too", c.fn.Name(), f.line(path.Pos()), end, v.Name())
		}
	})
}

// anyOn reports whether n calls a method of v with one of some names.
func (f *function) anyOn(n ast.Node, v *types.Var, is func(string) bool) (found bool) {
	f.calls(n, func(c call) {
		found = found || c.receiver() != nil && f.variable(c.receiver()) == v && is(c.fn.Name())
	})
	return found
}

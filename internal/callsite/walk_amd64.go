//go:build !purego

package callsite

// walk fills way with the return addresses of the functions on the stack, starting with that of its caller.
// It stands for runtime.Callers, which takes a hundred times as long because it also finds inlined
// functions.
//
//go:noescape
func walk(way []uintptr)

//go:build !purego

package callsite

// walk fills way with the return addresses of the functions on the stack, from that
// of its caller on. It stands for runtime.Callers, which takes a hundred times as
// long since it also finds what was inlined.
//
//go:noescape
func walk(way []uintptr)

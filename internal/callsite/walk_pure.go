//go:build !amd64 || purego

package callsite

import "runtime"

// walk fills way with the return addresses of the functions on the stack.
func walk(way []uintptr) { runtime.Callers(3, way) }

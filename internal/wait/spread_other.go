//go:build !linux

package wait

// Spread does nothing: this system does not let a program choose processors.
func Spread(func(n int) int) {}

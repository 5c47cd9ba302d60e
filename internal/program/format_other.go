//go:build !linux

package program

// hasMagic accepts everything: the kernel decides when the first rank starts.
func hasMagic([]byte) bool { return true }

// ForeignFormats returns true: any file may be a program.
func ForeignFormats() bool { return true }

// IsStatic returns false: most programs may have C code.
func IsStatic(string) bool { return false }

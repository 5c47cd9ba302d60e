//go:build !linux

package launch

// hasMagic accepts everything: the kernel decides when the first rank starts.
func hasMagic([]byte) bool { return true }

// foreignFormats returns true: any file may be a program.
func foreignFormats() bool { return true }

// isStatic returns false: most programs may have C code.
func isStatic(string) bool { return false }

//go:build !linux

package launch

// hasMagic accepts everything: the kernel decides when the first rank starts.
func hasMagic([]byte) bool { return true }

// foreignFormats reports whether any file may be a program.
func foreignFormats() bool { return true }

// isStatic reports that a program may have C code: most do.
func isStatic(string) bool { return false }

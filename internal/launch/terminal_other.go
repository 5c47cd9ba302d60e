//go:build !linux

package launch

import (
	"os"
	"os/signal"
	"syscall"
)

// failInBackground makes reads from a terminal fail in the background instead of stopping the process.
func failInBackground() { signal.Ignore(syscall.SIGTTIN) }

// isTerminal reports whether f is a character device, the closest that the standard library offers.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// width returns 0: the width is not known on this system.
func width(*os.File) int { return 0 }

// isForeground reports whether this process may read from its terminal f.
func isForeground(*os.File) bool { return true }

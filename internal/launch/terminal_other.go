//go:build !linux

package launch

import (
	"os"
	"os/signal"
	"syscall"
)

// failInBackground makes reads from a terminal fail in the background instead of stopping the process.
func failInBackground() { signal.Ignore(syscall.SIGTTIN) }

// isForeground reports whether this process may read from its terminal f.
func isForeground(*os.File) bool { return true }

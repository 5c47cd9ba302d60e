package launch

import (
	"os"

	"golang.org/x/sys/unix"
)

// failInBackground makes reads from a terminal by the calling thread fail in the background instead of
// stopping the process. Ignoring the signal would do the same to ranks, which inherit ignored signals.
func failInBackground() {
	var set unix.Sigset_t
	set.Val[0] = 1 << (unix.SIGTTIN - 1)
	_ = unix.PthreadSigmask(unix.SIG_BLOCK, &set, nil)
}

// isForeground reports whether this process may read from its terminal f.
func isForeground(f *os.File) bool {
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

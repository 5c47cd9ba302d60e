package launch

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// notify subscribes to every signal that a launcher passes on or handles. A hang-up that was ignored when
// the launcher started (nohup) stays ignored.
func notify(c chan<- os.Signal) {
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
		syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGPIPE)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
}

// signalText returns the name and meaning of a signal.
func signalText(sig syscall.Signal) string {
	return unix.SignalName(sig) + " (" + sig.String() + ")"
}

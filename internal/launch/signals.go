package launch

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// notify asks for every signal that a launcher passes on or acts upon. A
// hang-up that was ignored when the launcher started (nohup) stays ignored.
func notify(c chan<- os.Signal) {
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
		syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGPIPE)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(c, syscall.SIGHUP)
	}
}

// signalText names a signal by number, name and meaning.
func signalText(sig syscall.Signal) string {
	return unix.SignalName(sig) + " (" + sig.String() + ")"
}

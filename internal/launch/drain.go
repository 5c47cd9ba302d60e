package launch

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// readerPatience is how long a job that is over waits for a reader of its output that does not read, before
// it gives up or reports the reason.
const readerPatience = 500 * time.Millisecond

// drain forwards the remaining output when no rank is left. It waits as long as the reader takes, because
// nothing that ranks have printed shall be lost; but not if the job has been told to end and nobody reads,
// and not beyond the next signal that ends the job.
func (w *watcher) drain(signals <-chan os.Signal, broken <-chan error) {
	done := make(chan struct{})
	go func() {
		w.mux.Finish()
		close(done)
	}()
	look := time.NewTicker(readerPatience)
	defer look.Stop()
	taken := w.mux.Writes()
	for {
		select {
		case <-done:
			// Only now is it known whether the rest could be written.
			select {
			case err := <-broken:
				w.end(brokenOutput(err))
			default:
			}
			return
		case err := <-broken:
			w.end(brokenOutput(err))
		case <-look.C:
			was := taken
			if taken = w.mux.Writes(); taken != was {
				continue
			}
			if w.passed != 0 || w.cause != nil && w.cause.impatient {
				return
			}
			w.report() // a failed job is reported without waiting for its output
		case sig := <-signals:
			if w.leave(sig.(syscall.Signal)) {
				return
			}
		}
	}
}

// leave handles a signal that arrives when no rank is left, and reports whether the launcher is to end.
func (w *watcher) leave(sig syscall.Signal) bool {
	switch sig {
	case syscall.SIGTSTP:
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT:
		w.end(&cause{
			status: statusSignal + int(sig),
			text:   fmt.Sprintf("ended by %s; every rank had exited with status 0, but nobody read their output", signalText(sig)),
		})
		return true
	}
	return false
}

// report prints once why the job ended, if it failed.
func (w *watcher) report() {
	if w.cause == nil || w.cause.quiet || w.reported {
		return
	}
	w.reported = true
	w.say(w.plan.job.Name + ": " + w.cause.text)
}

// say writes a message, but does not wait for ever for a reader: otherwise the launcher could not be ended
// any more.
func (w *watcher) say(text string) {
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text += "\n"
	}
	done := make(chan struct{})
	go func() {
		w.mux.Message(text)
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(readerPatience):
	}
}

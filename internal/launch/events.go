package launch

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"rhinet/internal/pmi"
)

// interrupted is why a job ends that a signal reached before its ranks ran.
type interrupted struct {
	sig   syscall.Signal
	begun bool // some ranks ran
}

func (i *interrupted) Error() string {
	when := " before the start"
	if i.begun {
		when = " while ranks were being started"
	}
	return "ended by " + signalText(i.sig) + when
}

// ends reports whether a signal ends a job that is being started.
func ends(sig syscall.Signal) bool {
	return sig == syscall.SIGINT || sig == syscall.SIGTERM || sig == syscall.SIGHUP || sig == syscall.SIGQUIT
}

// hurry acts upon signals that came during a start which is still going on.
func (w *watcher) hurry() {
	for _, sig := range w.pending {
		if !w.running && ends(sig) {
			w.signalled(sig)
			return
		}
	}
}

// signalled acts upon a signal to the launcher.
func (w *watcher) signalled(sig syscall.Signal) {
	if !w.running {
		switch begun := w.ranks.begun.Load(); {
		case begun && w.hasty == nil:
			// Perhaps every rank runs already, and that is about to be known.
			w.pending, w.hasty = append(w.pending, sig), time.After(startGrace)
			return
		case ends(sig):
			w.end(&cause{status: statusSignal + int(sig), impatient: true, text: (&interrupted{sig, begun}).Error()})
			return
		case begun:
			w.pending = append(w.pending, sig) // soon every rank can take it
			return
		}
	}
	switch sig {
	case syscall.SIGPIPE:
		// The write that failed reports it.
	case syscall.SIGTSTP:
		// Ranks do not belong to the terminal's foreground, so stop them by hand.
		w.ranks.signal(syscall.SIGSTOP)
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP:
		w.interrupt(sig)
	case syscall.SIGQUIT:
		w.say(w.plan.job.Name + ": what the ranks wait for:\n" + table(w.lookTwice()))
		w.passOn(sig)
	default:
		w.ranks.signal(sig)
	}
}

// interrupt passes on a signal that asks the job to end, and kills it when
// the user insists.
func (w *watcher) interrupt(sig syscall.Signal) {
	if w.passed == 0 || w.passed == syscall.SIGQUIT || time.Since(w.passedAt) > insistence {
		w.passOn(sig)
		return
	}
	w.end(&cause{status: statusSignal + int(sig), impatient: true, text: "killed by a second " + signalText(sig)})
	w.ranks.signal(syscall.SIGKILL)
}

// passOn forwards a signal that is likely to end ranks, and remembers it.
func (w *watcher) passOn(sig syscall.Signal) {
	w.passed, w.passedAt = sig, time.Now()
	w.ranks.signal(sig)
	w.ranks.signal(syscall.SIGCONT) // one that is stopped could not take it
}

// exited takes the ends of ranks that were found at one time.
func (w *watcher) exited(batch []exit) {
	ended := false
	for i := range batch {
		if e := &batch[i]; e.ws.Stopped() {
			w.stopped(e)
		} else {
			ended, w.ended[e.rank] = true, true
			if w.keeper != nil {
				w.keeper.Ended(e.rank)
			}
		}
	}
	if w.plan.job.KeepGoing && w.cause == nil && w.goOn(batch) {
		return
	}
	for i := range batch {
		if e := &batch[i]; !e.ws.Stopped() {
			w.suspects(e)
		}
	}
	w.judge(time.Now())
	if ended && w.check == nil && w.suspect == nil && w.cause == nil {
		w.check = time.After(desertCheck)
	}
}

// stopped ends the job if a rank was stopped because it has used the terminal:
// ranks are in the background there, so it would be stopped for ever. Any other
// stop is somebody's will.
func (w *watcher) stopped(e *exit) {
	sig := e.ws.StopSignal()
	if sig != syscall.SIGTTIN && sig != syscall.SIGTTOU {
		return
	}
	w.end(&cause{
		status: statusSignal + int(sig),
		text: fmt.Sprintf("%s was stopped by signal %d, %s; only rank 0 reads the terminal, and only as its standard input; the job was ended",
			w.who(e.rank), int(sig), signalText(sig)),
	})
}

// blame words the failure of a rank and what the others were in.
func (w *watcher) blame(e *exit) *cause {
	st := w.fabric.Status(e.rank)
	if w.weight(e) == survived {
		if r, ok := w.deserter(e); ok {
			return w.blameDeserter(r)
		}
	}
	c := &cause{}
	who := w.who(e.rank)
	switch {
	case e.ws.Signaled():
		sig := e.ws.Signal()
		c.status = statusSignal + int(sig)
		c.text = fmt.Sprintf("%s was killed by signal %d, %s", who, int(sig), signalText(sig))
		if e.ws.CoreDump() {
			c.text += ", and dumped core"
		}
		if sig == syscall.SIGKILL && oomKills() > w.oomKills {
			c.text += ", perhaps by the kernel, which has killed processes for lack of memory since the job began"
		}
	case st.State == pmi.Aborted:
		c.status = max(StatusFailed, e.ws.ExitStatus())
		c.text = fmt.Sprintf("%s called Abort and exited with status %d", who, e.ws.ExitStatus())
	default:
		c.status = e.ws.ExitStatus()
		c.text = fmt.Sprintf("%s exited with status %d", who, c.status)
		switch {
		case st.State == pmi.Finalized:
			// It has had its say, and nobody waits for it.
			c.text += " after Finalize; the job was ended"
			return c
		case c.status == 2 && w.passed == 0 && st.State != pmi.Outside:
			c.text += ", which may be that of a Go panic"
		}
	}
	switch {
	case w.passed == 0:
	case e.ws.Signaled() && e.ws.Signal() == w.passed:
		c.text = "ended by " + signalText(w.passed) + ", which was passed on"
	default:
		c.text += ", after " + signalText(w.passed) + " was passed on"
	}
	w.settle()
	c.text += "; " + w.rest()
	return c
}

// who names a rank with all that a user may know it by.
func (w *watcher) who(r int) string {
	at := ""
	if hosts := w.plan.away.hosts; hosts != nil {
		at = "host " + w.plan.job.Hosts[hosts[r]].Name + ", "
	}
	return fmt.Sprintf("rank %d (%s, %spid %d)", r, w.plan.programs[w.plan.slots[r].Part].name, at, w.ranks.pid(r))
}

// rest says what the living ranks are in, for the end of a message.
func (w *watcher) rest() string {
	lines := groups(w.look())
	if len(lines) == 0 {
		return "the job was ended"
	}
	return "the job was ended with\n  " + strings.Join(lines, "\n  ")
}

package launch

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"rhinet/internal/diagnosis"
	"rhinet/internal/pmi"
)

// interrupted is the error of a job that a signal ended before its ranks ran.
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

// hurry handles signals that arrived during a start that is still in progress.
func (w *watcher) hurry() {
	for _, sig := range w.pending {
		if !w.running && ends(sig) {
			w.signalled(sig)
			return
		}
	}
}

// hear handles a signal that arrives, unless it repeats an ending signal that has just arrived. Such a pair is
// one wish: timeout(1) sends a signal to its child, and at once again to the process group of both.
func (w *watcher) hear(sig syscall.Signal, at time.Time) {
	if ends(sig) && sig == w.heard && at.Sub(w.heardAt) < echoTime {
		return
	}
	w.heard, w.heardAt = sig, at
	w.signalled(sig)
}

// signalled handles a signal to the launcher.
func (w *watcher) signalled(sig syscall.Signal) {
	if !w.running {
		switch begun := w.ranks.begun.Load(); {
		case begun && w.hasty == nil:
			// Perhaps all ranks run already, and the report of it is about to arrive.
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
		// The failed write reports it.
	case syscall.SIGTSTP:
		// Ranks are not in the terminal's foreground group, so they must be stopped here.
		w.ranks.signal(syscall.SIGSTOP)
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGSTOP)
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP:
		w.interrupt(sig)
	case syscall.SIGQUIT:
		w.say(w.plan.job.Name + ": what the ranks wait for:\n" + diagnosis.Table(w.lookTwice()))
		w.passOn(sig)
	default:
		w.ranks.signal(sig)
	}
}

// interrupt passes on a signal that asks the job to end, and kills the job when the user insists.
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
	w.ranks.signal(syscall.SIGCONT) // a stopped rank could not take it
}

// exited handles ranks that were found to have ended at the same time.
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

// stopped ends the job if a rank was stopped because it used the terminal: ranks are in the background
// there, so it would stay stopped for ever. Any other stop is intended.
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

// blame describes the failure of a rank and what the other ranks were in.
func (w *watcher) blame(e *exit) *cause {
	st := w.fabric.Status(e.rank)
	switch w.weight(e) {
	case left:
		return w.blameDeserter(e.rank)
	case survived:
		if r, ok := w.deserter(e); ok {
			return w.blameDeserter(r)
		}
		if e.ws.ExitStatus() == 0 {
			return w.blameDeserter(e.rank)
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
			// It has finished, and no rank waits for it.
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

// who names a rank with all that identifies it to a user.
func (w *watcher) who(r int) string {
	at := ""
	if hosts := w.plan.away.hosts; hosts != nil {
		at = "host " + w.plan.job.Hosts[hosts[r]].Name + ", "
	}
	return fmt.Sprintf("rank %d (%s, %spid %d)", r, w.plan.programs[w.plan.slots[r].Part].Name, at, w.ranks.pid(r))
}

// rest describes what the living ranks are in, for the end of a message.
func (w *watcher) rest() string {
	lines := diagnosis.Groups(w.look())
	if len(lines) == 0 {
		return "the job was ended"
	}
	return "the job was ended with\n  " + strings.Join(lines, "\n  ")
}

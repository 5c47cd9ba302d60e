package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"rhinet/internal/diagnosis"
	"rhinet/internal/pmi"
)

// follow handles the messages of a daemon until its ranks have ended or it is lost.
func (l *coordinator) follow(h *host) {
	defer close(h.outputs)
	defer close(h.begun)
	for {
		var m message
		err := h.conn.Receive(&m)
		if err != nil {
			l.lose(h, err)
			return
		}
		switch {
		case m.Begun != nil && len(m.Begun.PIDs) <= len(h.ranks):
			select {
			case h.begun <- m.Begun:
			default:
			}
		case m.Output != nil && m.Output.Rank >= 0 && m.Output.Rank < len(l.states):
			h.outputs <- m.Output
		case m.Ended != nil:
			l.ended(h, m.Ended)
		case m.Report != nil:
			l.report(h, m.Report)
		case m.Parcel != nil:
			l.gathered(h, m.Parcel)
		case m.Taken > 0:
			l.taken <- m.Taken
		case m.Done:
			l.settle(h)
			return
		}
	}
}

// settle notes that nothing more comes from a host.
func (l *coordinator) settle(h *host) {
	l.mu.Lock()
	h.done = true
	l.mu.Unlock()
}

// lose handles the loss of a host.
func (l *coordinator) lose(h *host, err error) {
	l.settle(h)
	if l.plan.job.KeepGoing {
		l.reportLost(h)
	}
	select {
	case h.begun <- &begun{}: // the watcher reports what happened
	default:
	}
	l.lost <- lostHost{h, err}
}

// reportLost tells the other hosts that the ranks of h are lost with it.
func (l *coordinator) reportLost(h *host) {
	ended := map[int]bool{}
	l.mu.Lock()
	for _, e := range l.gone {
		ended[e.Rank] = ended[e.Rank] || !syscall.WaitStatus(e.Wait).Stopped()
	}
	var all []departed
	for _, r := range h.ranks {
		if !ended[r] {
			all = append(all, departed{Rank: r, Wait: uint32(syscall.SIGKILL)})
		}
	}
	l.gone = append(l.gone, all...)
	l.mu.Unlock()
	for _, other := range l.living() {
		_ = other.conn.Send(&message{Ended: all})
	}
}

// lostHost ends the job because a host has left it, or notes the loss if the job keeps going.
func (w *watcher) lostHost(l lostHost) {
	var lost []int
	for _, r := range l.ranks {
		if !w.ended[r] {
			lost = append(lost, r)
		}
		w.ended[r] = true
	}
	why := l.err.Error()
	if errors.Is(l.err, io.EOF) || errors.Is(l.err, syscall.ECONNRESET) {
		why = l.process.end(lastWords)
	}
	if w.plan.job.KeepGoing && w.cause == nil {
		for _, r := range lost {
			w.lost = append(w.lost, loss{r, "lost with its host: " + why, 0})
		}
		return
	}
	w.end(&cause{status: StatusFailed, text: fmt.Sprintf("host %s is lost, with %s: %s; %s", l.Name, diagnosis.Ranks(l.ranks), why, w.rest())})
}

// ended handles the end of ranks on host from, and tells the other hosts.
func (l *coordinator) ended(from *host, all []departed) {
	var batch []exit
	l.mu.Lock()
	for i := range all {
		if e := &all[i]; e.Rank >= 0 && e.Rank < len(l.states) {
			batch = append(batch, exit{e.Rank, syscall.WaitStatus(e.Wait)})
			l.states[e.Rank].Status = e.Status
		}
	}
	l.gone = append(l.gone, all...)
	l.mu.Unlock()
	l.exits <- batch
	for _, h := range l.living() {
		if h != from {
			_ = h.conn.Send(&message{Ended: all})
		}
	}
}

// living lists the hosts on which ranks may still run.
func (l *coordinator) living() []*host {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*host
	for _, h := range l.hosts {
		if h.ordered && !h.done {
			all = append(all, h)
		}
	}
	return all
}

// signal sends sig to all ranks.
func (l *coordinator) signal(sig syscall.Signal) {
	for _, h := range l.living() {
		_ = h.conn.Send(&message{Signal: sig}) // the loss of a host is noticed elsewhere
		if sig == syscall.SIGSTOP {
			_ = h.conn.Pause() // this process is about to be stopped as well
		}
	}
}

// print writes the output of the ranks of a host.
func (l *coordinator) print(h *host) {
	for p := range h.outputs {
		i := 0
		if p.Error {
			i = 1
		}
		l.streams[i][p.Rank].Pass(p.Data)
		_ = h.conn.Send(&message{Taken: p.weight()})
	}
}

// feed sends the input of rank 0, a piece at a time. It may stay in a read when the job is over.
func (l *coordinator) feed(h *host) {
	buf := make([]byte, pieceBytes)
	for {
		n, err := l.input.Read(buf)
		if n > 0 {
			if h.conn.Send(&message{Input: &piece{Data: buf[:n]}}) != nil {
				return
			}
			<-l.taken
		}
		if err != nil {
			_ = h.conn.Send(&message{Input: &piece{End: true}})
			return
		}
	}
}

// refresh asks all hosts what their ranks wait for, and waits a short time for the answers.
func (l *coordinator) refresh() {
	l.mu.Lock()
	l.looks++
	number := l.looks
	l.mu.Unlock()
	hosts := l.living()
	for _, h := range hosts {
		_ = h.conn.Send(&message{Look: number})
	}
	late := time.NewTimer(lookPatience)
	defer late.Stop()
	for l.awaited(hosts, number) {
		select {
		case <-l.reported:
		case <-late.C:
			return
		}
	}
}

// awaited reports whether a host that is alive has not answered.
func (l *coordinator) awaited(hosts []*host, number int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range hosts {
		if h.looked < number && !h.done {
			return true
		}
	}
	return false
}

// report takes over what the ranks of a host wait for. The clock of the host may differ.
func (l *coordinator) report(h *host, r *report) {
	ahead := r.Now.UnixNano() - time.Now().UnixNano()
	l.mu.Lock()
	h.hear(r.Now)
	for _, s := range r.Ranks {
		if s.Rank >= 0 && s.Rank < len(l.states) {
			s.Status.Since -= ahead
			l.states[s.Rank] = s
		}
	}
	h.looked = r.Number
	l.mu.Unlock()
	select {
	case l.reported <- struct{}{}:
	default:
	}
}

// used returns how much processor time a rank has used, as last reported by its host.
func (l *coordinator) used(r int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.states[r].Used
}

// Status returns the status of a rank as last reported by its host.
func (l *coordinator) Status(r int) pmi.Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.states[r].Status.Plausible(len(l.states))
}

// File returns nil: each host has memory of its own.
func (l *coordinator) File() *os.File { return nil }

// Begin returns when the job began.
func (l *coordinator) Begin() time.Time { return l.begin }

// MarkFailed does nothing: hosts are told of all ranks that end.
func (l *coordinator) MarkFailed(int) {}

// Close does nothing.
func (l *coordinator) Close() error { return nil }

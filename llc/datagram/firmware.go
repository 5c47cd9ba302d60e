package datagram

import (
	"errors"
	"time"
)

// Tunables of the firmware.
const (
	// shortTick is the least time between two looks, longTick the most while there is anything to look after.
	// After that it looks less and less often, and rests after quietTime: as long as a peer that has not
	// received an acknowledgement retransmits before it gives up.
	shortTick = time.Millisecond
	longTick  = 5 * time.Millisecond
	quietTime = Linger
	// Linger is how long a closing rank waits without progress for the acknowledgement of what it has sent;
	// lingerNap is the pause between its polls.
	Linger    = 10 * time.Second
	lingerNap = 50 * time.Microsecond
	// lastWord is how long a rank whose process may end waits for the next acknowledgement. A peer that is there
	// acknowledges within a tick; several may be lost.
	lastWord = 200 * time.Millisecond
)

// ErrUnacknowledged reports a rank that has left before its peers had all that it sent them.
var ErrUnacknowledged = errors.New("llc/datagram: peers have not acknowledged all that was sent to them")

// A firmware is the goroutine that looks after the links while their rank does not. It is active while
// something is unacknowledged at either side.
type firmware struct {
	started bool          // guarded by the translator's lock, as awake is
	awake   bool          // it looks often
	kick    chan struct{} // takes one token
	stop    chan struct{}
	stopped chan struct{}
}

func (w *firmware) init() {
	w.kick, w.stop, w.stopped = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
}

// engage has the firmware look after the links from now on.
func (w *firmware) engage(t *Translator) {
	switch {
	case w.awake:
		return
	case w.started:
		select {
		case w.kick <- struct{}{}:
		default: // it has not taken the token before
		}
	default:
		w.started = true
		go w.run(t)
	}
	w.awake = true
}

// end stops the firmware. The lock is not held.
func (w *firmware) end() {
	close(w.stop)
	if w.started {
		<-w.stopped
	}
}

func (w *firmware) run(t *Translator) {
	defer close(w.stopped)
	tick := time.NewTimer(shortTick)
	defer tick.Stop()
	for quiet := time.Duration(0); ; {
		select {
		case <-w.stop:
			return
		case <-w.kick:
			quiet = 0 // something happens
			tick.Reset(shortTick)
			continue
		case <-tick.C:
		}
		t.mu.Lock()
		pause, busy := t.attend()
		w.awake = busy
		t.mu.Unlock()
		if busy {
			quiet = 0
		} else {
			pause = max(pause, quiet/4)
			quiet += pause
		}
		if quiet < quietTime { // else until the next kick
			tick.Reset(pause)
		}
	}
}

// attend does once what the rank does when it polls, except that it takes no packets: they wait in their
// links. It returns when it should come again, and whether there is anything to look after.
func (t *Translator) attend() (pause time.Duration, busy bool) {
	t.drain()
	t.tend()
	next := t.now() + int64(longTick)
	for _, peer := range t.busy {
		if d := t.links[peer].Deadline(); d != 0 {
			next = min(next, d)
		}
	}
	return max(time.Duration(next-t.now()), shortTick), len(t.busy) > 0
}

// drain takes the datagrams that have come, and wakes the rank if there are packets for it.
func (t *Translator) drain() {
	for t.receive() {
	}
	if len(t.ready) > 0 {
		t.Wake(t.Self())
	}
}

// unacknowledged returns how many packets peers that are still there have not acknowledged.
func (t *Translator) unacknowledged() (n int) {
	for peer, l := range t.links {
		if l == nil || l.Unacknowledged() == 0 {
			continue
		}
		if t.service.Left(peer) {
			l.Abandon()
		}
		n += l.Unacknowledged()
	}
	return n
}

// Settled reports whether all that was sent has come, and what has come is acknowledged. If nothing is acknowledged
// any more for lastWord, peers whose processes have ended owe it: they had what they waited for.
func (t *Translator) Settled() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, unchanged := t.outstanding(); n > 0 && unchanged <= lastWord {
		return false
	}
	t.unsettled = 0
	return true
}

// outstanding looks after the links, and returns how many packets are not acknowledged, and for how long it has seen
// as many.
func (t *Translator) outstanding() (n int, unchanged time.Duration) {
	t.drain()
	t.tend()
	n, now := t.unacknowledged(), t.now()
	if n != t.unsettled {
		t.unsettled, t.since = n, now
	}
	return n, time.Duration(now - t.since)
}

// Close leaves the network when all that was sent has come, or when acknowledgements stop; then it returns
// ErrUnacknowledged. A rank that aborts keeps that status.
func (t *Translator) Close() error {
	t.firmware.end()
	t.mu.Lock()
	defer t.mu.Unlock()
	var err error
	for t.unacknowledged() > 0 {
		if n, unchanged := t.outstanding(); n > 0 && unchanged > t.linger {
			err = ErrUnacknowledged
			break
		}
		t.mu.Unlock()
		time.Sleep(lingerNap)
		t.mu.Lock()
	}
	t.Finish()
	return errors.Join(err, t.service.Close())
}

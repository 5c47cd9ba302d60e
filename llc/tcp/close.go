package tcp

import (
	"errors"
	"runtime"
	"time"

	"rhinet/internal/tcp"
	"rhinet/llc/ir"
)

// Close leaves the network once the packets that were posted have arrived, or at least have gone.
func (t *Translator) Close() error {
	var ev ir.Event
	for start := time.Now(); !t.Settled() && time.Since(start) < lastWord; {
		if !t.Poll(&ev) {
			runtime.Gosched()
		}
	}
	t.watch.Close()
	err := t.closeSockets()
	if !t.beside {
		t.fabric.Leave(t.Self())
		t.Finish()
	}
	return err
}

// Settled reports whether the other sides have everything that the streams were given: what the system still
// holds is lost if this side ends before it has read everything.
func (t *Translator) Settled() bool {
	for i := range t.peers {
		if p := &t.peers[i]; p.queue.Packets() > 0 || p.link != nil && p.link.state == joined && p.link.socket.Unsent() > 0 {
			return false
		}
	}
	return true
}

// closeSockets gives back the sockets and the poller.
func (t *Translator) closeSockets() (err error) {
	for _, l := range t.links {
		if l != nil {
			t.hangUp(l)
		}
	}
	if t.listener != tcp.None {
		t.listener.Close()
	}
	if t.poller != nil {
		err = errors.Join(err, t.poller.Close())
	}
	return err
}

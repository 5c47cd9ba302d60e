package tcp

import (
	"time"

	"rhinet/llc/ir"
)

// Arm announces that this rank is about to sleep. From now on the poller also reports when the system takes
// more.
func (t *Translator) Arm() {
	t.Endpoint.Arm()
	t.armed, t.hasty = true, false
	for _, number := range t.blocked {
		switch l := t.peers[number].link; {
		case l == nil:
			t.hasty = true
		case l.state == joined && !l.tells:
			l.tells = true
			t.poller.Change(l.socket, l.key, true)
		}
	}
}

// Sleep blocks until the doorbell rings or d has passed. A peer that publishes its address wakes no rank.
func (t *Translator) Sleep(d time.Duration) {
	if t.hasty {
		d = min(d, retryAfter)
	}
	t.watch.Begin()
	t.Endpoint.Sleep(d)
}

// Wake rings peer's doorbell. On another host an empty packet does so.
func (t *Translator) Wake(peer int) {
	if t.Endpoint.Wake(peer); t.Elsewhere(peer) && t.peers[peer].queue.Packets() < quota {
		t.shared(&ir.Command{Op: ir.Shared, Peer: int32(peer)})
	}
}

package ofi

import (
	"time"

	"rhinet/llc/ir"
)

// Arm announces that this rank is about to sleep. libfabric says whether its queue will wake it.
func (t *Translator) Arm() {
	t.Endpoint.Arm()
	t.armed = true
	t.skip = !t.lib.TryWait()
}

// Sleep blocks until the doorbell rings or d has passed.
func (t *Translator) Sleep(d time.Duration) {
	if t.skip {
		return
	}
	t.watch.Begin()
	t.Endpoint.Sleep(d)
}

// Wake rings peer's doorbell. On another host an empty packet does so.
func (t *Translator) Wake(peer int) {
	if t.Endpoint.Wake(peer); t.Elsewhere(peer) && t.peers[peer].used < quota {
		t.shared(&ir.Command{Op: ir.Shared, Peer: int32(peer)})
	}
}

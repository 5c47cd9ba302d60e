package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/seq"
)

// A peer is what the engine knows of one peer. The fields on the path of a small message come first, so that
// they share two cache lines.
type peer struct {
	Lane
	data seq.Window // data area of the ring to it
	ring ir.Ring
	nic  *nic // the NIC that reaches it

	series series // of the latest receives posted for it, see series.go

	out      outState
	grant    inState
	mine     ir.Ring // ring in our pool that the peer may write
	end      error   // why it is gone, for the requests that need it; nil while it lives
	queues   queues
	inFlight inFlight
	offered  uint64 // bytes of the messages that the peer may pull, or pulls already
	late     int    // split transfers given up: so many Part packets may still come
	asking   bool   // ReadTail is on its way
	told     bool   // the latest answer reported no progress: ask again at the next Retry
	stall    bool   // in Engine.blocked
	dry      int    // Tails in a row that reported no room for a stream
	written  spell  // messages in packets, see written.go
	halves   halves // messages that both sides move, see halves.go
	stalls   uint8  // a bit for each long stream, the latest first: 1 if the reader did not run meanwhile
	copies   int    // noncontiguous messages that are copied before the next one is a stream

	controls   uint32      // control packets sent in the packet ring
	early      *transfer   // transfer of a receive that the peer is invited to fill
	invitation *invitation // the latest one from the peer
}

// noRoute is a via that no packet comes from.
const noRoute = 1

// redirect recomputes direct after the route or the backlog has changed.
func (e *Engine) redirect(p *peer) {
	if p.out == outRing && p.queues.messages.head == nil {
		p.direct = max(min(ir.Short-p.nic.caps.Trailer, p.nic.fragment, int(p.nic.eager))+1, 0)
	} else {
		p.direct = 0
	}
}

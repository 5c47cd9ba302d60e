package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/seq"
)

// A peer is what the engine knows of one peer. The fields of the path of a
// small message come first, so that they share two cache lines.
type peer struct {
	Lane
	data seq.Window // data area of the ring to it
	ring ir.Ring
	nic  *nic // by which it is reached

	series series // of the receives posted last, see series.go

	out     outState
	grant   inState
	mine    ir.Ring // ring in our pool that the peer may write
	end     error   // why it is gone, for the requests that need it; nil while it lives
	queues  queues
	flight  flight
	offered uint64 // bytes of the messages that the peer may pull, or has begun to
	late    int    // split transfers given up: as many Part packets may come too late
	asking  bool   // ReadTail is on its way
	told    bool   // and its answer brought nothing: ask again at the next Retry
	stall   bool   // in Engine.stalled
	dry     int    // Tails in a row that brought no room for a stream
	written int    // messages that go in packets, see written.go
	spell   int    // how many such there were the last time,
	offers  int    // and how many have been offered since
	copies  int    // messages in pieces that are copied before the next is a stream

	controls   uint32      // control packets that have gone in the packet ring
	early      *transfer   // of a receive that the peer is invited to fill
	invitation *invitation // the latest of the peer
}

// noRoute is a via that no packet comes from.
const noRoute = 1

// redirect recomputes direct after the route or the backlog has changed.
func (e *Engine) redirect(p *peer) {
	if p.out == outRing && p.queues.messages.head == nil {
		p.direct = max(min(ir.Inline-p.nic.caps.Trailer, int(p.nic.eager))+1, 0)
	} else {
		p.direct = 0
	}
}

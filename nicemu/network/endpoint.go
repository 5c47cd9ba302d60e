package network

import "rhinet/nicemu/vtime"

// A Packet is what endpoints exchange. Its owner makes it and may reuse it once it is delivered.
// The network sets the fields from Born on.
type Packet struct {
	ID       uint64 // for traces
	Src, Dst int    // hosts
	Bytes    int    // of payload: 0 to packet.mtu
	Payload  any    // the network does not look at it

	Born    vtime.Time // when it was handed to the network
	Left    vtime.Time // when its first flit left
	Arrived vtime.Time // when its last flit arrived
	Hops    int        // links
	Damaged bool       // it has wrong bits that were not detected or not corrected
	at      *visit
}

// A Sink receives the packets of a host. The packet's Arrived is set when Tail is called.
type Sink interface {
	// Head is called when the header has arrived; Tail follows.
	Head(p *Packet)
	// Tail is called when the whole packet has arrived; the packet belongs to its owner again. If
	// Tail returns false, the packet stays in the buffer of its link until Release; when that
	// buffer is full, the network waits.
	Tail(p *Packet) bool
}

// A Departer is a Sink that is told when a packet of its own has left, and the next one may be
// sent.
type Departer interface{ Departed(p *Packet) }

// An endpoint is a host's side of its link.
type endpoint struct {
	vtime.Source
	n     *Network
	host  int
	out   *wire
	in    *wire
	queue vtime.Ring[*visit]
	here  vtime.Ring[*visit] // packets whose headers have arrived
	sink  Sink
}

// try sends the next packet.
func (e *endpoint) try() {
	if e.out.busy || e.queue.Len() == 0 {
		return
	}
	v := *e.queue.At(0)
	if !e.out.mayTake(0, v.flits) {
		return
	}
	v.p.Left, _ = e.out.send(v)
}

func (e *endpoint) gone(v *visit) {
	p := v.p
	e.n.release(e.queue.Pop())
	e.try()
	if d, ok := e.sink.(Departer); ok {
		d.Departed(p)
	}
}

func (e *endpoint) head(v *visit) {
	if e.sink != nil {
		e.sink.Head(v.p)
	}
	e.here.Push(v)
	e.At(max(e.Now(), v.tail), e, 0, 0)
}

// Act delivers a packet that has arrived completely.
func (e *endpoint) Act(int, uint64) {
	v := e.here.Pop()
	p := v.p
	p.Arrived, p.at = e.Now(), v
	e.Mark("tail", p.ID)
	e.n.delivered(p)
	if e.sink == nil || e.sink.Tail(p) {
		if p.at == v { // otherwise it was sent again
			p.at = nil
		}
		e.n.leave(v)
	}
}

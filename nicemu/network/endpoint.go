package network

import "rhinet/nicemu/vtime"

// A Packet is what endpoints exchange. Its owner makes it and may use it again
// when it was delivered. The network sets the fields from Born on.
type Packet struct {
	ID       uint64 // for traces
	Src, Dst int    // hosts
	Bytes    int    // of payload: 0 to packet.mtu
	Payload  any    // the network does not look at it

	Born    vtime.Time // when it was given to the network
	Left    vtime.Time // when its first flit left
	Arrived vtime.Time // when its last flit arrived
	Hops    int        // links
	Damaged bool       // wrong bits were not seen or not corrected
	at      *visit
}

// A Sink takes the packets of a host. The packet's Arrived is set at Tail.
type Sink interface {
	// Head is called when the header has come; Tail follows.
	Head(p *Packet)
	// Tail is called when all has come; the packet is its owner's again. If it
	// returns false, the packet stays in the buffer of its link until Release; the
	// network is held back if that is full.
	Tail(p *Packet) bool
}

// A Departer is a Sink that is told when a packet of its own has left, and the
// next one may leave.
type Departer interface{ Departed(p *Packet) }

// An endpoint is a host's side of its link.
type endpoint struct {
	vtime.Source
	n     *Network
	host  int
	out   *wire
	in    *wire
	queue vtime.Ring[*visit]
	here  vtime.Ring[*visit] // heads have come
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

// Act ends the way of a packet.
func (e *endpoint) Act(int, uint64) {
	v := e.here.Pop()
	p := v.p
	p.Arrived, p.at = e.Now(), v
	e.Mark("tail", p.ID)
	e.n.delivered(p)
	if e.sink == nil || e.sink.Tail(p) {
		if p.at == v { // else it was sent again
			p.at = nil
		}
		e.n.leave(v)
	}
}

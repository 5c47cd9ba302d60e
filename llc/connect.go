package llc

import (
	"fmt"

	"rhinet/internal/invariants"
	"rhinet/llc/ir"
	"rhinet/llc/seq"
	"rhinet/llc/wire"
)

// Ring allocation (llc, section 4.3). The first packets to a peer travel in its shared ring, without set-up;
// the first message asks for a packet ring. The two directions of a pair are two machines that know nothing
// of each other, so both sides may start at the same time.
//
// The writer:
//
//	       first message                Grant
//	Fresh ---------------> Asking ---------------------> Ring
//	                          \--Refuse--> Shared         (Switch packet queued
//	                                                       as the last shared one)
//
// Packets may be placed in the packet ring before a full shared ring has accepted the Switch packet: the
// reader does not look there before it has processed the Switch packet, so order is kept.
//
// The reader:
//
//	      Ask flag, pool not empty           Switch packet
//	None -------------------------> Granted ---------------> Watching
//	    \-- pool empty --> Refused
//
// Rings are given first come, first served, as long as their memory stays below the limit
// (Config.RingMemory), and stay with the pair. Peers have limits of their own. The cases that section 4.2
// leaves open are here (those of a connection: rhinet/llc/connect):
//
//	both sides start at once    two machines, one for each direction
//	the other side dies         nothing of it is ever locked; both machines stop
//	                            where they are, its requests fail (gone.go)
//	no slot for the request     Busy: it is sent again (inflight.go)
//	refused                     Shared: the pair stays on the shared ring for good

// An outState is the writer's side.
type outState uint8

const (
	outFresh  outState = iota // nothing asked for
	outAsking                 // an Ask flag is on its way
	outRing                   // a packet ring of the pair
	outShared                 // refused: the shared ring for good
)

var outNames = [...]string{"Fresh", "Asking", "Ring", "Shared"}

// An inState is the reader's side.
type inState uint8

const (
	inNone     inState = iota // the peer is not known to have asked
	inGranted                 // it has a ring, but still writes into the shared one
	inWatching                // the peer has not asked
	inRefused                 // it has none and gets none
)

var inNames = [...]string{"None", "Granted", "Watching", "Refused"}

func (e *Engine) moveOut(p *peer, to outState) {
	if invariants.Enabled {
		invariants.Check(p.out == outFresh && to == outAsking || p.out == outAsking && to > outAsking, badMove)
	}
	e.traced(p, "connect/writer", 0, outNames[p.out], outNames[to])
	p.out = to
	e.redirect(p)
}

func (e *Engine) moveIn(p *peer, to inState) {
	if invariants.Enabled {
		invariants.Check(p.grant == inNone && to != inWatching || p.grant == inGranted && to == inWatching, badMove)
	}
	e.traced(p, "connect/reader", 0, inNames[p.grant], inNames[to])
	p.grant = to
}

func (e *Engine) traced(p *peer, machine string, id uint32, from, to string) {
	if e.trace != nil {
		e.trace(Transition{int(p.number), machine, id, from, to})
	}
}

// grants returns how many packet rings of a NIC fit in memory bytes; 0 is no limit.
func grants(c *ir.Caps, memory int) int {
	if memory == 0 {
		return c.Rings
	}
	return min(c.Rings, memory/RingBytes(c))
}

// RingBytes is the memory of one packet ring of a NIC: lines and data area.
func RingBytes(c *ir.Caps) int { return c.Slots*ir.SlotBytes + c.Bytes }

// onAsk gives the peer a ring if there is one left.
func (e *Engine) onAsk(p *peer) {
	if n := len(p.nic.rings); n < p.nic.grants {
		p.nic.rings = append(p.nic.rings, p.number)
		p.mine = ir.Ring(n)
		e.moveIn(p, inGranted)
		e.control(p, header(wire.Grant, uint64(n)), nil)
		return
	}
	e.moveIn(p, inRefused)
	e.control(p, header(wire.Refuse, 0), nil)
}

// onGrant starts to use the ring. Queued packets go there, behind the Switch packet, which is the last one in
// the shared ring.
func (e *Engine) onGrant(p *peer, ev *ir.Event) error {
	if p.out != outAsking {
		return protocolError(ev, "nothing was asked for")
	}
	if ev.Header.Word >= uint64(p.nic.caps.Rings) {
		return protocolError(ev, "ring %d of %d", ev.Header.Word, p.nic.caps.Rings)
	}
	p.ring = ir.Ring(ev.Header.Word)
	p.lines, p.data, p.controls = seq.NewWindow(p.nic.slots), seq.NewWindow(p.nic.bytes), 0
	p.inFlight.turn = true
	// The ring is new memory: preparing it takes longer than many messages, and now no message waits for it.
	c := e.emit()
	c.Op = ir.Open
	c.Peer = p.number
	c.Ring = p.ring
	e.moveOut(p, outRing)
	e.pump(p)
	return nil
}

func (e *Engine) onRefuse(p *peer, ev *ir.Event) error {
	if p.out != outAsking {
		return protocolError(ev, "nothing was asked for")
	}
	e.moveOut(p, outShared)
	return nil
}

// onSwitch starts to read the ring that the peer was given.
func (e *Engine) onSwitch(p *peer, ev *ir.Event) error {
	if p.grant != inGranted || ev.Header.Word != uint64(p.mine) {
		return protocolError(ev, "ring %d was not granted, or is in use", ev.Header.Word)
	}
	p.via, p.seen = ^uint32(p.mine), 0
	e.moveIn(p, inWatching)
	c := e.emit()
	c.Op = ir.Watch
	c.Peer = p.number
	c.Ring = p.mine
	return nil
}

// misrouted explains a packet from a ring that its peer may not use now.
func (e *Engine) misrouted(p *peer, ev *ir.Event) error {
	if p.end != nil {
		return nil // still on its way when the peer died
	}
	want := "the shared ring"
	if p.via == noRoute {
		want = "nowhere: it is this peer itself"
	} else if p.via != 0 {
		want = fmt.Sprintf("ring %d", ^p.via)
	}
	if ev.Ring == ir.NoRing {
		return protocolError(ev, "it came in the shared ring, not in %s", want)
	}
	return protocolError(ev, "it came in ring %d, not in %s", ev.Ring, want)
}

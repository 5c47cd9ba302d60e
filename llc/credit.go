package llc

import (
	"fmt"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Credits: how far this side may write ahead of the reader of its packet ring.
//
//	           no room                 Tail, progress
//	Open ------------------> Asking --------------------> Open
//	                         ^    \ Tail, no progress
//	                  Retry  |     v
//	                         +-- Blocked
//
// The tail is fetched only when the ring seems full, one fetch at a time, and only once per Retry while the
// reader makes no progress (pm-messaging, section 1.4.8: the lazy refresh).

// room takes the line and the data position of the next packet, of n bytes, in the
// packet ring of p, and reports whether there is room for it.
func (e *Engine) room(p *peer, n int) (slot, at uint64, ok bool) {
	at, next := p.nic.caps.Place(p.data.Next(), n)
	if !p.lines.Open() || !p.data.Fits(next) {
		return 0, 0, false
	}
	p.data.Advance(next)
	return p.lines.Step(), at, true
}

// packet places one packet in the packet ring of p and reports whether there
// was room.
func (e *Engine) packet(p *peer, h *ir.Header, data []byte) bool {
	c := e.place(p, h, len(data))
	if c == nil {
		return false
	}
	c.Data = data
	return true
}

// place emits a packet with a payload of n bytes that the caller adds, or returns nil if there is no room.
func (e *Engine) place(p *peer, h *ir.Header, n int) *ir.Command {
	slot, at, ok := e.room(p, n)
	if !ok {
		return nil
	}
	if !wire.OfMessage(h.Kind) {
		p.controls++
	}
	c := e.emit()
	c.Op = ir.Packet
	c.Peer = p.number
	c.Ring = p.ring
	c.Header = *h
	c.Header.Length = uint32(n)
	c.Slot = slot
	c.Pos = at
	return c
}

// carry is packet for n bytes of a message, from number off on. Those in pieces are gathered when the packet is posted, if the NIC does that, straight
// to where it lies: so nothing is copied twice, and the other side reads each packet while the next is gathered.
func (e *Engine) carry(p *peer, h *ir.Header, r *Request, off, n int) bool {
	c := e.place(p, h, n)
	switch {
	case c == nil:
		return false
	case r.Body != nil && n > 0 && p.nic.caps.Gathers:
		c.Data, c.Body, c.Offset = nil, r.Body, uint64(off)
	default:
		c.Data = e.payload(r, off, n)
	}
	return true
}

// spare reports whether a packet of n bytes leaves a part of the ring free for small messages. An empty ring
// always has room for one packet.
func (e *Engine) spare(p *peer, n int) bool {
	if p.lines.Empty() {
		return true
	}
	_, next := p.nic.caps.Place(p.data.Next(), n)
	return p.lines.Credit() > p.nic.slots/bulkReserve && p.data.Fits(next+p.nic.bytes/bulkReserve)
}

// full notes that p has something to send and no room, and asks for the tail.
func (e *Engine) full(p *peer) {
	if !p.asking && !p.told {
		p.asking = true
		c := e.emit()
		c.Op = ir.ReadTail
		c.Peer = p.number
		c.Ring = p.ring
	}
	e.wait(p)
}

// wait puts p on the list that Retry looks at.
func (e *Engine) wait(p *peer) {
	if !p.stall {
		p.stall = true
		e.blocked = append(e.blocked, p)
	}
}

// onTail takes what the reader says it has consumed, if it can be true.
func (e *Engine) onTail(ev *ir.Event) error {
	p := &e.peers[ev.Peer]
	if !p.asking || ev.Ring != p.ring {
		return unexpected(ev, "tail of ring %d was not asked for", ev.Ring)
	}
	p.asking = false
	more, err := p.release(ev.Slot, ev.Pos)
	if p.told = !more; err != nil {
		return worse(ev, "%v", err)
	}
	e.roomier = more
	p.read(e.roomier)
	e.pump(p)
	return nil
}

// release takes what the reader of the packet ring says it has consumed, and reports whether there is more room than
// before. If the reader cannot have consumed that, nothing changes.
func (p *peer) release(slot, pos uint64) (more bool, err error) {
	if err := p.lines.Check(slot); err != nil {
		return false, fmt.Errorf("lines: %w", err)
	}
	if err := p.data.Check(pos); err != nil {
		return false, fmt.Errorf("data: %w", err)
	}
	lines, data := p.lines.Release(slot), p.data.Release(pos)
	return lines || data, nil
}

// Roomy reports whether a contiguous message of n bytes would leave half of the packet ring to dst free, as far as is
// known.
func (e *Engine) Roomy(dst, n int) bool {
	p := &e.peers[dst]
	return p.direct != 0 && p.data.Fits(p.data.Next()+uint64(n)+p.nic.bytes/2)
}

// Refresh is a Tail of dst that the driver has read itself (see [ir.Express]), and reports whether there is more room
// than before. What the reader cannot have consumed is not taken: a ReadTail, once there is no room, reports it.
func (e *Engine) Refresh(dst int, slot, pos uint64) bool {
	p := &e.peers[dst]
	if p.asking {
		return false
	}
	more, _ := p.release(slot, pos)
	return more
}

// Roomier reports whether the latest Tail reported progress of the reader: then a driver that waits for room
// starts its backoff anew.
func (e *Engine) Roomier() bool { return e.roomier }

// Retry has what found no room try again. The driver calls it when the translator has no event, after posting
// all that Take gave; it costs one comparison when nothing waits. It reports whether packets to shared rings
// went, or a copy began: that is progress, and Take may have new commands.
func (e *Engine) Retry() (went bool) {
	if e.posted|len(e.blocked)|e.copies.turn|e.fresh != 0 {
		return e.retry()
	}
	return false
}

// Blocked reports whether something waits for room that only Retry can find: then the driver must not sleep
// for long, because no peer rings for room.
func (e *Engine) Blocked() bool { return len(e.blocked) != 0 }

// Flying reports whether a packet to a shared ring has neither been refused nor gone, or a copy or an invited
// sender waits for its turn: the next event, or Retry if there is none, makes progress. The driver must not
// sleep before that, because no peer rings for it.
func (e *Engine) Flying() bool { return len(e.inFlight) != 0 || e.copies.due() || e.fresh != 0 }

func (e *Engine) retry() (went bool) {
	if e.posted != 0 {
		e.settle()
		went = true
	}
	list := e.blocked
	e.blocked, e.runnable = e.runnable[:0], list
	for _, p := range list {
		p.stall, p.told = false, false
		e.pump(p)
	}
	if e.fresh != 0 {
		if e.fresh--; e.fresh == 0 {
			e.resume()
		}
		went = true
	}
	return e.open() || went
}

// header returns the header of a control packet.
func header(kind wire.Kind, word uint64) ir.Header {
	return ir.Header{Kind: kind, Word: word}
}

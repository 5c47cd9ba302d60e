package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Credits: how far we may write ahead of the reader of our packet ring.
//
//	           no room                 Tail, progress
//	Open ------------------> Asking --------------------> Open
//	                         ^    \ Tail, no progress
//	                  Retry  |     v
//	                         +-- Stalled
//
// The tail is fetched only when the ring seems full, one fetch at a time, and
// only once for each turn of the driver while the reader stands still
// (pm-messaging, section 1.4.8: the lazy refresh).

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
	slot, at, ok := e.room(p, len(data))
	if !ok {
		return false
	}
	if !wire.OfMessage(h.Kind) {
		p.controls++
	}
	c := e.emit()
	c.Op = ir.Packet
	c.Peer = p.number
	c.Ring = p.ring
	c.Header = *h
	c.Header.Length = uint32(len(data))
	c.Data = data
	c.Slot = slot
	c.Pos = at
	return true
}

// spare reports whether a packet of n bytes leaves a part of the ring free for
// small messages. An empty ring always has room for one.
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
		e.stalled = append(e.stalled, p)
	}
}

// onTail takes the reader's word for what it has consumed, if it can be true.
func (e *Engine) onTail(ev *ir.Event) error {
	p := &e.peers[ev.Peer]
	if !p.asking || ev.Ring != p.ring {
		return stray(ev, "tail of ring %d was not asked for", ev.Ring)
	}
	p.asking = false
	if err := p.lines.Check(ev.Slot); err != nil {
		p.told = true
		return worse(ev, "lines: %v", err)
	}
	if err := p.data.Check(ev.Pos); err != nil {
		p.told = true
		return worse(ev, "data: %v", err)
	}
	lines, data := p.lines.Release(ev.Slot), p.data.Release(ev.Pos)
	p.told = !lines && !data
	e.roomier = !p.told
	p.read(e.roomier)
	e.pump(p)
	return nil
}

// Roomier reports whether the latest Tail told that the reader has gone on: then the wait
// for it leads somewhere, and the driver begins it anew.
func (e *Engine) Roomier() bool { return e.roomier }

// Retry lets what found no room try again. The driver calls it when the
// translator has no event, after posting all that Take gave; it costs one
// comparison when nothing waits. It reports whether packets to shared rings went,
// or a copy began: that is progress, and the next one may have been given to Take.
func (e *Engine) Retry() (went bool) {
	if e.posted|len(e.stalled)|e.copies.turn|e.fresh != 0 {
		return e.retry()
	}
	return false
}

// Stalled reports whether something waits for room that only Retry can find:
// then the driver must not sleep for long, because nobody rings for room.
func (e *Engine) Stalled() bool { return len(e.stalled) != 0 }

// Flying reports whether a packet to a shared ring has neither been refused nor
// gone, or a copy or a sender that was invited waits for its turn: the next event, or Retry if there is none, leads
// further. The driver must not sleep before, because nobody rings for that.
func (e *Engine) Flying() bool { return len(e.flights) != 0 || e.copies.due() || e.fresh != 0 }

func (e *Engine) retry() (went bool) {
	if e.posted != 0 {
		e.settle()
		went = true
	}
	list := e.stalled
	e.stalled, e.awake = e.awake[:0], list
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

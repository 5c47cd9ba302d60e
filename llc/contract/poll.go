package contract

import (
	"errors"
	"hash/maphash"

	"rhinet/llc/ir"
)

func (m *monitor) Poll(ev *ir.Event) bool {
	return m.poll(ev, m.t.Poll, true)
}

// poll checks a Poll that do carries out. all says that it looks everywhere.
func (m *monitor) poll(ev *ir.Event, do func(*ir.Event) bool, all bool) bool {
	m.enter("Poll")
	var next visiblePacket
	var visible bool
	if all && m.armed.Load() && m.ledger != nil {
		next, visible = m.ledger.visible(m)
	}
	before := m.release()
	ok := do(ev)
	m.released(before)
	if ok {
		m.quiet = 0
		m.event(ev)
	} else {
		m.empty++
		m.settle(len(m.flying))
		if visible && !m.looked.Load() {
			m.breach("wake", "a Poll after Arm found nothing, although there was %v", next)
		}
		m.looked.Store(m.looked.Load() || all)
	}
	m.leave()
	return ok
}

// release checks that the payload which the latest Poll gave has not changed: its space is free from now on.
// It returns the way of the packet, for released, or nil.
func (m *monitor) release() (from *way) {
	v := &m.view
	if !v.held {
		return nil
	}
	v.held = false
	if m.sum(v.data) != v.sum {
		m.breach("view", "the %d bytes of a packet from peer %d changed before the next Poll", len(v.data), v.from.peer)
	}
	v.data = nil
	if m.ledger == nil {
		return nil
	}
	m.ledger.freeing(m.self, v.from)
	return &v.from
}

// released notes that the space of the packet is free.
func (m *monitor) released(from *way) {
	if from != nil {
		m.ledger.free(m.self, *from)
	}
}

func (m *monitor) sum(b []byte) uint64 { return maphash.Bytes(m.seed, b) }

// settle notes that the n oldest Shared commands that might have been refused have gone.
func (m *monitor) settle(n int) {
	if m.ledger != nil {
		for _, f := range m.flying[:n] {
			if uint(f.peer) < uint(len(m.ended)) && !m.ended[f.peer] {
				m.ledger.went(m.self, f.peer)
				if m.caps[f.peer].Late {
					continue // it may come at any time
				}
				m.ledger.ring(f.peer, f.sleep, m.self, "a packet in its shared ring")
				if m.ledger.deaf(f.peer, f.sleep) {
					m.breach("wake", "peer %d slept, and was not rung for by packet %#x in its shared ring", f.peer, f.token)
				}
			}
		}
	}
	m.flying = append(m.flying[:0], m.flying[n:]...)
}

// event checks an event.
func (m *monitor) event(ev *ir.Event) {
	if ev.Kind == ir.Busy {
		m.refused(ev)
		return
	}
	if ev.Kind == ir.Failed && ev.Token == 0 && errors.Is(ev.Err, ir.ErrPeerGone) {
		m.end(ev)
	}
	m.settle(len(m.flying))
	switch ev.Kind {
	case ir.Arrived:
		m.arrived(ev)
	case ir.Tail:
		m.tail(ev)
	case ir.Exposed:
		m.answer(ev, ir.Expose)
	case ir.Pulled:
		m.answer(ev, ir.Pull)
	case ir.Pushed:
		m.answer(ev, ir.Push)
	case ir.Swapped:
		m.answer(ev, ir.Swap)
	case ir.Failed:
		m.failed(ev)
	default:
		m.breach("answers", "an event of kind %d", ev.Kind)
	}
}

// refused takes a Busy: the packets posted before it by the same NIC have gone.
func (m *monitor) refused(ev *ir.Event) {
	for _, f := range m.flying {
		if f.peer == ev.Peer && f.token == ev.Token {
			m.settle(m.before(f))
			m.flying = append(m.flying[:0], m.flying[1:]...)
			if m.ledger != nil && !m.ledger.refused(m.self, f.peer) {
				m.breach("busy", "packet %#x to peer %d was refused, and yet it arrived", f.token, f.peer)
			}
			return
		}
	}
	m.breach("busy", "Busy for packet %#x to peer %d, which was not posted, or of which another event has said that it went", ev.Token, ev.Peer)
}

// before moves those in flight that were posted before f by the same NIC to the front, then f itself, and
// returns how many are before it.
func (m *monitor) before(f inFlight) (n int) {
	var first, last []inFlight
	past := false
	for _, g := range m.flying {
		past = past || g == f
		if !past && m.way(g.peer) == m.way(f.peer) {
			first = append(first, g)
		} else if g != f {
			last = append(last, g)
		}
	}
	m.flying = append(append(append(m.flying[:0], first...), f), last...)
	return len(first)
}

// way returns the number of the NIC that reaches a peer.
func (m *monitor) way(peer int32) int {
	if m.router == nil || uint(peer) >= uint(len(m.ended)) {
		return 0
	}
	return m.router.NIC(int(peer))
}

func (m *monitor) arrived(ev *ir.Event) {
	if uint(ev.Peer) >= uint(len(m.ended)) {
		m.breach("order", "a packet from peer %d; there are %d peers", ev.Peer, len(m.ended))
		return
	}
	writer, watched := m.watched[ev.Ring]
	switch {
	case m.ended[ev.Peer]:
		m.breach("end", "a packet from peer %d, whose end has been reported", ev.Peer)
	case ev.Ring != ir.NoRing && (!watched || writer != ev.Peer):
		m.breach("order", "a packet from peer %d in ring %d, which is not watched for it", ev.Peer, ev.Ring)
	case int(ev.Header.Length) != len(ev.Data):
		m.breach("order", "a packet from peer %d whose header says %d bytes and which has %d", ev.Peer, ev.Header.Length, len(ev.Data))
	}
	m.view = view{ev.Data, m.sum(ev.Data), way{ev.Peer, ev.Ring}, true}
	if m.ledger != nil {
		if what := m.ledger.arrive(m.self, ev, m.view.sum); what != "" {
			m.breach("order", "a packet from peer %d in ring %d: %s", ev.Peer, int32(ev.Ring), what)
		}
	}
}

func (m *monitor) tail(ev *ir.Event) {
	w := way{ev.Peer, ev.Ring}
	asked := m.tails[w]
	if len(asked) == 0 {
		m.breach("answers", "a tail of ring %d of peer %d, for which no command asks", ev.Ring, ev.Peer)
		return
	}
	low := asked[0]
	m.tails[w] = append(asked[:0], asked[1:]...)
	m.consumed(w, low, ev.Slot, ev.Pos)
}

// consumed takes a tail of what this peer has written. When it was asked for, low lines were free for certain.
func (m *monitor) consumed(w way, low, slot, pos uint64) {
	a := m.account(w)
	high := a.lines
	if m.ledger != nil {
		high = m.ledger.freeable(m.self, w)
	}
	if slot < max(low, a.slot) || slot > high || pos < a.pos || pos > a.next {
		m.breach("tail", "ring %d of peer %d: the tail is line %d, position %d; it was %d, %d, and the reader has freed between %d and %d lines of %d, position %d",
			w.ring, w.peer, slot, pos, a.slot, a.pos, low, high, a.lines, a.next)
	}
	a.slot, a.pos = slot, pos
}

// free returns how many lines of what this peer has written are free for certain.
func (m *monitor) free(w way) uint64 {
	if m.ledger == nil {
		return 0
	}
	return m.ledger.freed(m.self, w)
}

// answer takes the answer to a command of the given Op.
func (m *monitor) answer(ev *ir.Event, op ir.Op) {
	d, ok := m.due[ev.Token]
	if !ok || d.op != op {
		m.breach("answers", "an event of kind %d with token %#x, which answers no command", ev.Kind, ev.Token)
		return
	}
	delete(m.due, ev.Token)
	if op == ir.Expose && ev.Segment == 0 {
		m.breach("answers", "an exposure with token %#x gave segment 0", ev.Token)
	}
}

func (m *monitor) failed(ev *ir.Event) {
	if ev.Err == nil {
		m.breach("answers", "Failed with token %#x, peer %d, without a cause", ev.Token, ev.Peer)
	}
	if ev.Token == 0 {
		return
	}
	if _, ok := m.due[ev.Token]; !ok {
		m.breach("answers", "Failed with token %#x, which answers no command: %v", ev.Token, ev.Err)
	}
	delete(m.due, ev.Token)
}

// end takes the report of a peer's end.
func (m *monitor) end(ev *ir.Event) {
	switch {
	case uint(ev.Peer) >= uint(len(m.ended)) || int(ev.Peer) == m.self:
		m.breach("end", "the end of peer %d is reported; there are %d others", ev.Peer, len(m.ended)-1)
	case m.ended[ev.Peer]:
		m.breach("end", "the end of peer %d is reported twice", ev.Peer)
	default:
		m.ended[ev.Peer] = true
		for w := range m.tails {
			if w.peer == ev.Peer {
				delete(m.tails, w)
			}
		}
	}
}

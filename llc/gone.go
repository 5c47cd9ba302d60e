package llc

import (
	"errors"
	"fmt"

	"rhinet/llc/ir"
)

// A peer that is dead: what needs it fails with ErrPeerGone, now or when the translator no longer holds the
// buffer. Messages that have arrived whole stay; receives from AnyPeer go on waiting, until the driver calls
// Doubt.

// onPeerFailed takes a report that concerns a peer and no command.
func (e *Engine) onPeerFailed(ev *ir.Event) error {
	p := &e.peers[ev.Peer]
	if !errors.Is(ev.Err, ir.ErrPeerGone) || int(ev.Peer) == e.self {
		return unexpected(ev, "%v", ev.Err)
	}
	if p.end != nil {
		return unexpected(ev, "the peer has been reported dead before")
	}
	e.failPeer(p, &PeerError{int(ev.Peer), ev.Err})
	return nil
}

// Lose ends the use of a peer that is not known to be dead but sent what cannot be right: more of what it
// sent may have been lost with it. err describes that packet. For a peer that has ended already it does
// nothing.
func (e *Engine) Lose(peer int, err error) {
	if p := &e.peers[peer]; p.end == nil && peer != e.self {
		e.failPeer(p, &PeerError{peer, fmt.Errorf("%w: %w", ir.ErrPeerGone, err)})
	}
}

// Doubt fails receives from AnyPeer, those that are posted and later ones that find no message: they may wait
// for a message that a peer that is gone, or was lost, should have sent. Only the first doubt counts.
func (e *Engine) Doubt(err error) {
	if e.doubt != nil {
		return
	}
	e.doubt = err
	e.table.Receives(AnyPeer, func(r *Request) {
		e.table.Withdraw(&r.entry)
		e.fail(r, err)
	})
}

// End returns why a peer is gone, or nil.
func (e *Engine) End(peer int) error { return e.peers[peer].end }

// failPeer fails with err all that needs p.
func (e *Engine) failPeer(p *peer, err error) {
	p.end, p.via, p.direct, p.invitation = err, noRoute, 0, nil
	p.series = series{}
	for _, l := range []*sendQueue{&p.queues.controls, &p.queues.messages, &p.queues.bulk} {
		for l.head != nil {
			t := l.pop()
			e.queued--
			if t.r != nil && t.t == nil {
				e.fail(t.r, err)
			}
			e.pool.keepEntry(t)
		}
	}
	for _, t := range e.transfers.table {
		if t.p == p && t.state != idle && t.state != sendClosing && t.state != recvClosing {
			e.unqueue(t)
			e.close(t, err)
		}
	}
	if in := p.in; in.r != nil {
		e.fail(in.r, err)
	}
	e.table.EachMessage(func(m *message) {
		if m.peer == p.number && (m.kind == waitingRTS || p.in.m == m) {
			e.table.Drop(&m.entry)
			e.pool.keepMessage(m)
		}
	})
	p.in = incoming{}
	e.table.Receives(p.number, func(r *Request) {
		e.table.Withdraw(&r.entry)
		e.fail(r, err)
	})
}

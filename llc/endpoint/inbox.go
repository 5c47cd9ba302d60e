package endpoint

import (
	"errors"
	"fmt"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

// An Inbox is where packets arrive: the shared ring of this rank, and those of its packet rings that are
// watched. It belongs to the translator that embeds it.
type Inbox struct {
	end    *Endpoint
	open   func(i int) *ring.Reader // own packet ring i, nil if there is none
	set    *ring.Set
	packet ring.Packet
	peers  []bool // peers whose packet ring is watched
}

// errWatched reports a second packet ring from one peer.
var errWatched = errors.New("llc/endpoint: a packet ring of this peer is polled already")

// Receive makes an inbox of the reader of this rank's shared ring. open returns the reader of packet ring i
// of this rank, which has had no reader yet, nil if there is no such ring.
func (b *Inbox) Receive(e *Endpoint, shared *ring.SharedReader, open func(i int) *ring.Reader) {
	*b = Inbox{end: e, open: open, set: ring.NewSet(shared, e.Peers()), peers: make([]bool, e.Peers())}
}

// Hint has Poll look at peer's ring first from now on.
func (b *Inbox) Hint(peer int) { b.set.Hint(peer) }

// Expect prefetches the payload of the next packet of the peer hinted at.
func (b *Inbox) Expect(most int) (apart bool) { return b.set.Expect(most) }

// Glance looks whether the next packet of the peer hinted at has arrived.
func (b *Inbox) Glance(looks int) (there bool) { return b.set.Glance(looks) }

// Arm announces that this peer is about to sleep.
func (b *Inbox) Arm() {
	b.end.Arm()
	b.set.Sweep()
}

// Watch polls the own packet ring that cmd names, which its peer writes.
func (b *Inbox) Watch(cmd *ir.Command) error {
	if b.peers[cmd.Peer] {
		return errWatched
	}
	r := b.open(int(cmd.Ring))
	if r == nil {
		return fmt.Errorf("llc/endpoint: rank %d has no packet ring %d", b.end.self, cmd.Ring)
	}
	b.peers[cmd.Peer] = true
	b.set.Add(int(cmd.Peer), uint32(cmd.Ring), r)
	return nil
}

// Poll gives the next answer, or if there is none the next arrival.
func (b *Inbox) Poll(ev *ir.Event) bool {
	if b.end.Answered() {
		b.set.Consume()
		b.answer(ev)
		return true
	}
	ok, err := b.set.Poll(&b.packet)
	return b.report(ev, ok, err)
}

// Look fills v with the next packet in the packet ring that peer writes, if there is one.
func (b *Inbox) Look(peer int, v *ir.View) bool { return b.set.Look(peer, (*ring.Packet)(v)) }

// Take consumes the packet that the latest Look reported.
func (b *Inbox) Take() { b.set.Take() }

// Advance is Take, and Look at the same peer.
func (b *Inbox) Advance(v *ir.View) bool { return b.set.Advance((*ring.Packet)(v)) }

// Inlet returns the packet ring that peer writes, if it is watched.
func (b *Inbox) Inlet(peer int) *ring.Inlet { return b.set.Inlet(peer) }

// PollOthers is Poll, except that it leaves out the packet ring that peer writes.
func (b *Inbox) PollOthers(peer int, ev *ir.Event) bool {
	if b.end.Answered() {
		return b.Poll(ev)
	}
	ok, err := b.set.PollOthers(peer, &b.packet)
	return b.report(ev, ok, err)
}

// report makes an event of what a pass over the rings found.
func (b *Inbox) report(ev *ir.Event, ok bool, err error) bool {
	if !ok {
		return err != nil && b.corrupt(ev, err)
	}
	p := &b.packet
	ev.Kind = ir.Arrived
	ev.Peer = int32(p.Peer)
	ev.Ring = ir.Ring(p.Ring)
	ev.Data = p.Data
	ev.Header.Unpack(&p.Head, len(p.Data))
	ev.Token, ev.Err = 0, nil
	return true
}

// corrupt reports that nothing more is read from the ring that the latest Poll of the set looked at: the end
// of its writer, or of all peers if it is the shared ring.
func (b *Inbox) corrupt(ev *ir.Event, err error) bool {
	from := b.packet.Peer
	if b.packet.Ring == ring.Everybody {
		err = fmt.Errorf("llc/endpoint: the shared ring of rank %d: %w", b.end.self, err)
		from = -1
	}
	if b.end.LoseFrom(from, err); !b.end.Answered() {
		return false
	}
	b.answer(ev)
	return true
}

// answer gives the oldest answer. After the end of a peer nothing from it arrives.
func (b *Inbox) answer(ev *ir.Event) {
	b.end.Next(ev)
	if ev.Kind == ir.Failed && ev.Token == 0 && b.end.Gone(int(ev.Peer)) {
		b.set.Remove(int(ev.Peer))
	}
}

// audit looks for packets that were overwritten before they were seen: packets and records return a peer's
// account of its packet ring and of the shared one.
func (b *Inbox) audit(packets, records func(from int) ring.Account) {
	b.set.Audit(packets, records, b.damaged)
}

// damaged takes what an audit has found in one ring.
func (b *Inbox) damaged(peer int, in uint32, err error) {
	if in != ring.Everybody {
		b.end.LoseFrom(peer, fmt.Errorf("llc/endpoint: the packet ring of rank %d, written by rank %d: %w", b.end.self, peer, err))
		return
	}
	b.end.LoseFrom(-1, fmt.Errorf("llc/endpoint: the shared ring of rank %d: %w", b.end.self, err))
}

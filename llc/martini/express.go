package martini

import (
	"errors"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

var _ ir.Express = (*Translator)(nil)

// errUnopened reports a packet for a ring that no Open has named.
var errUnopened = errors.New("llc/martini: no packet ring of this peer is open")

// Place puts a packet into line slot of the packet ring that is open to peer.
func (t *Translator) Place(peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	p := &t.peers[peer]
	if c := p.channel; c == nil || !c.PutLine(slot, head, data) {
		t.place(peer, slot, pos, head, data)
		return
	}
	p.bell.Ring()
}

// place is Place of a packet that is more than a line, or whose way must be found
// anew.
func (t *Translator) place(peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	p := &t.peers[peer]
	err := errUnopened
	if c := p.channel; c != nil {
		err = c.Put(slot, pos, head, data)
	}
	if err != nil {
		t.Fail(&ir.Command{Op: ir.Packet, Peer: int32(peer)}, err)
		return
	}
	p.bell.Ring()
}

// Look fills v with the next packet in the packet ring that peer writes, if there is one.
func (t *Translator) Look(peer int, v *ir.View) bool { return t.set.Look(peer, (*ring.Packet)(v)) }

// Take consumes the packet that the latest Look reported.
func (t *Translator) Take() { t.set.Take() }

// PollOthers is Poll that leaves the packet ring that peer writes alone.
func (t *Translator) PollOthers(peer int, ev *ir.Event) bool {
	if t.Answered() {
		return t.Poll(ev)
	}
	ok, err := t.set.PollOthers(peer, &t.packet)
	return t.report(ev, ok, err)
}

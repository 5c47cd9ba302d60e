package martini

import (
	"errors"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

var _ ir.Express = (*Translator)(nil)

// errUnopened reports a packet for a ring that no Open has named.
var errUnopened = errors.New("llc/martini: no packet ring of this peer is open")

// Place puts v into line slot of the packet ring that is open to its peer.
func (t *Translator) Place(slot uint64, v *ir.View) {
	p := &t.peers[v.Peer]
	if c := p.channel; c == nil || !c.PutLine(slot, (*ring.Packet)(v)) {
		t.placeAnew(slot, v)
		return
	}
	p.bell.Ring()
}

// placeAnew is Place where the way must be found anew.
func (t *Translator) placeAnew(slot uint64, v *ir.View) {
	err := errUnopened
	if c := t.peers[v.Peer].channel; c != nil {
		err = c.Put(slot, 0, &v.Head, v.Data)
	}
	if err != nil {
		t.Fail(&ir.Command{Op: ir.Packet, Peer: int32(v.Peer)}, err)
		return
	}
	t.Wake(v.Peer)
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

package nictest

import (
	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

var _ ir.Express = (*endpoint)(nil)

func (e *endpoint) Place(peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	cmd := &e.placed
	*cmd = ir.Command{Op: ir.Packet, Peer: int32(peer), Ring: e.opened[peer], Slot: slot, Pos: pos, Data: data}
	cmd.Header.Unpack(head, len(data))
	e.Post(cmd)
}

func (e *endpoint) Look(peer int, v *ir.View) bool {
	if e.net.hooks.Hold != nil && e.net.hooks.Hold(e.self) || e.gone[peer] {
		return false
	}
	return e.set.Look(peer, (*ring.Packet)(v))
}

func (e *endpoint) Take() { e.set.Take() }

func (e *endpoint) Advance(v *ir.View) bool {
	peer := v.Peer
	e.Take()
	return e.Look(peer, v)
}

func (e *endpoint) PollOthers(peer int, ev *ir.Event) bool {
	return e.poll(ev, func(p *ring.Packet) (bool, error) { return e.set.PollOthers(peer, p) })
}

func (e *endpoint) Consumed(peer int) (slot, pos uint64, ok bool) {
	p := e.net.peers[peer]
	if p.closed.Load() {
		return 0, 0, false
	}
	slot, pos = p.rings[e.opened[peer]].Consumed()
	return slot, pos, true
}

package nictest

import (
	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

var _ ir.Express = (*endpoint)(nil)

func (e *endpoint) Place(slot uint64, v *ir.View) {
	cmd := &e.placed
	*cmd = ir.Command{Op: ir.Packet, Peer: int32(v.Peer), Ring: e.opened[v.Peer], Slot: slot, Data: v.Data}
	cmd.Header.Unpack(&v.Head, len(v.Data))
	e.Post(cmd)
}

func (e *endpoint) Look(peer int, v *ir.View) bool {
	if e.net.hooks.Hold != nil && e.net.hooks.Hold(e.self) || e.gone[peer] {
		return false
	}
	return e.set.Look(peer, (*ring.Packet)(v))
}

func (e *endpoint) Take() { e.set.Take() }

func (e *endpoint) PollOthers(peer int, ev *ir.Event) bool {
	return e.poll(ev, func(p *ring.Packet) (bool, error) { return e.set.PollOthers(peer, p) })
}

package sim

import (
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// lie lets the liar put a packet of nonsense where it can: into a shared ring,
// or into the packet ring that a peer was so kind to grant. Half of the fields
// are likely values, so that nonsense gets past the first check.
func (w *world) lie() {
	r := w.ranks[w.liar]
	if w.net.Poll(w.liar, &r.ev) && r.ev.Kind == ir.Arrived && r.ev.Header.Kind == wire.Grant {
		m := &w.net.nics[r.ev.Peer].rings[r.ev.Header.Word]
		m.used, m.writer = true, int32(w.liar)
	}
	if !w.net.chance(w.Liar) {
		return
	}
	to := w.rng.IntN(w.Peers - 1) // the liar is the last
	n := &w.net.nics[to]
	p := packet{from: int32(w.liar), header: w.nonsense()}
	sizes := []int{0, 0, 1, wire.OfferBytes, wire.SplitBytes, w.rng.IntN(200)}
	p.data = make([]byte, sizes[w.rng.IntN(len(sizes))])
	for i := range p.data {
		p.data[i] = byte(w.rng.Uint32N(4)) * byte(w.rng.Uint32N(2))
	}
	p.header.Length = uint32(len(p.data))
	if w.rng.IntN(3) == 0 {
		p.header.Word = uint64(len(p.data))
	}
	for i := range n.rings {
		m := &n.rings[i]
		if m.used && m.writer == int32(w.liar) && w.rng.IntN(2) == 0 && len(m.packets) < w.Caps.Slots {
			m.packets = append(m.packets, p)
			return
		}
	}
	if len(n.shared) < w.Shared {
		n.shared = append(n.shared, p)
	}
}

func (w *world) nonsense() ir.Header {
	any := func(likely int) uint32 {
		if w.rng.IntN(8) == 0 {
			return w.rng.Uint32()
		}
		return w.rng.Uint32N(uint32(likely))
	}
	return ir.Header{
		Kind:    uint8(any(int(wire.NumKinds) + 1)),
		Flags:   uint8(any(5)),
		Context: uint16(any(w.Contexts)),
		Tag:     int32(any(w.Tags)),
		Word:    wire.Pair(any(3)|any(3)<<22, any(4)),
	}
}

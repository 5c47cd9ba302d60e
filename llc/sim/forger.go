package sim

import (
	"rhinet/internal/strided"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// forge lets the forger scribble over its own memory and put a nonsense packet where it can: into a shared
// ring, or into the packet ring that a peer has granted it. Most fields are likely values, so that nonsense
// gets past the first check.
func (w *world) forge() {
	r := w.ranks[w.forger]
	to, claimed := w.rng.IntN(w.Peers-1), ir.Header{} // the forger is the last
	if w.net.Poll(w.forger, &r.ev) && r.ev.Kind == ir.Arrived {
		switch r.ev.Header.Kind {
		case wire.Grant:
			m := &w.net.nics[r.ev.Peer].rings[r.ev.Header.Word]
			m.used, m.writer = true, int32(w.forger)
		case wire.CTSSplit: // claims to have done its part
			to = int(r.ev.Peer)
			claimed = ir.Header{Kind: wire.Part, Word: wire.Pair((*wire.CTSSplitBody)(r.ev.Data).ID(), w.any(6))}
		}
	}
	if !w.net.chance(w.Forger) {
		return
	}
	w.scribble()
	n := &w.net.nics[to]
	p := packet{from: int32(w.forger), header: claimed}
	if claimed.Kind == 0 {
		p.header = w.nonsense()
		p.data = w.babble(p.header.Kind)
		p.header.Length = uint32(len(p.data))
		if w.rng.IntN(3) == 0 {
			p.header.Word = uint64(len(p.data))
		}
		if n := len(p.data); n >= 4 && n <= wire.ControlBytes && n%4 == 0 && w.rng.IntN(8) != 0 {
			wire.Seal(p.header.Word, p.data)
		}
	}
	for i := range n.rings {
		m := &n.rings[i]
		if m.used && m.writer == int32(w.forger) && w.rng.IntN(2) == 0 && len(m.packets) < w.Caps.Slots {
			m.packets = append(m.packets, p)
			return
		}
	}
	if len(n.shared) < w.Shared {
		n.shared = append(n.shared, p)
	}
}

// scribble changes the forger's own memory: claim words, and the counters of the rings that it has granted.
func (w *world) scribble() {
	n := &w.net.nics[w.forger]
	for i := range n.words {
		if w.rng.IntN(4) == 0 {
			n.words[i] = uint64(wire.NewClaim(uint16(w.any(3)), w.any(4)) | wire.Claim(w.any(3))<<24)
		}
	}
	for i := range n.rings {
		if m := &n.rings[i]; w.rng.IntN(4) == 0 {
			m.consumed, m.freed = uint64(w.any(4)), uint64(w.any(4))*ir.LineBytes
		}
	}
}

// any returns a number that is below likely, most of the time.
func (w *world) any(likely int) uint32 {
	if w.rng.IntN(8) == 0 {
		return w.rng.Uint32()
	}
	return w.rng.Uint32N(uint32(likely))
}

// id returns a possible id of a transfer.
func (w *world) id() uint32 { return w.any(3) | w.any(3)<<22 }

// babble returns a payload: half of the time one that can be parsed.
func (w *world) babble(kind wire.Kind) []byte {
	if w.rng.IntN(2) == 0 {
		sizes := []int{0, 0, 1, wire.RTSBytes, wire.CTSSplitBytes, w.rng.IntN(200)}
		b := make([]byte, sizes[w.rng.IntN(len(sizes))])
		for i := range b {
			b[i] = byte(w.rng.Uint32N(4)) * byte(w.rng.Uint32N(2))
		}
		return b
	}
	b := make([]byte, wire.ControlBytes)
	switch kind {
	case wire.RTS:
		(*wire.RTSBody)(b).Encode(0, uint64(w.any(3)), w.id(), w.any(3))
		return w.blocks(b, wire.RTSBytes)
	case wire.CTSSplit, wire.RTR:
		(*wire.CTSSplitBody)(b).Encode(0, uint64(w.any(3)), uint64(w.any(w.Bytes)), wire.NewClaim(uint16(w.any(3)), w.any(3)),
			w.id(), w.any(w.Caps.Words+1), w.any(w.Caps.SplitUnit))
		return w.blocks(b, wire.CTSSplitBytes)
	case wire.CTSStream:
		(*wire.CTSStreamBody)(b).Encode(0, uint64(w.any(w.Bytes)), w.id())
		return b[:wire.CTSStreamBytes]
	}
	return b[:0]
}

// blocks returns the first n bytes of b, a body, half of the time with blocks behind them if the NIC moves
// blocks.
func (w *world) blocks(b []byte, n int) []byte {
	if w.Caps.Blocks == 0 || w.rng.IntN(2) == 0 {
		return b[:n]
	}
	if w.rng.IntN(2) == 0 {
		(*wire.ListBody)(b[n:]).Encode(0, uint64(w.any(3)), w.any(60))
		return b[:n+wire.ListBytes]
	}
	(*wire.BlocksBody)(b[n:]).Encode(0, strided.Blocks{Block: int(w.any(30)), Stride: int(w.any(60))})
	return b[:n+wire.BlocksBytes]
}

func (w *world) nonsense() ir.Header {
	return ir.Header{
		Kind:    uint8(w.any(int(wire.NumKinds) + 1)),
		Flags:   uint8(w.any(5)),
		Context: uint16(w.any(w.Contexts)),
		Tag:     int32(w.any(w.Tags)),
		Word:    wire.Pair(w.id(), w.any(4)),
	}
}

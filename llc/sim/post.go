package sim

import (
	"fmt"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Post carries out a command of a peer, or starts it, like Post of ir.Translator.
func (n *Net) Post(from int, cmd *ir.Command) {
	c := &n.nics[from]
	switch cmd.Op {
	case ir.Packet:
		n.place(from, cmd)
	case ir.Shared:
		n.append(from, cmd)
	case ir.Open:
		n.ring(from, cmd)
		n.opened[[2]int{from, int(cmd.Peer)}] = cmd.Ring
	case ir.Watch:
		n.watch(from, cmd)
	case ir.ReadTail:
		if r := n.ring(from, cmd); r != nil {
			n.sometime(from, cmd)
		}
	case ir.Expose:
		if err := n.refusal(from, cmd); err != nil {
			n.answer(from, ir.Event{Kind: ir.Failed, Token: cmd.Token, Peer: cmd.Peer, Err: err})
			return
		}
		n.answer(from, ir.Event{Kind: ir.Exposed, Token: cmd.Token, Segment: c.export(cmd.Data)})
	case ir.Conceal:
		i := int(cmd.Segment) - 1
		if i < 0 || i >= len(c.exports) || !c.exports[i].inForce {
			n.broken("peer %d conceals segment %d, which is not exposed", from, cmd.Segment)
			return
		}
		c.exports[i] = export{}
		c.exposed--
	case ir.Pull, ir.Push, ir.Swap:
		n.sometime(from, cmd)
	default:
		n.broken("peer %d gave operation %d", from, cmd.Op)
	}
}

// export makes memory a segment.
func (c *nic) export(b []byte) ir.Segment {
	c.exports = append(c.exports, export{b, true})
	c.exposed++
	return ir.Segment(len(c.exports))
}

// sometime carries out a command now, or when its answer is given.
func (n *Net) sometime(from int, cmd *ir.Command) {
	c := &n.nics[from]
	if port := int(cmd.Port); port >= max(n.Ports, 1) && (cmd.Op == ir.Pull || cmd.Op == ir.Push) {
		n.broken("peer %d uses port %d of %d", from, port, n.Ports)
	}
	if n.chance(50) || n.Ports > 1 && c.waits(c.answers, cmd) {
		c.answers = append(c.answers, answer{cmd: *cmd, late: true, due: n.due()})
		return
	}
	n.answer(from, n.carryOut(from, cmd))
}

func (n *Net) refusal(from int, cmd *ir.Command) error {
	if n.Refuse == nil {
		return nil
	}
	return n.Refuse(from, cmd)
}

// carryOut moves memory and returns the answer.
func (n *Net) carryOut(from int, cmd *ir.Command) ir.Event {
	if cmd.Op == ir.ReadTail {
		r := &n.nics[cmd.Peer].rings[cmd.Ring]
		return ir.Event{Kind: ir.Tail, Peer: cmd.Peer, Ring: cmd.Ring, Slot: r.consumed, Pos: r.freed}
	}
	ev := ir.Event{Peer: cmd.Peer, Token: cmd.Token, Kind: ir.Failed}
	c := &n.nics[cmd.Peer]
	if c.dead {
		ev.Err = fmt.Errorf("no answer: %w", ir.ErrPeerGone)
		return ev
	}
	if ev.Err = n.refusal(from, cmd); ev.Err != nil {
		return ev
	}
	if cmd.Op == ir.Swap {
		if cmd.Offset >= uint64(len(c.words)) {
			n.broken("peer %d swaps word %d of %d", from, cmd.Offset, len(c.words))
			ev.Err = fmt.Errorf("no word %d", cmd.Offset)
			return ev
		}
		w := &c.words[cmd.Offset]
		ev.Kind, ev.Old = ir.Swapped, *w
		if *w == cmd.Old {
			*w = cmd.New
		}
		return ev
	}
	i := int(cmd.Segment) - 1
	if i < 0 || i >= len(c.exports) || !c.exports[i].inForce ||
		cmd.Move == nil && (cmd.Offset > uint64(len(c.exports[i].data)) || uint64(len(cmd.Data)) > uint64(len(c.exports[i].data))-cmd.Offset) {
		n.brokenBy(cmd.Peer, "peer %d moves %d bytes at %d of segment %d of %d, which is not exposed that far",
			from, len(cmd.Data), cmd.Offset, cmd.Segment, cmd.Peer)
		ev.Err = fmt.Errorf("no segment %d", cmd.Segment)
		return ev
	}
	if m := cmd.Move; m != nil {
		if n.Caps.Blocks == 0 || !m.FitsHere(len(cmd.Data)) {
			n.broken("peer %d moves %+v, from or to %d bytes, by a NIC that moves blocks of %d", from, *m, len(cmd.Data), n.Caps.Blocks)
		}
		if !m.FitsThere(len(c.exports[i].data)) {
			n.brokenBy(cmd.Peer, "peer %d moves %+v of segment %d of %d, which is not exposed that far", from, *m, cmd.Segment, cmd.Peer)
			ev.Err = fmt.Errorf("no segment %d of that length", cmd.Segment)
			return ev
		}
		if ev.Kind = ir.Pulled; cmd.Op == ir.Push {
			ev.Kind = ir.Pushed
		}
		m.Copy(cmd.Data, 0, c.exports[i].data, cmd.Op == ir.Push)
		return ev
	}
	if cmd.Timed {
		ev.Took = lasting(cmd)
	}
	remote := c.exports[i].data[cmd.Offset:]
	if cmd.Op == ir.Pull {
		ev.Kind, ev.Slow = ir.Pulled, slow(len(cmd.Data))
		copy(cmd.Data, remote)
	} else {
		ev.Kind = ir.Pushed
		copy(remote, cmd.Data)
	}
	return ev
}

// brokenBy is broken, unless another peer may be the cause.
func (n *Net) brokenBy(other int32, format string, args ...any) {
	if n.Forges == nil || !n.Forges(int(other)) {
		n.broken(format, args...)
	}
}

// ring returns the packet ring that a command names.
func (n *Net) ring(from int, cmd *ir.Command) *ringMemory {
	c := &n.nics[cmd.Peer]
	if int(cmd.Ring) >= len(c.rings) {
		n.brokenBy(cmd.Peer, "peer %d names ring %d of %d", from, cmd.Ring, cmd.Peer)
		return nil
	}
	r := &c.rings[cmd.Ring]
	if r.used && r.writer != int32(from) {
		n.brokenBy(cmd.Peer, "peers %d and %d both use ring %d of %d", from, r.writer, cmd.Ring, cmd.Peer)
		return nil
	}
	r.used, r.writer = true, int32(from)
	return r
}

// place checks that a packet lies where its reader will look and where nothing unread lies.
func (n *Net) place(from int, cmd *ir.Command) {
	r := n.ring(from, cmd)
	if r == nil {
		return
	}
	if cmd.InPieces() {
		if !n.Caps.Gathers {
			n.broken("peer %d posts a packet in pieces, by a NIC that gathers none", from)
		}
		whole := *cmd
		whole.Data = cmd.Payload(nil)
		cmd = &whole
	}
	size := uint64(n.Caps.Bytes)
	at, next := n.Caps.Place(r.next, len(cmd.Data))
	switch {
	case cmd.Slot != r.written:
		n.brokenBy(cmd.Peer, "peer %d places line %d of ring %d of %d, not line %d", from, cmd.Slot, cmd.Ring, cmd.Peer, r.written)
	case r.written-r.consumed >= uint64(n.Caps.Slots):
		n.brokenBy(cmd.Peer, "peer %d overruns the lines of ring %d of %d", from, cmd.Ring, cmd.Peer)
	case len(cmd.Data)+n.Caps.Trailer > ir.Short && cmd.Pos != at:
		n.brokenBy(cmd.Peer, "peer %d places data at %d of ring %d of %d, not at %d", from, cmd.Pos, cmd.Ring, cmd.Peer, at)
	case next-r.freed > size:
		n.brokenBy(cmd.Peer, "peer %d overruns the data of ring %d of %d", from, cmd.Ring, cmd.Peer)
	}
	r.written, r.next = r.written+1, next
	r.packets = n.put(r.packets, from, cmd)
}

func (n *Net) append(from int, cmd *ir.Command) {
	c := &n.nics[cmd.Peer]
	if len(cmd.Data) > ir.MaxShared {
		n.brokenBy(cmd.Peer, "peer %d puts %d bytes into the shared ring of %d", from, len(cmd.Data), cmd.Peer)
	}
	if !c.dead && len(c.shared) >= n.Shared || n.Busy != nil && n.Busy(from, cmd) {
		ev := ir.Event{Kind: ir.Busy, Peer: cmd.Peer, Token: cmd.Token}
		if n.LateBusy {
			n.answer(from, ev)
		} else {
			n.nics[from].busy = append(n.nics[from].busy, ev)
		}
		return
	}
	c.shared = n.put(c.shared, from, cmd)
	if k := len(c.shared) - 1; c.shared[k].lost {
		c.shared = c.shared[:k]
	}
}

// put adds a packet to a ring: once and at the end if there is no fault.
func (n *Net) put(ring []packet, from int, cmd *ir.Command) []packet {
	if int(cmd.Header.Length) != len(cmd.Data) {
		n.broken("peer %d: header says %d bytes, payload has %d", from, cmd.Header.Length, len(cmd.Data))
	}
	p := packet{from: int32(from), header: cmd.Header, data: append([]byte(nil), cmd.Data...), due: n.due()}
	fate := Deliver
	if n.Fault != nil {
		fate = n.Fault(from, cmd)
	}
	if k := cmd.Header.Kind; k < wire.NumKinds {
		n.Fates[k][fate]++
	}
	p.lost, p.delayed = fate == Drop, fate == Delay
	ring = append(ring, p)
	if k := len(ring) - 1; k > 0 && ring[k-1].delayed {
		ring[k], ring[k-1] = ring[k-1], ring[k]
		ring[k].delayed = false
	}
	if fate == Repeat {
		p.data = append([]byte(nil), cmd.Data...)
		ring = append(ring, p)
	}
	return ring
}

func (n *Net) watch(from int, cmd *ir.Command) {
	c := &n.nics[from]
	if int(cmd.Ring) >= len(c.rings) {
		n.broken("peer %d watches ring %d", from, cmd.Ring)
		return
	}
	for _, w := range c.watched {
		if w == int(cmd.Ring) {
			n.broken("peer %d watches ring %d twice", from, w)
			return
		}
	}
	if r := &c.rings[cmd.Ring]; r.used && r.writer != cmd.Peer {
		n.broken("peer %d watches ring %d for %d, but %d writes it", from, cmd.Ring, cmd.Peer, r.writer)
	}
	c.watched = append(c.watched, int(cmd.Ring))
}

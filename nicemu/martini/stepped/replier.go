package stepped

import "rhinet/nicemu/martini"

// A job is a request of RFend to the Replier: a pull response, or the ack of a packet whose payload
// is on its way to memory.
type job struct {
	h         header // of the request
	ack       bool
	arrival   uint64 // ack: number of the packet that it waits for
	cancelled bool   // ack: the packet was discarded
	ring      bool   // ack: of a VPUSH packet
	va        uint64 // pull: address to read
	result    uint64 // ack: its payload
}

// replierUnit is the Replier (martini, sections 7.1, 10.9). Its queue has no limit, so that RFend
// never waits for it while a reply waits behind RFend.
type replierUnit struct {
	jobs  fifo[job]
	reply outgoing
}

func (n *node) actReplier() Cond {
	x := &n.reply
	switch n.regs[Replier].state {
	case IDLE:
		return n.takeJob(x)
	case IPA:
		if !n.askPATLB() {
			return Stay
		}
		return Always
	case IPA2:
		return n.lookUp(x)
	case CHK1:
		return n.size(Replier, x, &n.heads[1])
	case CHK2:
		c := n.fetch(fromReplier, x)
		if c == Done {
			n.jobs.take()
		}
		return c
	case WAIT:
		switch {
		case !n.landed():
			return Stay
		case n.jobs.head().cancelled:
			n.jobs.take()
			return Cancelled
		}
		return Drained
	case ACK:
		if n.heads[1].full() {
			return Stay
		}
		j := n.jobs.take()
		n.heads[1].queue.put(n.ackOf(&j.h, j.result))
		return Always
	}
	return Stay
}

// landed reports whether the payload for which an ack waits is in memory.
func (n *node) landed() bool { return n.arrived >= n.jobs.head().arrival }

func (n *node) takeJob(x *outgoing) Cond {
	if n.jobs.len() == 0 {
		return Stay
	}
	j := n.jobs.head()
	if j.ack {
		return AckRequest
	}
	*x = outgoing{key: j.h.key(), va: j.va, left: j.h.length(), seg: j.h.segment(), serial: j.h[flitSerial], window: j.h.window()}
	x.h[martini.FlitType] = martini.TypeFlit(martini.PacketPullResponse, j.h.flag(), x.left)
	x.h[martini.FlitTarget] = martini.TargetFlit(martini.MakeKey(j.h.pgid(), j.h.issuerPID()), j.h.issuer())
	x.h[martini.FlitLocal] = j.h[martini.FlitLocal]
	x.h[flitReturn] = j.h[flitReturn]&^uint64(bitLast|bitAOTF) | bitReply
	x.h[flitSerial] = x.serial
	if x.left == 0 {
		return Nothing
	}
	return PullRequest
}

// ackOf makes the ack of a packet: a word for the issuer's memory, at the
// address of the completion flag that the request named (martini, section 4.1).
func (n *node) ackOf(h *header, word uint64) *packet {
	p := n.m.packet(8)
	p.h = header{}
	p.h[martini.FlitType] = martini.TypeFlit(martini.PacketAck, 0, 8)
	p.h[martini.FlitTarget] = martini.TargetFlit(martini.MakeKey(h.pgid(), h.issuerPID()), h.issuer())
	p.h[martini.FlitLocal] = n.m.nodes[h.issuer()].nic.FlagAddress(h.window(), h.flag())
	p.h[flitReturn] = h[flitReturn]&^uint64(bitAOTF) | bitLast | bitReply
	p.h[flitSerial] = h[flitSerial]
	for i := range 8 {
		p.payload[i] = byte(word >> (8 * i))
	}
	p.have, p.built = 8, true
	return p
}

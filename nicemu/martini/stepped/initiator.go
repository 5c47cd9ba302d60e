package stepped

import "rhinet/nicemu/martini"

// initiatorUnit is the Initiator (martini, sections 7.1, 10.7). The request
// stays at the head of the Window FIFO until CONT or until firmware cancels it.
type initiatorUnit struct {
	ini outgoing
}

// outgoing are the registers of Initiator and Replier: one request that reads host memory and sends
// it in packets.
type outgoing struct {
	h      header  // of the next packet
	key    uint64  // for PATLB
	va     uint64  // of the next byte
	left   uint64  // bytes of the request
	open   *packet // the packet that still takes bytes
	room   int     // number of bytes that it still takes
	seg    martini.Segment
	piece  translation
	serial uint64 // of the request
	window int
}

func (n *node) actInitiator() Cond {
	x := &n.ini
	switch n.regs[Initiator].state {
	case IDLE:
		return n.takeRequest(x)
	case PGID:
		return n.admit(x)
	case IPA:
		if !n.askPATLB() {
			return Stay
		}
		return Always
	case IPA2:
		return n.lookUp(x)
	case CHK1:
		return n.size(Initiator, x, &n.heads[0])
	case CHK2:
		return n.fetch(fromInitiator, x)
	case CONT:
		return n.cont(fromInitiator, x)
	}
	return Stay
}

// takeRequest reads the command (IDLE). It latches the content of the FIFO anew, so that firmware
// that writes IDLE without cancelling gets the same request again.
func (n *node) takeRequest(x *outgoing) Cond {
	if n.requests.len() == 0 {
		return Stay
	}
	r := n.requests.head()
	*x = outgoing{serial: r.serial, window: r.window}
	if r.botf {
		return Other
	}
	command, target := martini.Command(r.words[martini.DWCommand]), martini.Target(r.words[martini.DWTarget])
	x.h[martini.FlitTarget] = martini.TargetFlit(martini.MakeKey(0, target.PID()), target.Node())
	x.h[martini.FlitSegment] = r.words[martini.DWSegment]
	x.h[martini.FlitOffset] = r.words[martini.DWOffset]
	x.left = command.Bytes()
	flag := command.Flag()
	switch command.Op() {
	case martini.CommandPush:
		x.va = r.words[martini.DWLocal]
		x.h[martini.FlitType] = martini.TypeFlit(martini.PacketPush, flag, x.left)
		return Push
	case martini.CommandPull:
		x.h[martini.FlitType] = martini.TypeFlit(martini.PacketPullRequest, flag, x.left)
		x.h[martini.FlitLocal] = r.words[martini.DWLocal]
		return Other
	}
	return Special
}

// impossible returns what is wrong with the request that the Initiator holds, or 0: it is the cause
// of a protection violation in PGID.
func (n *node) impossible(x *outgoing) martini.Reason {
	r := n.requests.head()
	if _, valid := n.nic.Owner(r.window); !valid {
		return martini.InvalidWindow
	}
	h := &x.h
	if r.botf {
		h = &r.image.h
	}
	switch {
	case h.flag() > martini.CompletionFlags, r.botf && r.size > MTU:
		return martini.WrongLength
	case h.node() >= len(n.m.nodes):
		return martini.NoNode
	}
	return 0
}

// admit is PGID: it adds the owner's PGID and the return address to the header.
func (n *node) admit(x *outgoing) Cond {
	if n.impossible(x) != 0 {
		return Violation
	}
	r := n.requests.head()
	key, _ := n.nic.Owner(r.window)
	x.key = key
	h := &x.h
	if r.botf {
		h = &r.image.h
		if h.kind() != martini.PacketPullRequest {
			h[martini.FlitType] = martini.TypeFlit(h.kind(), h.flag(), r.size)
		}
	}
	h.users().Own(key)
	h[flitReturn] = returnFlit(n.id, int(key>>32&0xffff), r.window)
	h[flitSerial] = r.serial
	if !r.botf && h.kind() == martini.PacketPush {
		if x.left == 0 {
			return Nothing
		}
		return Valid
	}
	if n.heads[0].full() {
		return Stay
	}
	h[flitReturn] |= bitLast
	if r.botf { // the image is the whole request
		r.image.built = true
		n.heads[0].queue.put(r.image)
		r.image = nil
		return Queued
	}
	n.heads[0].build(n.m.packet(0), h)
	return Queued
}

// lookUp is IPA2.
func (n *node) lookUp(x *outgoing) Cond {
	rest := MTU
	if x.open != nil {
		rest = x.room
	}
	if n.translate(&x.piece, x.key, x.va, int(min(uint64(rest), x.left)), x.seg) {
		return Hit
	}
	return Miss
}

// size is CHK1: it opens a packet if necessary. The header is built while the payload is fetched.
func (n *node) size(mod Module, x *outgoing, q *headers) Cond {
	if x.open != nil {
		return Always
	}
	if q.full() {
		return n.waitOr(mod)
	}
	x.room = int(min(MTU, x.left))
	x.open = n.m.packet(x.room)
	x.h[martini.FlitType] = martini.TypeFlit(x.h.kind(), x.h.flag(), x.left)
	h := x.h
	if uint64(x.room) == x.left {
		h[flitReturn] |= bitLast
	}
	q.build(x.open, &h)
	return Always
}

// fetch is CHK2: it requests the DMA, and goes on to the next piece.
func (n *node) fetch(by requester, x *outgoing) Cond {
	if x.left == 0 {
		x.open = nil
		return Done
	}
	if n.full(by) {
		return Stay
	}
	if !x.piece.frame.Hold() {
		n.patlb.remove(x.key, x.va/pageBytes)
		return Withdrawn
	}
	size := min(x.piece.size, x.room)
	n.ask(by, transfer{
		master: pci, slave: buffers, kind: fetchPayload,
		frame: x.piece.frame, off: x.piece.off, size: size, packet: x.open, at: x.open.size - x.room,
	})
	x.va += uint64(size)
	x.left -= uint64(size)
	if x.room -= size; x.room == 0 {
		x.open = nil
		if x.h.kind() == martini.PacketPush {
			x.h[martini.FlitOffset] += MTU
		} else {
			x.h[martini.FlitLocal] += MTU
		}
	}
	if x.left > 0 {
		return More
	}
	return Done
}

// cont is CONT: the contflag's DMA is queued after the payload's (martini, sections 3.3, 10.7), and
// the request is complete.
func (n *node) cont(by requester, x *outgoing) Cond {
	if n.full(by) {
		return Stay
	}
	n.ask(by, transfer{master: pci, slave: registers, kind: storeWord, frame: n.nic.ContFrame(x.window), size: 8, word: x.serial, what: x.dealtWith()})
	n.popRequest()
	return Always
}

func (n *node) popRequest() {
	if r := n.requests.take(); r.image != nil {
		n.m.free(r.image)
	}
}

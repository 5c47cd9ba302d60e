package stepped

// sendDepth is the depth of the Send FIFO, receiveDepth that of the receive FIFO, headerDepth that
// of the Header FIFO (all unstated).
const (
	sendDepth    = 4
	receiveDepth = 4
	headerDepth  = 4
)

// A headers is a Header FIFO: the Initiator and the Replier have one each, so that a reply never
// waits behind a request.
type headers struct {
	jobs  fifo[header]  // for the Header Generator
	queue fifo[*packet] // in order; the header or payload may still be missing
}

func (q *headers) full() bool { return q.queue.len() >= headerDepth }

// build requests the header of a packet from the Header Generator.
func (q *headers) build(p *packet, h *header) {
	q.jobs.put(*h)
	q.queue.put(p)
}

// senderUnit is the Header Generator, the Sender, which joins header and payload (martini, section
// 7.1), and the two FIFOs of SWI.
type senderUnit struct {
	heads   [2]headers // of Initiator and Replier
	whose   int        // Header Generator: index of the FIFO that it serves
	turn    int        // Sender: the source served last
	serving int        // Sender: the source being served
	direct  fifo[*packet]
	send    fifo[*packet]
	receive fifo[*packet]
	wire    int // bytes that the link moved in this step

	discards bool // SWI drops arriving packets
}

func (n *node) actHeader() Cond {
	switch n.regs[Header].state {
	case IDLE:
		for i := range n.heads {
			n.whose = 1 - i // the Replier first
			if n.heads[n.whose].jobs.len() > 0 {
				return Packet
			}
		}
	case BUILD:
		q := &n.heads[n.whose]
		h := q.jobs.take()
		for i := range q.queue.len() {
			if p := *q.queue.at(i); !p.built {
				p.h, p.built = h, true
				break
			}
		}
		return Always
	}
	return Stay
}

// actSender serves Replier, Initiator, AOTF and firmware in turn.
func (n *node) actSender() Cond {
	switch n.regs[Sender].state {
	case IDLE:
		if n.send.len() >= sendDepth {
			return Stay
		}
		for i := range 3 {
			n.serving = (n.turn + 1 + i) % 3
			if q := n.source(n.serving); q.len() > 0 && (*q.head()).ready() {
				return Packet
			}
		}
	case JOIN:
		n.send.put(n.source(n.serving).take())
		n.turn = n.serving
		return Always
	}
	return Stay
}

func (n *node) source(i int) *fifo[*packet] {
	if i < len(n.heads) {
		return &n.heads[i].queue
	}
	return &n.direct
}

// actSWI moves one packet to its node over a link that keeps order and stops when the other side is
// full.
func (n *node) actSWI() Cond {
	n.wire = 0
	if n.m.linked() {
		return n.sendOverLink()
	}
	switch n.regs[SWI].state {
	case IDLE:
		if n.send.len() > 0 && n.m.nodes[(*n.send.head()).h.node()].takes() {
			return Packet
		}
	case SEND:
		to := n.m.nodes[(*n.send.head()).h.node()]
		if !to.takes() {
			return Stay
		}
		p := n.send.take()
		p.from, p.drained = n.id, 0
		n.wire = 8*flits + p.size
		if to.discards {
			n.m.free(p)
			return Always
		}
		p.whole = true
		to.receive.put(p)
		to.pokeFrom(n)
		return Always
	}
	return Stay
}

package tofu

import "sync/atomic"

// A Port is one of a node's injection ports: orders at one port are carried out one after the
// other, and those at different ports concurrently. It belongs to one goroutine at a time.
type Port struct {
	nic  *NIC
	id   int
	regs []uint64
	sent []uint64 // part of regs
}

func (p *Port) open(n *NIC, id int) {
	at := regPorts + id*portWords
	p.nic, p.id, p.regs = n, id, n.own.tables[at:at+portWords]
	p.sent = p.regs[portSent:][:NetworkPorts]
}

// Post carries out an order and returns its refusal; for Swap, also the old value of the word.
func (p *Port) Post(o *Order) (seen uint64, err error) {
	s := service{nic: p.nic, order: o}
	why := s.run()
	if why == 0 || why.arrived() {
		p.leave(o)
	}
	p.complete(why)
	if why == 0 {
		return s.seen, nil
	}
	return 0, p.nic.refuse(Refusal{
		Command: o.Command, Node: o.Node, Tag: o.Tag, Offset: o.Offset, Bytes: int(o.bytes()), Moved: s.moved, Reason: why, Cause: s.cause,
	})
}

// packets returns the number of packets for the given number of bytes.
func packets(n int) uint64 { return uint64(max(n+PacketBytes-1, PacketBytes)) / PacketBytes }

// leave counts the packets of an order at the network port that leads to its node; an order for
// this node passes none. A request of Get or Swap is one packet, for any length of the answer.
func (p *Port) leave(o *Order) {
	exit := p.nic.exit(o.Node)
	switch {
	case exit < 0:
	case o.Command == Put:
		p.sent[exit] += packets(len(o.Local))
	default:
		p.sent[exit]++
	}
}

// complete writes the completion of an order: its number, counted from 1, and in the
// low byte the reason if it was refused.
func (p *Port) complete(why Reason) {
	done := p.regs[portDone] + 1
	atomic.StoreUint64(&p.regs[portEnds+int(done%Completions)], done<<8|uint64(why))
	atomic.StoreUint64(&p.regs[portDone], done)
}

// Completed returns the number of orders of this port that are complete.
func (p *Port) Completed() uint64 { return atomic.LoadUint64(&p.regs[portDone]) }

// Completion returns how order number i, counted from 1, ended: nil, or the reason of its refusal.
// It returns false if the order is not complete or its completion has been overwritten by later
// ones.
func (p *Port) Completion(i uint64) (end error, ok bool) {
	w := atomic.LoadUint64(&p.regs[portEnds+int(i%Completions)])
	if i == 0 || w>>8 != i {
		return nil, false
	}
	if why := Reason(w); why != 0 {
		return why, true
	}
	return nil, true
}

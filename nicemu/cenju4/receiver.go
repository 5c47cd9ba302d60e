package cenju4

import (
	"sync/atomic"

	"rhinet/nicemu/dma"
)

// deliver carries a parcel out at the Receiver of a node, and reports it.
func (s *service) deliver(d destination) {
	s.node, s.address, s.moved, s.cause = d.node, 0, 0, nil
	why := s.nic.reaches(d.node)
	if why == 0 && d.cid != taskCid {
		why = NoTask
	}
	if why == 0 {
		why = s.receive(d.node, nodeOf(s.nic.f, d.node))
	}
	if why != 0 {
		s.refuse(why)
	}
	s.node, s.address = s.nic.rank, 0
}

// receive does the work of a parcel's packets (cenju4, section 6.2).
func (s *service) receive(rank int, t node) Reason {
	p := &s.parcel
	var why Reason
	switch kind := &protocols[p.Protocol]; {
	case kind.message:
		why = s.message(rank, t, int(p.Protocol-Message0))
	case kind.writes:
		why = s.write(rank, t)
	case p.Protocol == AtomicAdd:
		why = s.word(rank, Address(p.Words[wordAddTo]), func(b []byte) { dma.FetchAdd(b, p.Words[wordAdd]) })
	default:
		why = s.reply(rank, t)
	}
	if why != 0 {
		return why
	}
	if p.Flags&Log != 0 {
		t.log(LogRecord{p.Protocol, s.nic.rank, p.Length, s.address})
	}
	if p.Flags&Interrupt != 0 && atomic.LoadUint64(&t.tables[regMask]) == 0 {
		t.interrupt(Arrived)
	}
	return 0
}

// write is remote DMA, to the parcel's address or to that in an address register.
func (s *service) write(rank int, t node) Reason {
	p := &s.parcel
	a := Address(p.Words[wordDst])
	if i := p.Protocol.register(); i >= 0 {
		a = Address(atomic.LoadUint64(t.addressRegister(i)))
		if n := a % wordBytes; n != 0 && uint64(n)+uint64(p.Length) > wordBytes {
			s.address = a
			return Misplaced
		}
	}
	s.address = a
	var why Reason
	if s.target, why = s.locate(rank, a, uint64(p.Length), MayWrite, false); why != 0 {
		return why
	}
	return s.transfer(&s.target, &s.source)
}

// message appends a message to a message buffer.
func (s *service) message(rank int, t node, which int) Reason {
	data := s.nic.packet[:s.parcel.Length]
	s.target = memory{hand: true, near: data}
	if why := s.transfer(&s.target, &s.source); why != 0 {
		return why
	}
	q := s.nic.queue(rank, which)
	space, ok, err := q.Begin(s.sender, len(data))
	switch {
	case err != nil:
		return BufferBroken
	case !ok:
		return BufferFull
	}
	tally := &s.nic.sent[rank]
	if which != 0 {
		tally = &s.nic.other
	}
	received := s.nic.received(rank, which)
	before := *received
	q.End(space, &s.nic.head, data, tally)
	if crossed(before, atomic.LoadUint64(received), uint64(messageLayout(s.nic.f, which).Lines)) {
		t.interrupt(Message0Up + Cause(which))
	}
	return 0
}

// word carries out an atomic operation on a word of a node.
func (s *service) word(rank int, a Address, operate func(b []byte)) Reason {
	s.address = a
	m, why := &s.target, Reason(0)
	if *m, why = s.locate(rank, a, wordBytes, MayUpdate, false); why != 0 {
		return why
	}
	b, why := s.atomic(m)
	if why != 0 {
		return why
	}
	operate(b)
	if !m.hand {
		m.drop()
	}
	return 0
}

package stepped

import "rhinet/nicemu/dimmnet2"

// A sender is a Window Controller.
type sender struct {
	unit
	requests []*request // the FIFO
	now      *request
	next     int // index of its next packet
}

// step steps one clock.
func (s *sender) step() {
	if s.state == Idle {
		if len(s.requests) == 0 {
			return
		}
		s.now, s.requests, s.next = s.requests[0], s.requests[1:], 0
		s.become(Obtain, 0)
	}
	if !s.tick() {
		return
	}
	switch s.state {
	case Obtain:
		s.become(Identify, 0)
	case Identify:
		s.identify()
	case Local:
		if s.board.prefetch.state == Idle && s.board.write.state == Idle {
			s.finish()
		}
	case Start:
		s.become(s.begin(), 0)
	case ReadWindow, Column:
		s.become(Header1, 0)
	case Activate:
		s.become(Column, 0)
	case Header1:
		s.header()
	case Header2:
		if s.packet().Op.Third() {
			s.become(Header3, 0)
			return
		}
		s.become(FirstData, 0)
	case Header3:
		s.become(FirstData, 0)
	case FirstData:
		if n := len(s.packet().Data); n > 0 {
			s.become(Pass, n)
			return
		}
		s.passed()
	case Pass:
		s.passed()
	}
}

func (s *sender) packet() *packet { return s.now.packets[s.next] }

// begin returns the first state for the next packet.
func (s *sender) begin() State {
	switch p := s.packet(); {
	case p.image != nil:
		return ReadWindow
	case p.gather != nil:
		return Activate
	}
	return Header1
}

// identify decodes the request, and checks it.
func (s *sender) identify() {
	r := s.now
	if r.reply != nil {
		s.become(Start, 0)
		return
	}
	local, why := s.decode()
	switch {
	case why != 0:
		r.refuse(why, r.hw)
		s.finish()
	case local != nil:
		local.start(r.hw)
		s.become(Local, 0)
	default:
		s.become(Start, 0)
	}
}

// header fills in the parts of the 1st Header that the host cannot choose. A packet without a
// receiver is dropped.
func (s *sender) header() {
	r, p := s.now, s.packet()
	if p.image != nil {
		image, ok := dimmnet2.ParsePacket(p.image)
		if !ok {
			r.refuse(dimmnet2.BadImage, r.hw)
			s.finish()
			return
		}
		p.Packet = image
	}
	if p.gather != nil {
		p.Data = gather(p.gather, r.hw)
	}
	p.Group, p.From = r.hw.PGID(), r.hw.Rank()
	if p.Process >= dimmnet2.Processes || p.target() >= len(s.board.machine.processes) {
		p.of.refuse(dimmnet2.NoNode, r.hw)
		s.another()
		return
	}
	s.become(Header2, 0)
}

func (p *packet) target() int { return p.Node*dimmnet2.Processes + p.Process }

// passed delivers the packet to its receiver.
func (s *sender) passed() {
	p := s.packet()
	if s.now.reply == nil {
		p.of.under++
	}
	in := &s.board.machine.boards[p.Node].receiver
	in.come = append(in.come, p)
	s.another()
}

// another continues with the next packet of the request.
func (s *sender) another() {
	if s.next++; s.next == len(s.now.packets) {
		s.finish()
		return
	}
	s.become(s.begin(), 0)
}

// finish ends the Window Controller's work on a request.
func (s *sender) finish() {
	r := s.now
	r.left = true
	if r.reply == nil && r.c.Op != 0 {
		r.hw.CountSent()
	}
	r.settle()
	s.become(Idle, 0)
}

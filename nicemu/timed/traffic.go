package timed

import (
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// A parcel is a packet or an event in flight between two ranks.
type parcel struct {
	record
	from, to int
	bytes    int
	open     int    // members of a set that have not received it yet
	buffer   []byte // reused
}

// A spare is returned credits.
type spare struct{ peer, packets int32 }

// Operations of the service's own events; the argument is a parcel.
const (
	actSend    = iota // a post of a rank begins
	actArrive         // a packet has arrived
	actAnswer         // the request of a Pull has arrived: the bytes start
	actConfirm        // the bytes of a Push have arrived: their confirmation starts
	actDone           // a transfer is complete
	actCredit         // the sender learns that a packet was taken
	actGone           // the sender learns that a packet was lost
	actSpread         // a packet to a set has arrived at a member
	actMet            // a member learns that all have arrived; the argument is the set, not a parcel
	actPassed         // a member learns that its code is passed; the argument is a sequence, not a parcel
)

// read takes the first n bytes of records from a rank.
func (m *member) read(n int) error {
	s := m.s
	for b := m.box.out[:n]; len(b) > 0; {
		i := s.parcel()
		p := &s.parcels[i]
		long, err := p.get(b, len(s.ranks))
		if err != nil {
			return err
		}
		b = b[long:]
		p.buffer = append(p.buffer[:0], p.data...)
		p.data, p.from, p.to, p.bytes = p.buffer, m.rank, p.peer, len(p.buffer)
		if p.op == opPull || p.op == opPush {
			p.bytes = int(min(p.word[1], 1<<40))
		}
		m.posts.At(max(p.at, s.net.Now()), s, actSend, uint64(i))
	}
	return nil
}

func (s *Service) parcel() uint32 {
	if n := len(s.unused); n > 0 {
		i := s.unused[n-1]
		s.unused = s.unused[:n-1]
		return i
	}
	s.parcels = append(s.parcels, parcel{})
	return uint32(len(s.parcels) - 1)
}

func (s *Service) release(i uint32) { s.unused = append(s.unused, i) }

// Act handles an event of the network.
func (s *Service) Act(op int, arg uint64) {
	switch op {
	case actMet:
		s.met(medium.OfMember(arg))
		return
	case actPassed:
		s.passed(medium.OfMember(arg))
		return
	}
	i := uint32(arg)
	p := &s.parcels[i]
	switch op {
	case actSpread:
		member, _ := medium.OfMember(arg)
		s.spread(member, i)
	case actSend:
		s.begin(i, p)
	case actArrive:
		s.arrive(i, p)
	case actAnswer:
		s.carry(p.to, p.from, p.bytes, actDone, arg)
	case actConfirm:
		s.carry(p.to, p.from, 0, actDone, arg)
	case actDone:
		p.record = record{op: opDone, peer: p.to, word: p.word}
		s.find(p.from, i)
	case actCredit:
		s.free(p.to, p.from)
		s.release(i)
	case actGone:
		p.record = record{op: opGone, peer: p.to}
		s.find(p.from, i)
	}
}

// begin has the model carry a post of a rank.
func (s *Service) begin(i uint32, p *parcel) {
	switch p.op {
	case opPacket, opFurther:
		s.carry(p.from, p.to, p.bytes, actArrive, uint64(i))
	case opPull, opPush:
		s.move(i, p)
	case opTaken:
		if s.keeper != nil && s.ranks[p.from].state != left {
			s.keeper.Taken(p.to, p.from)
		}
		if s.paced {
			s.release(i)
			return
		}
		s.ranks[p.to].posts.At(s.net.Now()+s.lookahead, s, actCredit, uint64(i))
	case opSpread, opMeet:
		s.together(i, p)
	case opCode:
		s.execute(p)
		s.release(i)
	default: // a record that only the service writes
		s.release(i)
	}
}

func (s *Service) carry(from, to, bytes, op int, arg uint64) {
	s.count(from, to, bytes)
	s.model.Send(from, to, bytes, s, op, arg)
}

func (s *Service) count(from, to, bytes int) {
	s.total.add(bytes)
	s.ranks[from].account.Sent.add(bytes)
	s.ranks[to].account.Received.add(bytes)
}

// move has the model carry out a transfer of remote memory.
func (s *Service) move(i uint32, p *parcel) {
	pull, arg := p.op == opPull, uint64(i)
	switch {
	case s.mover != nil && pull:
		s.count(p.to, p.from, p.bytes)
		s.mover.Pull(p.from, p.to, p.bytes, s, actDone, arg)
	case s.mover != nil:
		s.count(p.from, p.to, p.bytes)
		s.mover.Push(p.from, p.to, p.bytes, s, actDone, arg)
	case pull:
		s.carry(p.from, p.to, 0, actAnswer, arg)
	default:
		s.carry(p.from, p.to, p.bytes, actConfirm, arg)
	}
}

// arrive delivers a packet, or loses it if the receiver has left: then its sender is told, once.
func (s *Service) arrive(i uint32, p *parcel) {
	if s.ranks[p.to].state != left {
		p.peer = p.from
		s.find(p.to, i)
		return
	}
	sender := &s.ranks[p.from]
	if sender.gone == nil {
		sender.gone = make([]bool, len(s.ranks))
	}
	if sender.gone[p.to] {
		s.release(i)
		return
	}
	sender.gone[p.to] = true
	sender.posts.At(s.net.Now()+s.lookahead, s, actGone, uint64(i))
}

// find hands a parcel to a rank.
func (s *Service) find(rank int, i uint32) {
	m := &s.ranks[rank]
	if m.state == left {
		s.release(i)
		return
	}
	m.found.Push(i)
	if m.state == waits && m.going == (vtime.Event{}) {
		m.goOn(s.net.Now())
	}
}

// free returns a credit for packets to dst to src. It wakes src only if a packet of it was refused.
func (s *Service) free(src, dst int) {
	m := &s.ranks[src]
	if m.state == left {
		return
	}
	if n := m.spare.Len(); n > 0 && m.spare.At(n-1).peer == int32(dst) {
		m.spare.At(n-1).packets++
	} else {
		m.spare.Push(spare{int32(dst), 1})
	}
	if m.state == waits && m.starved && m.going == (vtime.Event{}) {
		m.goOn(s.net.Now())
	}
}

// fill writes events for a rank into its mailbox, as many as fit, and returns their size.
func (m *member) fill() (end int) {
	for m.spare.Len() > 0 && end+recordBytes <= areaBytes {
		c := m.spare.Pop()
		r := record{op: opCredit, peer: int(c.peer), word: [3]uint64{uint64(c.packets)}}
		end += r.put(m.box.in[end:])
	}
	for m.found.Len() > 0 {
		i := *m.found.At(0)
		p := &m.s.parcels[i]
		if end+size(len(p.data)) > areaBytes {
			break
		}
		end += p.put(m.box.in[end:])
		p.data = nil
		m.found.Pop()
		m.s.release(i)
	}
	return end
}

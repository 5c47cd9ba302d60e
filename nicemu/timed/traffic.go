package timed

import (
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// A parcel is what is under way between two ranks.
type parcel struct {
	record
	from, to int
	bytes    int
	open     int    // members of a set to which it has not come
	buffer   []byte // reused
}

// A spare is room for packets that a rank has again.
type spare struct{ peer, packets int32 }

// Operations of the service's own events; the argument is a parcel.
const (
	actSend    = iota // what a rank has posted begins
	actArrive         // a packet is there
	actAnswer         // the request of a Pull is there: the bytes begin
	actConfirm        // the bytes of a Push are there: their confirmation begins
	actDone           // a transfer is over
	actCredit         // that a packet was taken is known to its sender
	actGone           // that a packet was lost is known to its sender
	actSpread         // a packet to a set is there, at a member
	actMet            // a member learns that all have come; the argument is the set, not a parcel
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

// Act has an event of the network happen.
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

// begin has the model carry what a rank has posted.
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

// arrive has a packet be at its receiver, or be lost if that has left: then its sender is told, once.
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

// find has a rank find a parcel.
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

// free gives room for a packet to dst back to src. It wakes nobody who has not been
// refused any.
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

// fill writes what a rank shall find into its mailbox, as much as there is room
// for, and returns its bytes.
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

package stepped

import (
	"encoding/binary"

	"rhinet/nicemu/cenju4"
)

// spm is the Send Packet Module: it sends the next packet of one of the parcels in the header
// registers that can enter the first switches, in turn.
type spm struct {
	node      *node
	state     State
	registers [cenju4.Registers]*job
	turn      int
	tlb       tlb
	packet    packet
	cut       cenju4.Cut
}

func (s *spm) busy() bool {
	for _, j := range s.registers {
		if j != nil {
			return true
		}
	}
	return s.state != Idle
}

// store puts a parcel into a free header register.
func (s *spm) store(j *job) bool {
	for i := range s.registers {
		if s.registers[i] == nil {
			s.registers[i] = j
			return true
		}
	}
	return false
}

func (s *spm) step() {
	switch s.state {
	case Idle:
		s.choose()
	case Limits:
		s.limits()
	case Translate:
		if _, _, ok := s.tlb.look(s.source()); !ok {
			s.become(Miss)
			return
		}
		s.become(Data)
	case Miss:
		s.tlb.fill(s.source())
		s.become(Translate)
	case Data:
		s.body()
		s.become(Send)
	case Send:
		s.send()
	case Notify:
		s.notify()
	}
}

// choose takes the next register with a packet that can go: its FIFO memories are free, and no
// older parcel goes to the same node.
func (s *spm) choose() {
	for range s.registers {
		s.turn = (s.turn + 1) % len(s.registers)
		j := s.registers[s.turn]
		if j == nil || !s.free(j) || s.overtakes(j) {
			continue
		}
		s.begin(j)
		return
	}
}

func (s *spm) free(j *job) bool {
	return j.sync.Members != 0 || s.node.machine.network.free(0, s.node.number, j.to)
}

func (s *spm) overtakes(j *job) bool {
	for _, other := range s.registers {
		if other != nil && other.age < j.age && other.reply == j.reply && other.meets(j) {
			return true
		}
	}
	return false
}

// begin cuts the next packet.
func (s *spm) begin(j *job) {
	s.packet = packet{job: j, place: j.at, first: !j.begun, last: true}
	s.cut = cenju4.Cut{}
	if writes(j.header.Protocol) && j.sync.Members == 0 {
		s.cut, _ = j.cuts.Next(s.packet.first)
		s.packet.last = j.at+s.cut.Bytes == int(j.header.Length)
	}
	switch {
	case s.packet.first:
		s.become(Limits)
	case s.lent() || s.cut.Bytes == 0:
		s.body()
		s.become(Send)
	default:
		s.become(Translate)
	}
}

// limits checks everything that the parcel reads and writes at this node.
func (s *spm) limits() {
	j := s.packet.job
	p := &j.header
	if why := s.allowed(p); why != 0 && !j.reply && j.sync.Members == 0 {
		s.node.hw.CountRefused(why, false)
		j.refuse(s.node.number, why)
		j.done = true
		if answered(p.Protocol) {
			s.node.rhm.under--
		}
		s.registers[s.turn] = nil
		s.become(Idle)
		return
	}
	j.begun = true
	if s.lent() || s.cut.Bytes == 0 {
		s.body()
		s.become(Send)
		return
	}
	s.become(Translate)
}

// allowed checks source, notice, and the target of an answer.
func (s *spm) allowed(p *cenju4.Parcel) (why cenju4.Reason) {
	own := func(a cenju4.Address, size uint64) {
		switch {
		case why != 0 || size == 0:
		case a.Segment() != cenju4.Lent:
			why = limits(s.node.hw, a, size, 0)
		case uint64(len(s.packet.lent)) != size:
			why = cenju4.Beyond
		}
	}
	switch {
	case has(p, cenju4.Inline):
	case writes(p.Protocol):
		own(cenju4.Address(p.Words[0]), uint64(p.Length))
	case p.Protocol == cenju4.RemoteRead:
		own(cenju4.Address(p.Words[1]), uint64(p.Length))
	case p.Protocol == cenju4.Swap:
		own(cenju4.Address(p.Words[2]), wordBytes)
	}
	if a := noticed(p); a != 0 {
		own(a, wordBytes)
	}
	return why
}

// lent reports whether the data is in the header, or lent.
func (s *spm) lent() bool {
	return has(&s.packet.header, cenju4.Inline) || s.source().Segment() == cenju4.Lent
}

// source returns the address of the first byte of this packet.
func (s *spm) source() cenju4.Address {
	return cenju4.Address(s.packet.header.Words[0] + uint64(s.packet.place))
}

// body reads the data of this packet.
func (s *spm) body() {
	p, n := &s.packet, s.cut.Bytes
	p.data = make([]byte, n)
	switch {
	case n == 0:
	case has(&p.header, cenju4.Inline):
		var word [wordBytes]byte
		binary.NativeEndian.PutUint64(word[:], p.header.Words[0])
		copy(p.data, word[:])
	case s.lent():
		copy(p.data, p.lent[p.place:])
	case s.source()%wordBytes == 4 && n > 4 && (p.header.Protocol != cenju4.RemoteDMA || p.header.Words[1]%wordBytes == 0):
		s.reorder(n)
	default:
		page, offset, _ := s.tlb.look(s.source())
		copy(p.data, s.node.hw.Memory(page, offset, uint64(n)))
	}
}

// reorder reads whole DWs, one more than the packet has, and passes their words through one
// register of 32 bits: the upper word of one DW leaves with the lower one of the next (cenju4,
// section 7.3).
func (s *spm) reorder(n int) {
	page, offset, _ := s.tlb.look(s.source())
	const odd = 4
	register := s.word(page, offset, 0)
	for at := 0; at < n; at += wordBytes {
		copy(s.packet.data[at:], register[:])
		if at+odd < n {
			low := s.word(page, offset, at+odd)
			copy(s.packet.data[at+odd:], low[:])
		}
		if at+wordBytes < n {
			register = s.word(page, offset, at+wordBytes)
		}
	}
}

// word returns the word at an offset from the start of the packet; after the end of the page it
// returns the word that physically follows the page.
func (s *spm) word(page cenju4.Page, offset uint64, at int) (word [4]byte) {
	begin := offset + uint64(at)
	if begin%cenju4.PageBytes == 0 && at > 0 {
		return s.behind(page, begin, at)
	}
	copy(word[:], s.node.hw.Memory(page, begin, min(4, page.Bytes-begin)))
	return word
}

func (s *spm) behind(page cenju4.Page, begin uint64, at int) (word [4]byte) {
	if begin < page.Bytes { // the page is larger than PageBytes and continues
		copy(word[:], s.node.hw.Memory(page, begin, min(4, page.Bytes-begin)))
		return word
	}
	return s.node.hw.Behind(s.source() + cenju4.Address(at))
}

// send puts the packet into the network.
func (s *spm) send() {
	j, net := s.packet.job, s.node.machine.network
	hw := s.node.hw
	if j.sync.Members != 0 {
		net.sync(0, s.node.number, j.sid, j.sync.Nodes())
		j.done = true
	} else {
		p := s.packet
		net.enter(s.node.number, &p)
	}
	j.at += s.cut.Bytes
	hw.Count(cenju4.Packets, 1, j.reply)
	hw.Count(cenju4.Coherent, uint64(s.cut.Coherent), j.reply)
	hw.Count(cenju4.NonCoherent, uint64(s.cut.NonCoherent), j.reply)
	if !s.packet.last {
		s.become(Idle)
		return
	}
	hw.Count(cenju4.Parcels, 1, j.reply)
	if answered(j.header.Protocol) && !j.reply && j.sync.Members == 0 {
		hw.Count(cenju4.RemoteReads, 1, false)
	}
	s.registers[s.turn] = nil
	if j.sync.Members == 0 && !j.reply && noticed(&j.header) != 0 {
		s.become(Notify)
		return
	}
	s.become(Idle)
}

// notify writes the pattern that reports a parcel as sent.
func (s *spm) notify() {
	a := noticed(&s.packet.header)
	pattern := []byte{255, 255, 255, 255, 255, 255, 255, 255}
	s.node.hw.Count(cenju4.Notifications, 1, false)
	if a.Segment() == cenju4.Lent {
		copy(s.packet.lent, pattern)
	} else {
		s.node.put(a, pattern)
	}
	s.become(Idle)
}

// put writes bytes at an address of this node's memory, page by page.
func (n *node) put(a cenju4.Address, b []byte) {
	t := tlb{hw: n.hw}
	for len(b) > 0 {
		t.fill(a)
		page, offset, _ := t.look(a)
		size := min(uint64(len(b)), page.Bytes-offset)
		copy(n.hw.Memory(page, offset, size), b)
		a, b = a+cenju4.Address(size), b[size:]
	}
}

func (s *spm) become(to State) {
	s.node.tell(SPM, s.state, to)
	s.state = to
}

package arq

import "math/bits"

// Take takes a datagram. A packet in it waits for Next.
func (l *Link) Take(now int64, b []byte) {
	var h header
	if !h.open(b, l.peer, l.self) || len(b) > HeaderBytes+l.bytes || int32(h.ack-l.fresh) > 0 || int32(h.ack-l.base) < -Window {
		l.sends.Refused++
		return
	}
	l.acknowledged(now, &h)
	if h.packet {
		l.arrived(h.number, b[HeaderBytes:])
	}
}

// arrived takes a packet.
func (l *Link) arrived(n uint32, data []byte) {
	ahead := int32(n - l.ack)
	switch {
	case ahead < 0, ahead > 0 && ahead <= maskLen && l.mask>>(ahead-1)&1 != 0:
		l.sends.Repeated++
		l.urgent = true // the acknowledgement of this end did not arrive
		return
	case int32(n-l.wanted) >= Window:
		l.sends.Refused++ // farther ahead than the peer may be
		return
	}
	l.owed++
	l.keep(n, data)
	if ahead > 0 {
		l.urgent = true // what lies between is lost, or late
		l.mask |= 1 << (ahead - 1)
		return
	}
	run := bits.TrailingZeros64(^l.mask)
	l.ack += uint32(run) + 1
	l.mask = l.mask >> run >> 1
}

// keep copies a packet for Next.
func (l *Link) keep(n uint32, data []byte) {
	if l.early == nil {
		l.early = make([][]byte, kept)
		all := make([]byte, kept*l.bytes)
		for i := range l.early {
			l.early[i] = all[i*l.bytes : i*l.bytes : (i+1)*l.bytes]
		}
	}
	l.early[n%kept] = append(l.early[n%kept][:0], data...)
}

// Next returns the bytes of the next packet in order, valid until the next call of Next, if
// it has come.
func (l *Link) Next() (packet []byte, ok bool) {
	if l.wanted == l.ack {
		return nil, false
	}
	l.wanted++
	return l.early[(l.wanted-1)%kept], true
}

// Waits reports whether Next has a packet.
func (l *Link) Waits() bool { return l.wanted != l.ack }

// acknowledged takes the acknowledgements in a datagram.
func (l *Link) acknowledged(now int64, h *header) {
	gone := 0
	for int32(h.ack-l.base) > 0 {
		gone += l.came(now, l.packet(l.base))
		l.base++
	}
	for m, n := h.mask, h.ack+1; m != 0; m, n = m>>1, n+1 {
		if m&1 != 0 && int32(n-l.base) >= 0 && int32(n-l.fresh) < 0 {
			gone += l.came(now, l.packet(n))
		}
	}
	if gone == 0 {
		return
	}
	l.grow(gone)
	l.findLost()
	l.patience = max(l.estimate(), l.patience/2) // the way works
	if l.deadline = 0; l.flying > 0 {
		l.deadline = now + l.patience
	}
}

// came notes that a packet has arrived, and returns how many it has added to those that have.
func (l *Link) came(now int64, p *packet) int {
	if p.done {
		return 0
	}
	if p.flying {
		l.flying--
	}
	p.done, p.flying = true, false
	l.newest = max(l.newest, p.order)
	if !p.again { // if again, it is unknown which transmission came
		l.measure(now - p.sent)
	}
	return 1
}

// measure takes one round-trip time, as TCP does.
func (l *Link) measure(d int64) {
	if l.trip == 0 {
		l.trip, l.spread = d, d/2
	} else {
		l.spread += (max(l.trip-d, d-l.trip) - l.spread) / 4
		l.trip += (d - l.trip) / 8
	}
}

// estimate returns how long an acknowledgement may take: the mean plus four times the variation.
func (l *Link) estimate() int64 {
	if l.trip == 0 {
		return first
	}
	return min(max(l.trip+4*l.spread, least), most)
}

// grow raises the limit of packets in flight, since n have come.
func (l *Link) grow(n int) {
	for range n {
		if l.limit < l.slow {
			l.limit++
		} else if l.grown++; l.grown >= l.limit {
			l.limit, l.grown = l.limit+1, 0
		}
	}
	l.limit = min(l.limit, Window)
}

// findLost counts packets as lost that others have overtaken.
func (l *Link) findLost() {
	for n := l.base; n != l.fresh; n++ {
		p := l.packet(n)
		if !p.flying || p.order+overtaken > l.newest {
			continue
		}
		p.flying = false
		l.flying--
		if int32(n-l.recover) >= 0 {
			l.recover = l.next
			l.limit = max(l.limit/2, 2)
			l.slow, l.grown = l.limit, 0
		}
	}
}

package pm

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/martini"
)

// Receive polls each ring once, in turn (pm-messaging, section 1.4.6). It leaves a message whose
// trailer has not arrived.
func (p *RHiNET) Receive() ([]byte, error) {
	if p.held != 0 {
		return nil, ErrBusy
	}
	at := p.turn
	if p.o.FromZero {
		at = 0
	}
	for range p.lanes {
		if at >= len(p.lanes) {
			at = 0
		}
		l := &p.lanes[at]
		p.count.Probed++
		if atomic.LoadUint32(l.header()) != 0 && !l.closed {
			msg, err := p.open(l, at)
			if err != nil || msg != nil {
				p.turn = at + 1
				return msg, err
			}
		}
		at++
	}
	p.count.EmptyPasses++
	return nil, ErrNoMessage
}

// trailer returns the word before end.
func trailer(l *lane, end int) uint32 {
	return atomic.LoadUint32(martini.Word32(l.ring, end-wordBytes))
}

// header returns the first word of the source's next message.
func (l *lane) header() *uint32 { return martini.Word32(l.ring, l.slot()) }

func (l *lane) slot() int { return int(l.tail%ringSlots) * slotBytes }

// open takes the message at the tail of a ring if it is complete. Another process has written it,
// so it is checked where it is read.
func (p *RHiNET) open(l *lane, source int) ([]byte, error) {
	h := atomic.LoadUint32(l.header())
	if h == makeSkip(l.seq) && l.slot() != 0 {
		atomic.StoreUint32(l.header(), 0)
		p.count.Zeroed += wordBytes
		l.seq++
		l.tail += ringSlots - l.tail%ringSlots
		atomic.StoreUint64(l.export, l.tail)
		if h = atomic.LoadUint32(l.header()); h == 0 {
			return nil, nil
		}
	}
	at, n := l.slot(), int(h&0xffff)
	end := at + framed(n)
	if h != makeHeader(l.seq, n) || n < 1 || n > maxRHiNET || end > ringBytes {
		l.closed = true
		return nil, &CorruptError{source, fmt.Sprintf("header %#x at slot %d, message %d", h, l.tail, l.seq)}
	}
	switch t := trailer(l, end); t {
	case makeTrailer(l.seq):
	case 0:
		p.count.GiveUps++
		return nil, nil
	default:
		l.closed = true
		return nil, &CorruptError{source, fmt.Sprintf("trailer %#x at slot %d, message %d", t, l.tail, l.seq)}
	}
	p.source, p.held = source, framed(n)
	return l.ring[at+wordBytes : at+wordBytes+n : at+wordBytes+n], nil
}

// Source returns the node whose ring contains the held message.
func (p *RHiNET) Source() int { return p.source }

// ReleaseReceiveBuffer zeroes the message, header to trailer, and only then exports the new tail to
// its source (pm-messaging, section 1.4.7).
func (p *RHiNET) ReleaseReceiveBuffer() error {
	if p.held == 0 {
		return ErrNothingHeld
	}
	l, n := &p.lanes[p.source], p.held
	p.held = 0
	at := l.slot()
	clear(l.ring[at+wordBytes : at+n-wordBytes])
	atomic.StoreUint32(martini.Word32(l.ring, at+n-wordBytes), 0)
	atomic.StoreUint32(l.header(), 0)
	p.count.Zeroed += uint64(n)
	l.seq++
	l.tail += uint64(n+slotBytes-1) / slotBytes
	atomic.StoreUint64(l.export, l.tail)
	return nil
}

package pm

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"rhinet/nicemu/martini"
)

// GetSendBuffer allocates space in the send buffer if the ring at dst has room.
func (p *RHiNET) GetSendBuffer(dst, n int) ([]byte, error) {
	if p.n != 0 {
		return nil, ErrBusy
	}
	if err := check(dst, len(p.targets), n, maxRHiNET); err != nil {
		return nil, err
	}
	t := &p.targets[dst]
	if need := t.need(n); need > t.free() {
		if err := p.refresh(dst); err != nil {
			return nil, err
		}
		if need > t.free() {
			return nil, ErrNoBufs
		}
	}
	// The contflag of a PUSH is set when the NIC has read its source, which is before the kick
	// returns: so the whole send buffer is free by now.
	size := framed(n)
	if p.at+size > sendBytes {
		p.at = 0
	}
	p.dst, p.n = dst, n
	p.buf = p.mem[p.at : p.at+size]
	return p.buf[wordBytes : wordBytes+n : wordBytes+n], nil
}

// need returns the number of slots that a message takes, including those skipped at the ring's end:
// a message must be contiguous.
func (t *target) need(n int) uint64 {
	k := slots(n)
	if rest := ringSlots - t.head%ringSlots; k > rest {
		return rest + k
	}
	return k
}

func (t *target) free() uint64 { return ringSlots - (t.head - t.tail) }

// refresh PULLs the receiver's tail (pm-messaging, section 1.4.8), only when the ring seems too
// full.
func (p *RHiNET) refresh(dst int) error {
	t := &p.targets[dst]
	p.count.Pulls++
	r := martini.Request{Node: dst, Segment: martini.CommonSegment, Offset: uint64(p.Self()*stride + ringBytes)}
	if err := t.window.Pull(r, p.pulled); err != nil {
		return err
	}
	tail := binary.NativeEndian.Uint64(p.pulled)
	if tail-t.tail > t.head-t.tail {
		return &CorruptError{dst, fmt.Sprintf("its tail says %d; it was %d, and %d slots have been sent", tail, t.tail, t.head)}
	}
	t.tail = tail
	return nil
}

// Send frames the message and PUSHes it into the receiver's ring.
func (p *RHiNET) Send() error {
	if p.n == 0 {
		return ErrNothingHeld
	}
	dst, n := p.dst, p.n
	p.n = 0
	t := &p.targets[dst]
	if rest := ringSlots - t.head%ringSlots; slots(n) > rest {
		if err := p.skip(dst, rest); err != nil {
			return err
		}
	}
	b := p.buf
	binary.LittleEndian.PutUint32(b, makeHeader(t.seq, n))
	clear(b[wordBytes+n : len(b)-wordBytes])
	binary.LittleEndian.PutUint32(b[len(b)-wordBytes:], makeTrailer(t.seq))
	if err := p.push(dst, b); err != nil {
		return err
	}
	p.at += len(b)
	t.seq++
	t.head += slots(n)
	return nil
}

// skip makes the receiver continue at the start of its ring.
func (p *RHiNET) skip(dst int, rest uint64) error {
	t := &p.targets[dst]
	word := p.pulled[:wordBytes]
	binary.LittleEndian.PutUint32(word, makeSkip(t.seq))
	if err := p.push(dst, word); err != nil {
		return err
	}
	t.seq++
	t.head += rest
	return nil
}

// push writes b into the ring at dst from head on, with a throttle if one is set.
func (p *RHiNET) push(dst int, b []byte) error {
	t := &p.targets[dst]
	r := martini.Request{
		Node: dst, Segment: martini.CommonSegment,
		Offset: uint64(p.Self()*stride) + t.head%ringSlots*slotBytes,
	}
	if p.o.Throttle == Off {
		p.count.Pushes++
		return t.window.Push(r, b)
	}
	for {
		if err := p.awaitAck(t); err != nil {
			return err
		}
		piece := b[:min(slotBytes, len(b))]
		if len(b)-len(piece) == frameBytes {
			// A last piece of one double word would become visible as a whole, but the trailer is
			// polled as a word of its own.
			piece = piece[:slotBytes-wordBytes]
		}
		p.count.Pushes++
		r.Flag = t.ack
		if err := t.window.Push(r, piece); err != nil {
			return err
		}
		t.acked = t.window.Contflag()
		if p.o.Throttle == Global {
			p.windowID, p.asked = dst, t.acked
		}
		if b = b[len(piece):]; len(b) == 0 {
			return nil
		}
		r.Offset += uint64(len(piece))
	}
}

// awaitAck waits for the ack of the previous push, to t or to any target.
func (p *RHiNET) awaitAck(t *target) error {
	want := t.acked
	if p.o.Throttle == Global {
		t, want = &p.targets[p.windowID], p.asked
	}
	if want == 0 {
		return nil
	}
	p.count.Acks++
	for turns := 0; t.window.Flag(t.ack) < want; turns++ {
		if turns == ackTurns {
			return &CorruptError{p.Self(), fmt.Sprintf("completion flag %d is %d, not %d", t.ack, t.window.Flag(t.ack), want)}
		}
		runtime.Gosched() // with this NIC the ack is there when Push returns, so this is never reached
	}
	return nil
}

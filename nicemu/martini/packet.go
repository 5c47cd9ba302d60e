package martini

import (
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Packet is an image for BOTF: whatever the sender likes, except that the
// NIC overwrites the PGID (martini, sections 4.3, 6.1).
type Packet struct {
	Type    uint8
	PGID    uint32 // overwritten
	PID     int    // of the receiving process
	Node    int
	Segment Segment
	Offset  uint64
	Local   uint64 // virtual address: for PacketPullRequest at the issuer, for PacketAck and PacketPullResponse at the target
	Flag    int    // completion flag at the issuer, or 0
	Length  int    // of PacketPullRequest; otherwise the payload's
	Payload []byte
}

// Botf builds the image of p in the Window and kicks it.
func (w *Window) Botf(p *Packet) error {
	if len(p.Payload) > MaxImage || uint(p.Flag) > CompletionFlags {
		return w.nic.refuse(Refusal{Op: opBotf, Node: p.Node, Segment: p.Segment, Offset: p.Offset, Bytes: len(p.Payload), Reason: WrongLength})
	}
	n := p.Length
	if p.Type != PacketPullRequest {
		n = len(p.Payload)
	}
	h := w.page[DWImage:]
	h[flitType] = uint64(p.Type) | uint64(p.Flag)<<8 | uint64(n)<<24
	h[flitTarget] = makeKey(p.PGID, p.PID) | uint64(uint16(p.Node))<<48
	h[flitSegment] = uint64(p.Segment)
	h[flitOffset] = p.Offset
	h[flitLocal] = p.Local
	copy(w.payload(), p.Payload)
	return w.Write(DWBotf, uint64(len(p.Payload)))
}

// payload is where the payload of a BOTF image lies.
func (w *Window) payload() []byte {
	area := w.nic.f.Bytes(w.nic.rank, fabric.Device)
	at := (regWindows + w.id*pageWords + DWPayload) * 8
	return area[at : at+MaxImage : at+MaxImage]
}

// kickBotf overwrites the PGID of the image by PGIDTBL's and sends it.
func (w *Window) kickBotf(size uint64) error {
	h := w.page[DWImage : DWImage+headerFlits]
	key := w.entry.load(winKey)
	r := &Refusal{Op: opBotf, Node: int(h[flitTarget] >> 48), Segment: Segment(h[flitSegment]), Offset: h[flitOffset], Bytes: int(size)}
	switch {
	case key&winValid == 0:
		r.Reason = InvalidWindow
	case size > MaxImage || h[flitType]>>8&0xffff > CompletionFlags:
		r.Reason = WrongLength
	}
	if r.Reason != 0 {
		w.cont()
		return w.nic.refuse(*r)
	}
	h[flitTarget] = h[flitTarget]&^0xffffffff | key&0xffffffff
	flag := int(h[flitType] >> 8 & 0xffff)
	answer, err := w.rfend(h, w.payload()[:size], r)
	if done := w.cont(); err == nil && flag != 0 {
		if uint8(h[flitType]) != PacketSwap {
			answer = done
		}
		atomic.StoreUint64(&w.flags[flag], answer)
	}
	return err
}

// rfend is what the target's RCONT does with a packet (martini, sections 7.2,
// 10.8), or its firmware if the type is special. r is filled with what a
// refusal would say.
func (w *Window) rfend(h []uint64, payload []byte, r *Refusal) (answer uint64, err error) {
	n := w.nic
	key := h[flitTarget] &^ (0xffff << 48)
	switch uint8(h[flitType]) {
	case PacketPush:
		return 0, n.move(opBotf, true, r.Node, key, r.Segment, r.Offset, payload)
	case PacketPullRequest:
		size := h[flitType] >> 24
		r.Bytes = int(size)
		local, ok := n.local(w.entry.load(winKey), h[flitLocal], size)
		if !ok {
			r.Reason = NotPinned
			return 0, n.refuse(*r)
		}
		return 0, n.move(opBotf, false, r.Node, key, r.Segment, r.Offset, local)
	case PacketAck, PacketPullResponse:
		return 0, n.plain(r, key, h[flitLocal], payload)
	case PacketSwap:
		if len(payload) != 16 {
			r.Reason = WrongLength
			return 0, n.refuse(*r)
		}
		return n.swap(r, key, w.page[DWPayload], w.page[DWPayload+1])
	case PacketLockRequest, PacketLockReserve:
		return 0, n.lockPacket(r, key, uint8(h[flitType]), h, len(payload))
	}
	r.Reason = SpecialPacket
	return 0, n.refuse(*r)
}

// plain writes to a plain virtual address: ack and pull response skip RVATLB
// (martini, section 5.3), and PATLB protects.
func (n *NIC) plain(r *Refusal, key, va uint64, b []byte) error {
	t, ok := n.node(r.Node)
	if !ok {
		r.Reason = NoNode
		return n.refuse(*r)
	}
	if va+uint64(len(b)) < va {
		r.Reason = WrongLength
		return n.refuse(*r)
	}
	if r.Reason = n.pinned(t, r.Node, key, va, uint64(len(b)), 0); r.Reason != 0 {
		return n.refuse(*r)
	}
	for r.Moved < len(b) {
		got, why, cause := n.piece(t, r.Node, key, 0, va+uint64(r.Moved), 0, b[r.Moved:], true)
		if r.Moved += got; why != 0 {
			r.Reason, r.Cause = why, cause
			return n.refuse(*r)
		}
	}
	return nil
}

// swap compares and swaps one control word, r.Offset, of the target, and
// returns what it held: a primitive in firmware, as LOCK is (martini, sections
// 6.1, 9). Our choice: the words lie in NIC memory and are addressed by
// number.
func (n *NIC) swap(r *Refusal, key, old, now uint64) (uint64, error) {
	t, ok := n.node(r.Node)
	if !ok {
		r.Reason = NoNode
		return 0, n.refuse(*r)
	}
	seg := makeSegment(sidControl, ioGen)
	at := min(r.Offset, 1<<32) * 8
	if _, _, r.Reason = t.rva(key, seg, at, 8); r.Reason != 0 {
		return 0, n.refuse(*r)
	}
	word := &n.f.Words(r.Node, fabric.Control)[r.Offset]
	for {
		if seen := atomic.LoadUint64(word); seen != old {
			return seen, nil
		}
		if atomic.CompareAndSwapUint64(word, old, now) {
			return old, nil
		}
	}
}

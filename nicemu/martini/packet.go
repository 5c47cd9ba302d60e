package martini

import (
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Packet is an image for BOTF. The sender chooses all of it, except that the NIC overwrites the
// PGID (martini, sections 4.3, 6.1).
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
		return w.nic.refuse(Refusal{Op: opBotf, Node: p.Node, Segment: p.Segment, Offset: p.Offset, Bytes: len(p.Payload), Reason: WrongLength, local: true})
	}
	w.image(p)
	return w.Write(DWBotf, uint64(len(p.Payload)))
}

// image builds the image of p in the Window.
func (w *Window) image(p *Packet) {
	n := p.Length
	if p.Type != PacketPullRequest {
		n = len(p.Payload)
	}
	h := w.page[DWImage:]
	h[flitType] = TypeFlit(p.Type, p.Flag, uint64(n))
	h[flitTarget] = TargetFlit(makeKey(p.PGID, p.PID), p.Node)
	h[flitSegment] = uint64(p.Segment)
	h[flitOffset] = p.Offset
	h[flitLocal] = p.Local
	copy(w.payload(), p.Payload)
}

// payload returns the place of the payload of a BOTF image.
func (w *Window) payload() []byte {
	area := w.nic.f.Bytes(w.nic.rank, fabric.Device)
	at := (regWindows + w.id*pageWords + DWPayload) * 8
	return area[at : at+MaxImage : at+MaxImage]
}

// kickBotf overwrites the PGID of the image by PGIDTBL's and sends it. A packet that is stopped
// before the first byte has moved, or that hardware does not know, goes to unusual.
func (w *Window) kickBotf(size uint64) error {
	h := Flits(w.page[DWImage : DWImage+headerFlits])
	n, key := w.nic, w.key()
	flag := h.Flag()
	r := Refusal{Op: opBotf, Node: h.Node(), Segment: h.Segment(), Offset: h[flitOffset], Bytes: int(size)}
	if key&winValid == 0 || size > MaxImage || flag > CompletionFlags {
		return w.unusual(r, DWBotf, size)
	}
	h.Own(key)
	b, write := w.payload()[:size], true
	var to way
	switch target := h.Key(); h.Kind() {
	case PacketPush:
		r.Reason = to.find(n, r.Node, target, r.Segment, r.Offset, size)
	case PacketPullRequest:
		var ok bool
		r.Bytes, write = int(h.Length()), false
		if b, ok = n.local(key, h[flitLocal], h.Length()); !ok {
			return w.unusual(r, DWBotf, size)
		}
		r.Reason = to.find(n, r.Node, target, r.Segment, r.Offset, uint64(len(b)))
	case PacketAck, PacketPullResponse:
		r.Reason = to.plain(n, r.Node, target, h[flitLocal], size)
	default:
		r.Reason = SpecialPacket
	}
	if r.Reason != 0 {
		return w.unusual(r, DWBotf, size)
	}
	r.Moved, r.Reason, r.Cause = n.carry(&to, write, b)
	done := w.cont()
	if r.Reason != 0 {
		return n.refuse(r)
	}
	if flag != 0 {
		w.complete(flag, done)
	}
	return nil
}

// swap compares and swaps one control word of the target, and returns its old value. It is a
// primitive of the firmware, as LOCK is (martini, sections 6.1, 9). Our choice: the words are in
// NIC memory and are addressed by number.
func (n *NIC) swap(rank int, key, number, old, now uint64) (uint64, Reason) {
	t, ok := n.node(rank)
	if !ok {
		return 0, NoNode
	}
	if _, _, why := t.rva(key, makeSegment(sidControl, ioGen), min(number, 1<<32)*8, 8); why != 0 {
		return 0, why
	}
	word := &n.f.Words(rank, fabric.Control)[number]
	for {
		if seen := atomic.LoadUint64(word); seen != old {
			return seen, 0
		}
		if atomic.CompareAndSwapUint64(word, old, now) {
			return old, 0
		}
	}
}

package stepped

import (
	"encoding/binary"
	"errors"
	"sync/atomic"

	"rhinet/nicemu/martini"
)

// discard drains and drops the packet that RFend holds.
func (f *Firmware) discard() {
	f.n.dropPacket()
	f.Resume(RFend, IDLE)
}

// controlPacket handles network control: a notice from another node's firmware.
func (f *Firmware) controlPacket() bool {
	f.Spend(Handling)
	p := *f.n.receive.head()
	if h := p.h; h.kind() == packetNotice && h.has(bitFirmware) {
		f.discard()
		f.n.learn(Refused{h.window(), h[flitSerial], martini.Reason(h[martini.FlitOffset]), false, h[martini.FlitSegment]})
		f.giveUp(&h)
		return true
	}
	f.reject(martini.SpecialPacket)
	return true
}

// reject refuses and discards the packet that RFend holds.
func (f *Firmware) reject(why martini.Reason) {
	p := *f.n.receive.head()
	if s := f.n.breakage(p); s != nil {
		*s = p.h[flitSerial]
	}
	h := p.h
	f.discard()
	f.refuse(&h, why, h.length())
}

// refuse counts a refusal at the target, and notifies the issuer's firmware of it, with the number
// of bytes of the request that do not arrive.
func (f *Firmware) refuse(h *header, why martini.Reason, left uint64) {
	n := f.n
	if h.has(bitReply) && h.issuer() == n.id { // the mistake is in the issuer's own memory
		n.learn(Refused{h.window(), h[flitSerial], why, true, left})
		return
	}
	n.nic.CountArrived(why)
	if h.issuer() == n.id {
		n.learn(Refused{h.window(), h[flitSerial], why, false, left})
		f.giveUp(h)
		return
	}
	p := n.m.packet(0)
	p.h = header{}
	p.h[martini.FlitType] = martini.TypeFlit(packetNotice, 0, 0)
	p.h[martini.FlitTarget] = martini.TargetFlit(martini.MakeKey(h.pgid(), h.issuerPID()), h.issuer())
	p.h[martini.FlitOffset], p.h[martini.FlitSegment] = uint64(why), left
	p.h[martini.FlitLocal] = h[martini.FlitLocal]
	p.h[flitReturn] = h[flitReturn]&^uint64(bitAOTF|bitReply) | bitFirmware
	p.h[flitSerial] = h[flitSerial]
	p.built = true
	f.outbox.put(p)
}

// unknownPacket handles a packet that hardware cannot process (martini, section 10.8): one of a
// request that has been refused, or a primitive of firmware.
func (f *Firmware) unknownPacket() bool {
	f.Spend(Handling)
	p := *f.n.receive.head()
	switch {
	case f.n.isBroken(p):
		f.discard()
	case p.h.kind() == martini.PacketSwap:
		f.swap(p)
	case p.h.kind() == martini.PacketLockRequest, p.h.kind() == martini.PacketLockReserve:
		f.lockArrival(p)
	case p.h.kind() == martini.PacketAck, p.h.kind() == martini.PacketPullResponse:
		f.reject(martini.WrongLength)
	default:
		f.reject(martini.SpecialPacket)
	}
	return true
}

// swap compares and swaps a control word; its ack carries the old value.
func (f *Firmware) swap(p *packet) {
	if p.size != 16 {
		f.reject(martini.WrongLength)
		return
	}
	word, err := f.n.nic.ControlWord(p.h.key(), p.h[martini.FlitOffset])
	if err != nil {
		f.reject(reasonOf(err))
		return
	}
	old := binary.NativeEndian.Uint64(p.payload[:8])
	now := binary.NativeEndian.Uint64(p.payload[8:16])
	seen := atomic.LoadUint64(word)
	for seen == old && !atomic.CompareAndSwapUint64(word, old, now) {
		seen = atomic.LoadUint64(word)
	}
	h := p.h
	f.discard()
	if h.wantsAck() {
		f.outbox.put(f.n.ackOf(&h, seen))
	}
}

func reasonOf(err error) martini.Reason {
	var r martini.Reason
	errors.As(err, &r)
	return r
}

// rvaMiss handles MISS after RVA: VPUSH, a true miss, or a violation.
func (f *Firmware) rvaMiss() bool {
	n, x := f.n, &f.n.rf
	if x.h.segment() == VPushSegment && n.ring != nil {
		return f.vpush(x)
	}
	f.Spend(Handling)
	f.readTable()
	start, length, why := n.nic.Find(x.h.key(), x.h.segment(), x.offset, x.h.length())
	if why != nil {
		f.reject(reasonOf(why))
		return true
	}
	f.Tick(busWrite)
	n.rvatlb.replace(x.h.key(), uint64(x.h.segment()), segment{start, length})
	f.Resume(RFend, RVACHK2)
	return true
}

// rbendMiss replaces the entry, or discards the packet after the DMA of its first piece has ended.
// Its ack is removed from the Replier.
func (f *Firmware) rbendMiss() bool {
	n, x := f.n, &f.n.rb
	size := x.left
	if x.inFlag {
		size = 8
	}
	f.Spend(Handling)
	if f.present(x.key, x.va, size, x.seg) {
		f.Resume(RBend, IPA)
		return true
	}
	p := x.packet
	f.until(func() bool { return p.drained >= p.size-x.left && !n.storing() && n.queues[fromRBend].len() == 0 })
	for i := range n.jobs.len() {
		if j := n.jobs.at(i); j.ack && j.arrival == n.number {
			j.cancelled = true
			if j.ring {
				n.ring.pending = false
				f.Clear(Replier)
			}
		}
	}
	h, left := p.h, p.h.length()-uint64(p.size-x.left)
	if s := n.breakage(p); s != nil {
		*s = h[flitSerial]
	}
	x.start = false
	n.dropPacket()
	f.refuse(&h, n.gone(&h), left)
	f.Resume(RBend, IDLE)
	return true
}

// vpush does steps 4 to 6 of VPUSH (martini, section 11.3). While the ring is full, or the Replier
// has not been handled for the previous packet, RFend stays in MISS and the main loop polls.
func (f *Firmware) vpush(x *frontRegisters) bool {
	r := f.n.ring
	if why := r.accept(x); why != 0 {
		f.reject(why)
		return true
	}
	f.Tick(busRead)
	at, ok := r.room(x.size)
	if !ok || r.pending {
		return false
	}
	f.Spend(RingBefore)
	f.Tick(busWrite)
	x.offset, x.noLookup, x.ring = r.base+at%r.size, true, true
	r.next, r.pending = at+uint64(x.size), true
	f.Break(Replier, ACK)
	f.Resume(RFend, RVA)
	f.Spend(RingAfter)
	return true
}

// advanceRing is step 9: it writes the new receive pointer to host memory.
func (f *Firmware) advanceRing(h *header) {
	f.Spend(RingNotice)
	r := f.n.ring
	r.receive, r.pending = r.next, false
	if frame, ok := f.n.nic.Frame(r.key, r.base/pageBytes-1, 0, 8); ok && frame.Hold() {
		f.storeWord(frame, r.receive, ringWrite(h, r.receive))
	}
}

package stepped

import (
	"encoding/binary"

	"rhinet/nicemu/martini"
)

// LOCK and UNLOCK (martini, section 9.2), in the firmware of the on-chip processor: calls come from
// the Initiator as special requests, and Lock Request and Lock Reserve from RFend, as packets that
// the hardware does not know. Lock Allow is an ordinary push, and needs no firmware where it
// arrives. Package martini makes the changes in NIC memory, since both NICs are the same.

// lockPacket makes a packet from firmware to the process of a node; flitReturn and flitSerial of
// back say who learns of a refusal.
func (f *Firmware) lockPacket(kind uint8, size, to int, t martini.Tenure, back *header) *packet {
	p := f.n.m.packet(size)
	p.h = header{}
	p.h[martini.FlitType] = martini.TypeFlit(kind, 0, uint64(size))
	p.h[martini.FlitTarget] = martini.TargetFlit(martini.MakeKey(back.pgid(), to), to)
	p.h[martini.FlitLocal] = uint64(t)
	p.h[flitReturn] = back[flitReturn]&^uint64(bitReply|bitAOTF) | bitLast | bitFirmware
	p.h[flitSerial] = back[flitSerial]
	p.have, p.built = size, true
	return p
}

// allow sends Lock Allow: it writes 1 to the acquisition flag.
func (f *Firmware) allow(to int, t martini.Tenure, back *header) {
	p := f.lockPacket(martini.PacketPush, 8, to, t, back)
	seg, offset := f.n.nic.LockTable().Place(t.Lock())
	p.h[martini.FlitSegment], p.h[martini.FlitOffset] = uint64(seg), offset
	binary.NativeEndian.PutUint64(p.payload[:8], 1)
	f.outbox.put(p)
}

// call handles a special request for a primitive of the firmware. If it refuses, it has done
// nothing, and returns the reason.
func (f *Firmware) call(command uint8) martini.Reason {
	n, x, words := f.n, &f.n.ini, &f.n.requests.head().words
	key, valid := n.nic.Owner(x.window)
	if !valid {
		return martini.InvalidWindow
	}
	id := martini.Command(words[martini.DWCommand]).Bytes()
	var back header
	back[martini.FlitTarget] = key
	back[flitReturn] = returnFlit(n.id, int(key>>32), x.window)
	back[flitSerial] = x.serial
	f.readTable()
	f.Tick(busWrite)
	switch command {
	case martini.CommandLockInit:
		home := martini.Target(words[martini.DWTarget]).Node()
		return n.nic.InitLock(key, id, home, martini.Segment(words[martini.DWSegment]), words[martini.DWOffset])
	case martini.CommandLock:
		t, home, why := n.nic.LockTable().Want(key, id)
		if why == 0 {
			back[flitReturn] |= bitLock
			f.outbox.put(f.lockPacket(martini.PacketLockRequest, 0, home, t, &back))
		}
		return why
	}
	next, why := n.nic.LockTable().Release(key, id, 0)
	return f.pass(next, martini.MakeTenure(int(id), n.id, 0), &back, why)
}

// pass allows the lock of t to the process for which it was reserved, if any.
func (f *Firmware) pass(next int, t martini.Tenure, back *header, why martini.Reason) martini.Reason {
	if why != 0 || next < 0 {
		return why
	}
	if next >= len(f.n.m.nodes) {
		return martini.NoNode // not written by firmware
	}
	f.allow(next, t, back)
	return 0
}

// lockArrival handles a Lock Request or a Lock Reserve that has arrived.
func (f *Firmware) lockArrival(p *packet) {
	n := f.n
	h := p.h
	locks := n.nic.LockTable()
	a := martini.LockPacket{
		Key: h.key(), Tenure: martini.Tenure(h[martini.FlitLocal]), Follows: martini.Tenure(h[martini.FlitOffset]),
		Bytes: p.size, Issuer: -1, From: p.from,
	}
	if h.has(bitFirmware) {
		a.Issuer = h.issuerPID()
	}
	f.readTable()
	f.Tick(busWrite)
	if h.kind() == martini.PacketLockRequest {
		before, why := locks.Request(&a)
		if why != 0 {
			f.reject(why)
			return
		}
		f.discard()
		if before != 0 {
			reserve := f.lockPacket(martini.PacketLockReserve, 0, before.Process(), a.Tenure, &h)
			reserve.h[martini.FlitOffset] = uint64(before)
			f.outbox.put(reserve)
			return
		}
	} else {
		allowed, why := locks.Reserve(&a)
		if why != 0 {
			f.reject(why)
			return
		}
		f.discard()
		if !allowed {
			return
		}
	}
	f.allow(a.Tenure.Process(), a.Tenure, &h)
}

// giveUp ends the tenure of a LOCK whose packet was refused, if h belongs to one: it will never be
// allowed.
func (f *Firmware) giveUp(h *header) {
	t := martini.Tenure(h[martini.FlitLocal])
	if !h.has(bitLock) || !h.has(bitFirmware) {
		return
	}
	key := martini.MakeKey(h.pgid(), h.issuerPID())
	next, why := f.n.nic.LockTable().Release(key, uint64(t.Lock()), t.Number())
	back := *h
	back[flitReturn] &^= uint64(bitLock)
	f.pass(next, martini.MakeTenure(t.Lock(), f.n.id, 0), &back, why)
}

package stepped

import "rhinet/nicemu/martini"

// rvaMissAlone is rvaMiss for a ring that firmware serves alone.
func (f *Firmware) rvaMissAlone() bool {
	if x := &f.n.rf; x.h.segment() == VPushSegment {
		return f.vpushAlone(x)
	}
	return f.rvaMiss()
}

// vpushAlone does the whole rest of a VPUSH in software: it reads the header from RFend,
// translates, has the payload written and waits for it, and writes the receive pointer (martini,
// section 13, E8). RFend is suspended meanwhile, and neither RBend nor Replier sees the packet.
func (f *Firmware) vpushAlone(x *frontRegisters) bool {
	n, r := f.n, f.n.ring
	if why := r.accept(x); why != 0 {
		f.reject(why)
		return true
	}
	f.Spend(RingBefore)
	f.Tick(busRead)
	at, ok := r.room(x.size)
	if !ok {
		return false
	}
	f.Tick(flits * busRead)
	f.Spend(Alone)
	p := *n.receive.head()
	for done := 0; done < x.size; {
		va := r.base + at%r.size + uint64(done)
		if !f.present(r.key, va, x.size-done, 0) {
			f.reject(martini.NotPinned)
			return true
		}
		var piece translation
		if !n.translate(&piece, r.key, va, x.size-done, 0) || !piece.frame.Hold() {
			continue // withdrawn: the page table is read again
		}
		t := transfer{master: pci, slave: buffers, kind: storePayload, frame: piece.frame, off: piece.off, size: piece.size, packet: p, at: done}
		t.joint.shift = uint(t.off % 8)
		f.dma(t)
		done += piece.size
	}
	r.next = at + uint64(x.size)
	f.advanceRing(&p.h)
	f.discard()
	return true
}

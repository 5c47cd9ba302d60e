package port

import (
	"rhinet/llc"
	"rhinet/llc/ir"
)

// Send sends buf and returns when it may be used again; with mode Synchronous,
// when the matching receive has started as well. dst is a peer. The error is
// that of the request's Status, or ErrClosed.
func (p *Port) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	p.lock()
	if len(buf) <= ir.Short {
		if l := p.eng.Lane(dst); l.Out != nil && mode == llc.Standard && l.Admits(tag, len(buf)) {
			slot := l.Step()
			w0, w1, w2 := llc.LineWords(key, tag, len(buf))
			if o := l.Out; !o.Line(slot, w0, w1, w2, buf) {
				p.place(l, slot, key, dst, tag, buf)
			} else if o.Asleep() {
				p.nic.Wake(dst)
			}
			p.gate.leave()
			return nil
		}
	}
	if p.express != nil && mode == llc.Standard && !p.is(drained) {
		if len(buf) > ir.Short {
			return p.sendLong(key, dst, tag, buf)
		}
		if l := p.eng.Lane(dst); l.Admits(tag, len(buf)) {
			p.place(l, l.Step(), key, dst, tag, buf)
			p.gate.leave()
			return nil
		}
	}
	return p.sendRest(key, dst, tag, mode, buf, 0)
}

// sendRest is the slow path for a message of which gone bytes have gone by the lane.
func (p *Port) sendRest(key llc.Key, dst, tag int, mode llc.Mode, buf []byte, gone int) error {
	if p.is(drained) {
		p.gate.leave()
		return ErrClosed
	}
	if p.is(sampled) && gone == 0 {
		return p.timedSend(key, dst, tag, mode, buf)
	}
	r := p.request()
	r.Peer, r.Context, r.Type, r.Tag, r.Mode, r.Buf = dst, key.Context(), key.Type(), tag, mode, buf
	return p.sends(r, gone)
}

// sends starts r, the send of a blocking call, of which gone bytes have gone by the lane, waits for it and
// leaves the port.
func (p *Port) sends(r *llc.Request, gone int) error {
	if gone > 0 {
		p.eng.SendRest(r, gone)
	} else if len(r.Buf) > p.packed {
		p.offer(r)
	} else {
		p.eng.Send(r)
	}
	p.post()
	if p.eng.Telling() { // it went to a receive of this peer
		p.announce()
	}
	if !r.Done() && !p.finish(r, "Send", nil) {
		p.gate.leave()
		return ErrClosed // r is lost: the engine may still hold it
	}
	err := r.Status.Err
	if p.seen != nil {
		p.sent(sendRow(r.Mode), message(llc.MakeKey(r.Context, r.Type), r.Peer, r.Tag, r.Bytes()))
	}
	p.keep(r)
	p.depart()
	return err
}

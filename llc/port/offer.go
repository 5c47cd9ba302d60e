package port

import "rhinet/llc"

// The lane of offers, driven: see llc/offer.go.

// offer starts a send of a message that is longer than p.packed, by the lane of offers if there is one.
func (p *Port) offer(r *llc.Request) {
	if p.lender != nil && r.Body == nil && p.eng.Offers(r.Peer, len(r.Buf)) {
		if s, err := p.lender.Lend(r.Buf); err == nil { // if not, the slow path reports why
			p.eng.Offer(r, s)
			return
		}
	}
	p.eng.Send(r)
}

// fetch reads the message offered by the packet that the lane looks at, if the receive of take gets it; if
// the NIC refuses to read, the slow path goes on. It returns the size of the message and its tag.
func (p *Port) fetch(key llc.Key, src, tag int, buf []byte) (size, its int, ok bool) {
	if p.remote == nil {
		return 0, 0, false
	}
	o, ok := p.eng.Offered(src, key, tag, &p.view, len(buf))
	if !ok {
		return 0, 0, false
	}
	begun := p.pace.Begin(o.Bytes, true)
	if p.remote.ReadMemory(src, o.Segment, 0, buf[:o.Bytes]) != nil {
		return 0, 0, false
	}
	p.express.Take()
	gone := p.eng.Fetched(src, &o, p.pace.Slow(begun, o.Bytes))
	p.post()
	p.told(gone)
	p.relieve()
	return o.Bytes, o.Tag, true
}

// told makes progress after a FIN that may not have gone: the ring seems full, and the sender would wait
// until the next call.
func (p *Port) told(gone bool) {
	if !gone {
		p.turn()
		p.handOver()
	}
}

// draw reads the message that the packet which the lane looks at offers to a posted receive, and reports
// whether it has taken the packet. It polls the other peers before it returns.
func (p *Port) draw(src int) bool {
	if p.remote == nil {
		return false
	}
	o, into, met := p.eng.Meet(&p.view)
	if !met {
		return false
	}
	p.express.Take()
	gone := true
	if into != nil {
		begun := p.pace.Begin(o.Bytes, true)
		if p.remote.ReadMemory(src, o.Segment, 0, into) == nil {
			gone = p.eng.Fetched(src, &o, p.pace.Slow(begun, o.Bytes))
		} else {
			p.eng.Unread(src, &o)
		}
	}
	p.post()
	p.told(gone)
	p.digest(p.express.PollOthers(src, &p.ev))
	return true
}

package port

import (
	"rhinet/internal/wait"
	"rhinet/llc"
)

// The ready lane of the engine, driven: blocking calls whose message is eager, and
// which nothing else concerns, pass neither a command nor an event and post no
// receive. See llc/lane.go.

// direct sends by the lane a message that is a line, and reports whether it went.
func (p *Port) direct(key llc.Key, dst, tag int, buf []byte) bool {
	if p.express == nil {
		return false
	}
	slot, ok := p.eng.Direct(dst, tag, len(buf))
	if ok {
		llc.EagerWords(&p.head, key, tag, len(buf))
		p.express.Place(dst, slot, 0, &p.head, buf)
	}
	return ok
}

// gather takes the messages of one packet that src has sent and that are there, up to some,
// and reports whether there was any. It is turn for what comes one after the other.
func (p *Port) gather(src int) (any bool) {
	if p.express == nil || src < 0 || p.is(polling) {
		return false
	}
	for range burst {
		if !p.express.Look(src, &p.view) || !p.eng.Deliver(&p.view) {
			break
		}
		p.express.Take()
		any = true
	}
	if any && p.open|p.waiters.conds != 0 {
		p.announce()
	}
	return any
}

// parts sends by the lane what can go of a message that is longer than a line, and
// returns how many bytes that is.
func (p *Port) parts(key llc.Key, dst, tag int, buf []byte) (gone int) {
	for gone < len(buf) {
		slot, pos, n, ok := p.eng.Part(dst, tag, gone, len(buf))
		if !ok {
			break
		}
		if gone == 0 {
			llc.EagerWords(&p.head, key, tag, len(buf))
		} else {
			llc.FragmentWords(&p.head, gone)
		}
		p.express.Place(dst, slot, pos, &p.head, buf[gone:gone+n])
		gone += n
	}
	return gone
}

// sendLong is Send of a message that is longer than a line.
func (p *Port) sendLong(key llc.Key, dst, tag int, buf []byte) error {
	gone := p.parts(key, dst, tag, buf)
	if gone == len(buf) {
		p.gate.leave()
		return nil
	}
	return p.sendRest(key, dst, tag, llc.Standard, buf, gone)
}

// ready reports whether a receive of src may go by the lane: nobody else polls, and
// nobody would be left waiting.
func (p *Port) ready(src int) bool {
	return p.shun == 0 && p.express != nil && src >= 0 && !p.is(polling|asleep|closed|drained) && p.waiters.first == nil
}

// relieve has another poll, if one waits, when a receive leaves the lane.
func (p *Port) relieve() {
	if p.waiters.first != nil {
		p.passOn()
	}
}

// next takes those of the packets after the first got bytes of a message that are there
// or come soon, and returns how many bytes there are now.
func (p *Port) next(src int, buf []byte, got int) int {
	for looks := 0; looks < glances && got < len(buf); looks++ {
		if !p.express.Look(src, &p.view) {
			continue
		}
		n := p.eng.Next(src, &p.view, buf, got)
		if n == 0 {
			break
		}
		p.express.Take()
		got, looks = got+n, 0
	}
	return got
}

// recvRest waits for the rest of a message of size bytes with the tag its, of which got
// have come by the lane.
func (p *Port) recvRest(key llc.Key, src, tag int, buf []byte, size, its, got int) (st llc.Status, err error) {
	r := p.request()
	r.Peer, r.Context, r.Type, r.Tag, r.Buf = src, key.Context(), key.Type(), tag, buf
	p.eng.AcceptRest(r, size, its, got)
	p.relieve()
	return p.recv(key, src, tag, buf, r)
}

// expect waits for the next packet of src as long as finish would before it sleeps, and
// reports whether it is there, and stays for a receive with key. What arrives elsewhere
// is taken meanwhile, what arrives from src stays where it is.
func (p *Port) expect(key llc.Key, src int) bool {
	if p.lull.now == 0 && p.lull.waits == lullWaits-1 && p.express.Look(src, &p.view) {
		p.lull.adapt(0)
		return false // others must not wait for a stream to end
	}
	if !p.eng.Vacant(key.Context(), src) {
		p.shun = shunned
		return false
	}
	p.nic.Hint(src)
	p.set(polling)
	if wait.Lull(p.lull.now); p.lull.now > 0 {
		p.lull.apart = p.aimer.Expect()
	}
	b := p.policy.Begin()
	looks := 0
	for !p.express.Look(src, &p.view) {
		looks++
		if p.digest(p.express.PollOthers(src, &p.ev)) && p.news() {
			b.Reset()
		}
		if p.gate.wanted.Load() != 0 || p.is(woke) {
			p.cede()
		}
		if b.Pause() || p.is(closed) || !p.eng.Vacant(key.Context(), src) {
			p.clear(polling)
			return false
		}
		p.glance()
	}
	p.clear(polling)
	if p.aimer != nil {
		p.lull.adapt(looks)
	}
	p.handOver()
	return true
}

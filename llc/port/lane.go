package port

import (
	"math"
	"time"

	"rhinet/internal/observe"
	"rhinet/internal/ring"
	"rhinet/internal/vec"
	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
)

// The ready lane of the engine, driven: blocking calls with a plain eager message pass neither a command nor
// an event and post no receive. See llc/lane.go.

// direct sends a message of one line by the lane, and reports whether it went.
func (p *Port) direct(key llc.Key, dst, tag int, buf []byte) bool {
	if p.express == nil {
		return false
	}
	l := p.eng.Lane(dst)
	ok := l.Admits(tag, len(buf))
	if ok {
		p.put(l, key, dst, tag, buf)
	}
	return ok
}

// put places a message that the lane admits.
func (p *Port) put(l *llc.Lane, key llc.Key, dst, tag int, buf []byte) {
	slot := l.Step()
	if o := l.Out; o != nil {
		w0, w1, w2 := llc.LineWords(key, tag, len(buf))
		if o.Line(slot, w0, w1, w2, buf) {
			if o.Asleep() {
				p.nic.Wake(dst)
			}
			return
		}
	}
	p.place(l, slot, key, dst, tag, buf)
}

// place is put through the translator.
//
//go:noinline
func (p *Port) place(l *llc.Lane, slot uint64, key llc.Key, dst, tag int, buf []byte) {
	llc.EagerWords(&p.head, key, tag, len(buf))
	p.express.Place(dst, slot, 0, &p.head, buf)
	if p.lanes != nil {
		l.Out = p.outlet(dst)
	}
}

// outlet returns the ring by which lines to dst bypass the translator from now on; nil: they do not.
func (p *Port) outlet(dst int) *ring.Outlet {
	if !p.asks() {
		return nil
	}
	return p.lanes.Outlet(dst)
}

// asks reports whether to ask the translator for a ring, after a message that has gone or come by the lane
// but through a translator that has lanes. Most often there is one soon, or never.
func (p *Port) asks() bool {
	p.asked++
	return p.asked%asksOf == 0
}

// withdrawLanes has all messages go through the translator from now on.
func (p *Port) withdrawLanes() {
	p.lanes = nil
	for i := range p.nic.Peers() {
		l := p.eng.Lane(i)
		l.Out, l.In = nil, nil
	}
}

// gather takes the messages of one packet, and the offers, that src has sent and that are there, up to burst,
// and reports whether there was any. It is turn for messages that come one after the other.
func (p *Port) gather(src int) (any bool) {
	if p.express == nil || src < 0 || p.is(polling) {
		return false
	}
	there := p.express.Look(src, &p.view)
	for n := 0; there && n < burst; n++ {
		switch {
		case p.eng.Deliver(&p.view):
			there = p.express.Advance(&p.view)
		case p.draw(src):
			there = p.express.Look(src, &p.view)
		default:
			there = false
			continue
		}
		any = true
	}
	if any && (p.eng.Telling() || p.waiters.conds != 0) {
		if p.announce(); p.is(due) {
			p.carryOn()
		}
	}
	return any
}

// parts sends by the lane as much as can go of a message that is longer than a line, in packets of at most
// most bytes, and returns how many bytes have gone.
func (p *Port) parts(key llc.Key, dst, tag int, buf []byte, most int) (gone int) {
	if p.express == nil || len(buf) > p.packed && !p.packs(dst, tag, len(buf)) {
		return 0
	}
	for gone < len(buf) {
		slot, pos, n, ok := p.eng.Part(dst, tag, gone, len(buf), most)
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

// TrySend is Send of an eager message, if all of it can go at once. If it reports false, nothing has changed.
func (p *Port) TrySend(key llc.Key, dst, tag int, buf []byte) bool {
	p.lock()
	ok := !p.is(drained) && (p.direct(key, dst, tag, buf) || len(buf) > ir.Short && p.whole(key, dst, tag, buf))
	p.gate.leave()
	return ok
}

// whole is parts for a message of which all goes or nothing, and reports whether it went.
func (p *Port) whole(key llc.Key, dst, tag int, buf []byte) bool {
	return p.express != nil && p.fits(dst, tag, len(buf)) && p.parts(key, dst, tag, buf, pipelined) > 0
}

// fits reports whether all packets of a message of n bytes can go at once.
func (p *Port) fits(dst, tag, n int) bool {
	return p.eng.Whole(dst, tag, n, pipelined) || p.refresh(dst, tag, n) && p.eng.Whole(dst, tag, n, pipelined)
}

// packs reports whether a contiguous message of n bytes to dst with tag, more than packed, goes in packets now.
func (p *Port) packs(dst, tag, n int) bool { return p.eng.Packs(dst, n) || p.deposits(dst, tag, n) }

// deposits reports whether a message goes in packets though its sender may not have just written it, where peers
// share processors: then the sender goes on at once, and neither side needs another turn. It does not if the ring
// would soon be full, or if the sender has transfers to wait for in any case: then one copy is better than two. On 8
// ranks and 2 processors 64 KiB take 74 us in a Sendrecv if they are read and 37 us in packets, in a Gather 54 and 9.
func (p *Port) deposits(dst, tag, n int) bool {
	return n <= p.deposited && !p.under() && (p.eng.Roomy(dst, n) || p.refresh(dst, tag, n) && p.eng.Roomy(dst, n))
}

// refresh reads how far dst has consumed its ring, if nothing but lack of room can hold up a message of n bytes with
// tag, and reports whether there is more room than was known.
func (p *Port) refresh(dst, tag, n int) bool {
	if !p.eng.Free(dst, tag, n) {
		return false
	}
	slot, pos, ok := p.express.Consumed(dst)
	return ok && p.eng.Refresh(dst, slot, pos)
}

// sendLong is Send for a message that is longer than a line.
func (p *Port) sendLong(key llc.Key, dst, tag int, buf []byte) error {
	gone := p.parts(key, dst, tag, buf, pipelined)
	if gone == len(buf) {
		if p.seen != nil {
			p.sent(observe.Send, message(key, dst, tag, gone))
		}
		p.gate.leave()
		return nil
	}
	return p.sendRest(key, dst, tag, llc.Standard, buf, gone)
}

// ready reports whether a receive of src may go by the lane: no other goroutine polls, and none would be left
// waiting.
func (p *Port) ready(src int) bool {
	return p.shun == 0 && p.express != nil && src >= 0 && !p.is(polling|asleep|closed|drained|sampled|due) && p.waiters.first == nil
}

// relieve passes the polling to another goroutine, if one waits, when a receive leaves the lane.
func (p *Port) relieve() {
	if p.waiters.first != nil {
		p.passOn()
	}
}

// next takes those packets after the first got of size bytes of a message that are there or come soon, into
// body or, if that is nil, into buf, and returns how many bytes there are now.
func (p *Port) next(src int, buf []byte, body llc.Body, got, size int) int {
	if p.packets = (packets{bytes: size - got}); body == nil {
		p.packets.begun = p.pace.BeginPackets(p.packets.bytes)
	}
	for looks := 0; looks < glances && got < size; looks++ {
		if !p.express.Look(src, &p.view) {
			continue
		}
		n := p.eng.Next(src, &p.view, got, size)
		if n == 0 {
			break
		}
		if body == nil {
			vec.Copy(buf[got:], p.view.Data)
		} else {
			body.Scatter(p.view.Data, got)
		}
		p.express.Take()
		got, looks = got+n, 0
	}
	if got == size {
		p.endPackets()
	}
	return got
}

// packets is what is known of the packets of a message, after its first one, that are timed.
type packets struct {
	begun time.Duration // 0: they are not timed
	bytes int
}

// endPackets notes that these packets have come.
func (p *Port) endPackets() {
	p.pace.EndPackets(p.packets.begun, p.packets.bytes)
	p.packets.begun = 0
}

// take enters the port and receives a message of src by the lane. It returns the size of the message, its
// tag, and how many of its bytes have come. If that is all of them the caller leaves the port, otherwise
// recvRest goes on; got is none if the message does not go by the lane. now says that take looks for the
// message at once: a receive that follows a send, as in a Sendrecv, would look too early, and take the line
// from the sender that is about to write it.
func (p *Port) take(key llc.Key, src, tag int, buf []byte, now bool) (size, its, got int) {
	p.lock()
	if !p.ready(src) {
		return 0, 0, none
	}
	l := p.eng.Lane(src)
	look := now && p.pollDelay.calm()
	if in := l.In; in != nil && look {
		w0, there := in.Lead()
		if look = there; there {
			w1, w2 := in.Rest()
			if n, ok := l.Whole(key, tag, w0, w1, w2, in.From(), len(buf)); ok && p.eng.Unmet(l, key) {
				if n <= ir.Short {
					vec.Fill(buf, in.Data(n))
					in.Take(n, w0+w1+w2)
				} else if !in.Move(buf, n, w0) {
					return p.seek(l, key, src, tag, buf, look)
				}
				l.Came()
				p.pollDelay.instant++
				p.pollDelay.waits++
				return n, tag, n
			}
		}
	}
	return p.seek(l, key, src, tag, buf, look)
}

// seek is take for a message that is not there at once, or is not one packet that the inlet of l shows.
//
//go:noinline
func (p *Port) seek(l *llc.Lane, key llc.Key, src, tag int, buf []byte, look bool) (size, its, got int) {
	if waited := !look || !p.express.Look(src, &p.view); waited {
		in := l.In
		p.eng.Attend(len(buf))
		if !p.expect(key, in, src) {
			return 0, 0, none
		}
		if in != nil { // nothing waits before what expect has found
			w0, _ := in.Lead()
			w1, w2 := in.Rest()
			if n, ok := l.Whole(key, tag, w0, w1, w2, in.From(), len(buf)); ok && in.Move(buf, n, w0) {
				l.Came()
				p.relieve()
				return n, tag, n
			}
			if !p.express.Look(src, &p.view) {
				p.relieve()
				return 0, 0, none // recvRest finds out what is wrong with it
			}
		}
	} else {
		p.pollDelay.instant++
		p.pollDelay.waits++
	}
	return p.accept(key, src, tag, buf, nil)
}

// accept is the rest of take for a message that begins in p.view: into body or, if that is nil, into buf.
func (p *Port) accept(key llc.Key, src, tag int, buf []byte, body llc.Body) (size, its, got int) {
	room := len(buf)
	if body != nil {
		room = body.Size()
	}
	size, its, ok := p.eng.Accept(src, key, tag, &p.view, room)
	if !ok {
		if body == nil {
			if size, its, ok = p.fetch(key, src, tag, buf); ok {
				return size, its, size
			}
		}
		p.shun = shunned
		p.relieve()
		return 0, 0, none
	}
	got = len(p.view.Data)
	if body == nil {
		vec.Fill(buf, p.view.Data)
	} else {
		body.Scatter(p.view.Data, 0)
	}
	p.express.Take()
	if l := p.eng.Lane(src); l.In == nil && p.lanes != nil && p.asks() {
		l.In = p.lanes.Inlet(src)
	}
	if got < size {
		if got = p.next(src, buf, body, got, size); got < size {
			return size, its, got
		}
	}
	p.relieve()
	return size, its, got
}

// none is the got of take for a message that does not go by the lane.
const none = -1

// recvRest goes on with a message of size bytes with the tag its, of which take has got some bytes, or none.
func (p *Port) recvRest(call string, key llc.Key, src, tag int, buf []byte, size, its, got int) (st llc.Status, err error) {
	if got == none {
		return p.recv(call, key, src, tag, buf, nil)
	}
	r := p.request()
	r.Peer, r.Context, r.Type, r.Tag, r.Buf = src, key.Context(), key.Type(), tag, buf
	r.Label = call
	p.eng.AcceptRest(r, size, its, got)
	p.relieve()
	return p.recv(call, key, src, tag, buf, r)
}

// expect waits for the next packet of src as long as finish would before it sleeps, and reports whether it is
// there and left for a receive with key: in in, the inlet of src, or in p.view if that is nil. What arrives
// from other peers is taken meanwhile, but not in the first looks of a rank that shares its processor; what
// arrives from src stays where it is.
func (p *Port) expect(key llc.Key, in *ring.Inlet, src int) bool {
	if p.meter == nil {
		return p.lookOut(key, in, src)
	}
	begun := p.beginWait()
	there := p.lookOut(key, in, src)
	p.endWait(begun, "Recv")
	return there
}

// shows reports whether the next packet of src is there, in in or in p.view: see expect.
func (p *Port) shows(in *ring.Inlet, src int) bool {
	if in != nil {
		return in.There()
	}
	return p.express.Look(src, &p.view)
}

// lookOut is expect, not measured.
func (p *Port) lookOut(key llc.Key, in *ring.Inlet, src int) bool {
	if p.pollDelay.now == 0 && p.pollDelay.waits == delayWaits-1 && p.shows(in, src) {
		p.pollDelay.adapt(0)
		return false // other peers must not wait for a stream to end
	}
	if p.router != nil && p.router.NIC(src) != 0 {
		return false // nothing from src comes by the lane
	}
	if !p.eng.Vacant(key.Context(), src) {
		p.shun = shunned
		return false
	}
	p.nic.Hint(src)
	p.set(polling)
	if wait.PollDelay(p.pollDelay.now); p.pollDelay.now > 0 {
		p.pollDelay.apart = p.aimer.Expect(math.MaxInt)
	}
	b := p.policy.Begin()
	looks, since, early := 0, int64(0), p.aimer != nil
	for !p.shows(in, src) {
		if looks++; looks == p.patience {
			since = p.meter.Sleep()
		}
		if early && looks >= earlyLooks {
			early = p.aimer.Expect(earlyBytes)
		}
		if looks > p.lone && p.digest(p.express.PollOthers(src, &p.ev)) && p.news() {
			b.Reset()
		}
		if p.gate.wanted.Load() != 0 || p.is(woke) {
			p.cede()
		}
		if p.is(closed|due) || b.Pause() || !p.eng.Vacant(key.Context(), src) {
			p.meter.Woke(since)
			p.clear(polling)
			return false
		}
		p.glance()
	}
	p.meter.Woke(since)
	p.clear(polling)
	if p.aimer != nil {
		p.pollDelay.adapt(looks)
	}
	p.handOver()
	return true
}

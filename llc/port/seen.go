package port

import (
	"rhinet/internal/observe"
	"rhinet/llc"
	"rhinet/llc/ir"
)

// A Counting is a port whose calls are counted for an observer of its rank: Send, Recv, Isend, Irecv and
// WaitAll, which are the calls of most messages. It counts while the port is locked, after a message has
// gone, so that no peer waits for it, and without reading the clock. Now and then a call is timed: the port
// is marked as sampled, so the next call leaves the fast path, and is made again within one that measures it.
//
// Its methods are those of Port, whose own fast paths know nothing of the counting.
type Counting struct{ *Port }

// Counting returns the port as one whose calls are counted, or nil if there is no observer. In virtual time
// every call is timed, so the port leaves that to its user.
func (p *Port) Counting() *Counting {
	if p.seen == nil {
		return nil
	}
	return &Counting{p}
}

// observed has the observer to record what this port does.
func (p *Port) observed(to *observe.Rank) {
	p.meter = &to.Meter
	if p.clock == nil {
		to.Guard(&p.gate)
		p.seen = to
		p.set(sampled)
	}
}

// Send is that of Port.
func (c *Counting) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	p := c.Port
	p.lock()
	if p.express != nil && mode == llc.Standard && !p.is(drained|sampled) {
		l := p.eng.Lane(dst)
		if l.Admits(tag, len(buf)) {
			p.put(l, key, dst, tag, buf)
			if !p.seen.Near(observe.Send, key.Context(), dst, len(buf)) {
				p.seen.Count(observe.Send, key.Context(), dst, len(buf))
			}
			if p.seen.Due(p.calls) {
				p.settled(observe.Send, observe.Sends, message(key, dst, tag, len(buf)))
			}
			p.gate.leave()
			return nil
		}
		if len(buf) > ir.Short {
			return p.sendLong(key, dst, tag, buf)
		}
	}
	return p.sendRest(key, dst, tag, mode, buf, 0)
}

// Recv is that of Port.
func (c *Counting) Recv(key llc.Key, src, tag int, buf []byte) (st llc.Status, err error) {
	p := c.Port
	size, its, got := p.take(key, src, tag, buf, true)
	if got < size {
		return p.recvRest("", key, src, tag, buf, size, its, got)
	}
	if !p.seen.Near(observe.Recv, key.Context(), src, size) {
		p.seen.Count(observe.Recv, key.Context(), src, size)
	}
	if p.seen.Due(p.calls) {
		p.settled(observe.Recv, observe.Receives, message(key, src, its, size))
	}
	p.gate.leave()
	st.Source, st.Tag, st.Bytes = src, its, int64(size)
	return st, nil
}

// RecvFor is that of Port.
func (c *Counting) RecvFor(call string, key llc.Key, src, tag int, buf []byte) (st llc.Status, err error) {
	p := c.Port
	size, its, got := p.take(key, src, tag, buf, false)
	if got < size {
		return p.recvRest(call, key, src, tag, buf, size, its, got)
	}
	p.arrived(message(key, src, its, size), nil)
	p.gate.leave()
	st.Source, st.Tag, st.Bytes = src, its, int64(size)
	return st, nil
}

// Isend is that of Port.
func (c *Counting) Isend(s *Spares, key llc.Key, dst, tag int, buf []byte) (r *llc.Request, gone bool) {
	p := c.Port
	p.lock()
	if p.is(drained | sampled) {
		return c.otherIsend(s, key, dst, tag, buf)
	}
	if p.express != nil {
		if r = s.take(); r != nil {
			r.Buf, r.Seen = buf, llc.SeenSend
			l := p.eng.Lane(dst)
			if l.Admits(tag, len(buf)) {
				p.put(l, key, dst, tag, buf)
				p.eng.Went(r)
				gone = true
			} else {
				r.Peer, r.Context, r.Type, r.Tag, r.Mode = dst, key.Context(), key.Type(), tag, llc.Standard
				gone = p.isendLong(key, r)
			}
			if !p.seen.Near(observe.Isend, key.Context(), dst, len(buf)) {
				p.seen.Count(observe.Isend, key.Context(), dst, len(buf))
			}
			if p.seen.Due(p.calls) {
				p.settled(observe.Isend, observe.Sends, message(key, dst, tag, len(buf)))
			}
		}
	}
	p.gate.leave()
	return r, gone
}

// Irecv is that of Port.
func (c *Counting) Irecv(s *Spares, key llc.Key, src, tag int, buf []byte) (r *llc.Request) {
	p := c.Port
	p.lock()
	if p.is(drained | sampled) {
		return c.otherIrecv(s, key, src, tag, buf)
	}
	if p.express != nil {
		if r = s.take(); r != nil {
			r.Peer, r.Context, r.Type, r.Tag, r.Buf = src, key.Context(), key.Type(), tag, buf
			r.Notify, r.Seen = true, llc.SeenRecv
			p.begun++
			p.eng.Recv(r)
			p.eng.Invite(r)
			if r.Done() || p.eng.Wants() || p.helper.away || p.is(asleep) {
				p.began(r)
			}
			if p.seen.Called(observe.Irecv, 0); p.seen.Due(p.calls) {
				p.settled(observe.Irecv, 0, message(key, src, tag, 0))
			}
		}
	}
	p.gate.leave()
	return r
}

// WaitAll is that of Port. One of a few calls is timed, for most of the waits of a program may be here.
func (c *Counting) WaitAll(first *llc.Request) {
	p := c.Port
	p.lock()
	defer p.gate.leave()
	if p.seen == nil {
		p.waitEach(first)
		return
	}
	m := p.seen.Pick()
	p.waitEach(first)
	if p.seen == nil {
		return
	}
	p.seen.Picked(m, observe.WaitAll)
	all, id, traced := observe.Message{Peer: llc.AnyPeer}, observe.CommID(0), p.seen.Traced()
	at := p.seen.Now()
	for r := first; r != nil; r = r.Link {
		if r.Seen == llc.SeenRecv && r.Status.Err == nil {
			bytes := int(r.Status.Bytes)
			if !p.seen.Near(observe.Irecv, r.Context, r.Status.Source, bytes) {
				p.seen.Count(observe.Irecv, r.Context, r.Status.Source, bytes)
			}
			if traced {
				p.seen.Arrived(observe.Message{Context: r.Context, Peer: r.Status.Source, Tag: r.Status.Tag, Bytes: bytes}, at)
			}
			all.Bytes += bytes
			id = p.seen.CommOf(r.Context)
		}
		r.Seen = llc.Unseen
	}
	if p.seen.Called(observe.WaitAll, all.Bytes); p.seen.Due(p.calls) {
		p.seen.Slept(observe.WaitAll, id)
		p.settled(observe.WaitAll, 0, all)
	}
}

// sendRow is the row of a blocking send.
func sendRow(mode llc.Mode) observe.Row {
	if mode == llc.Synchronous {
		return observe.Ssend
	}
	return observe.Send
}

// message describes a message for the observer.
func message(key llc.Key, peer, tag, bytes int) observe.Message {
	return observe.Message{Context: key.Context(), Peer: peer, Tag: tag, Bytes: bytes}
}

// received counts a call that has received a message by the slow path, or a part of the call named call.
func (p *Port) received(call string, m observe.Message, err error) {
	flags := observe.Receives
	switch {
	case call != "":
		p.arrived(m, err)
		return
	case err != nil:
		flags, m.Tag, m.Bytes = 0, 0, 0
		p.seen.Called(observe.Recv, 0)
	default:
		p.seen.Count(observe.Recv, m.Context, m.Peer, m.Bytes)
	}
	if p.seen.Due(p.calls) {
		p.settled(observe.Recv, flags, m)
	}
}

// arrived counts what a part of a call has received. The counting of the call itself covers its waits.
func (p *Port) arrived(m observe.Message, err error) {
	p.seen.Forget()
	if err == nil {
		p.seen.Count(observe.Irecv, m.Context, m.Peer, m.Bytes)
		p.seen.Arrived(m, p.seen.Now())
	}
	if p.seen.Next(p.calls) { // if this one was to be timed
		p.set(sampled)
	}
}

// sent counts a call that has sent a message by the slow path.
func (p *Port) sent(call observe.Row, m observe.Message) {
	if p.seen.Count(call, m.Context, m.Peer, m.Bytes); p.seen.Due(p.calls) {
		p.settled(call, observe.Sends, m)
	}
}

// settled ends the counting of a call of which there is more to record, or after which a call is timed.
func (p *Port) settled(call observe.Row, flags observe.Flags, m observe.Message) {
	if p.seen.Settle(call, flags, m, p.calls) {
		p.set(sampled)
	}
}

// A measured is a wait of an observed port.
type measured struct {
	observe.Wait
	asleep int64
}

// beginWait begins a wait.
func (p *Port) beginWait() measured { return measured{p.meter.Begin(), p.meter.Asleep()} }

// endWait ends a wait. The time it has slept belongs to the call of this port, if the port counts that call.
func (p *Port) endWait(w measured, call string) {
	span := p.meter.End(w.Wait)
	if p.seen != nil && call != "Wait" {
		p.seen.Waited(span, p.meter.Asleep()-w.asleep)
	}
}

// timed repeats, timed, a call that has found the port sampled; again makes the call and reports whether it
// was made.
func (p *Port) timed(call observe.Row, again func() bool) {
	p.clear(sampled)
	m := p.seen.Sample()
	p.gate.leave()
	made := again()
	p.gate.enter()
	if p.seen != nil && p.seen.Sampled(m, call, p.calls, made) {
		p.set(sampled)
	}
	p.gate.leave()
}

func (p *Port) timedSend(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) (err error) {
	p.timed(sendRow(mode), func() bool {
		err = (&Counting{p}).Send(key, dst, tag, mode, buf)
		return true
	})
	return err
}

// otherIsend is Isend of a port that is closed, or whose next call is timed.
func (c *Counting) otherIsend(s *Spares, key llc.Key, dst, tag int, buf []byte) (r *llc.Request, gone bool) {
	if c.is(drained) {
		c.gate.leave()
		return nil, false
	}
	c.timed(observe.Isend, func() bool {
		r, gone = c.Isend(s, key, dst, tag, buf)
		return r != nil
	})
	return r, gone
}

// otherIrecv is Irecv of a port that is closed, or whose next call is timed.
func (c *Counting) otherIrecv(s *Spares, key llc.Key, src, tag int, buf []byte) (r *llc.Request) {
	if c.is(drained) {
		c.gate.leave()
		return nil
	}
	c.timed(observe.Irecv, func() bool {
		r = c.Irecv(s, key, src, tag, buf)
		return r != nil
	})
	return r
}

// timedRecv also serves a part of a call, which is not timed: the call is.
func (p *Port) timedRecv(call string, key llc.Key, src, tag int, buf []byte) (st llc.Status, err error) {
	if call != "" {
		p.clear(sampled)
		p.gate.leave()
		return (&Counting{p}).RecvFor(call, key, src, tag, buf)
	}
	p.timed(observe.Recv, func() bool {
		st, err = (&Counting{p}).Recv(key, src, tag, buf)
		return true
	})
	return st, err
}

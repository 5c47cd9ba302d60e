package port

import (
	"rhinet/internal/observe"
	"rhinet/llc"
	"rhinet/llc/ir"
)

// A Counting is a port whose calls are counted for whoever observes its rank: Send, Recv, Isend, Irecv and WaitAll,
// which are the calls of most messages. It counts while the port is locked, after a message has gone, so that nobody waits for it, and
// without a look at the clock. Now and then a call is timed: the port is marked as sampled, and so the next
// call leaves the short way, and is made again within one that measures it.
//
// Its methods are those of Port, which knows nothing of this on its own short ways.
type Counting struct{ *Port }

// Counting returns the port as one whose calls are counted, or nil if nobody wants that. In virtual time every call
// is timed, and so the port leaves it to its user.
func (p *Port) Counting() *Counting {
	if p.seen == nil {
		return nil
	}
	return &Counting{p}
}

// observed has to take what this port does.
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
	if mode == llc.Standard && !p.is(drained|sampled) {
		if p.direct(key, dst, tag, buf) {
			if p.seen.Sent(observe.Send, p.calls, message(key, dst, tag, len(buf))) {
				p.settled(observe.Send, p.seen.CommTo(dst, key.Context()))
			}
			p.gate.leave()
			return nil
		}
		if len(buf) > ir.Inline {
			return p.sendLong(key, dst, tag, buf)
		}
	}
	return p.sendRest(key, dst, tag, mode, buf, 0)
}

// Recv is that of Port.
func (c *Counting) Recv(key llc.Key, src, tag int, buf []byte) (st llc.Status, err error) {
	p := c.Port
	size, its, got := p.take(key, src, tag, buf)
	if got < size {
		return p.recvRest("", key, src, tag, buf, size, its, got)
	}
	if p.seen.Received(observe.Recv, p.calls, message(key, src, its, size)) {
		p.settled(observe.Recv, p.seen.CommOf(key.Context()))
	}
	p.gate.leave()
	st.Source, st.Tag, st.Bytes = src, its, int64(size)
	return st, nil
}

// RecvFor is that of Port.
func (c *Counting) RecvFor(call string, key llc.Key, src, tag int, buf []byte) (st llc.Status, err error) {
	p := c.Port
	size, its, got := p.take(key, src, tag, buf)
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
	if p.is(sampled) && !p.is(drained) {
		return c.timedIsend(s, key, dst, tag, buf)
	}
	if p.express != nil && !p.is(drained) {
		if r = s.take(); r != nil {
			r.Peer, r.Context, r.Type, r.Tag, r.Mode, r.Buf = dst, key.Context(), key.Type(), tag, llc.Standard, buf
			if gone = p.direct(key, dst, tag, buf); gone {
				p.eng.Went(r)
			} else {
				gone = p.isendLong(key, r)
			}
			p.isent(r, message(key, dst, tag, len(buf)))
		}
	}
	p.gate.leave()
	return r, gone
}

// Irecv is that of Port.
func (c *Counting) Irecv(s *Spares, key llc.Key, src, tag int, buf []byte) (r *llc.Request) {
	p := c.Port
	p.lock()
	if p.is(sampled) && !p.is(drained) {
		return c.timedIrecv(s, key, src, tag, buf)
	}
	if p.express != nil && !p.is(drained) {
		if r = s.take(); r != nil {
			r.Peer, r.Context, r.Type, r.Tag, r.Buf = src, key.Context(), key.Type(), tag, buf
			p.irecv(r)
			p.ireceived(r, message(key, src, tag, 0))
		}
	}
	p.gate.leave()
	return r
}

// WaitAll is that of Port. One of a few is timed, for most of the waits of a program may be here.
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
	at, id := p.seen.Now(), observe.CommID(0)
	all := observe.Message{Peer: llc.AnyPeer}
	for r := first; r != nil; r = r.Link {
		if r.Seen == llc.SeenRecv && r.Status.Err == nil {
			one := observe.Message{Context: r.Context, Peer: r.Status.Source, Tag: r.Status.Tag, Bytes: int(r.Status.Bytes)}
			p.seen.Arrived(one, at)
			all.Bytes += one.Bytes
			id = p.seen.CommOf(r.Context)
		}
		r.Seen = llc.Unseen
	}
	if p.seen.Called(observe.WaitAll, p.calls, all) {
		p.settled(observe.WaitAll, id)
	}
}

// sendRow is the row of a blocking send.
func sendRow(mode llc.Mode) observe.Row {
	if mode == llc.Synchronous {
		return observe.Ssend
	}
	return observe.Send
}

// message is what is counted of one.
func message(key llc.Key, peer, tag, bytes int) observe.Message {
	return observe.Message{Context: key.Context(), Peer: peer, Tag: tag, Bytes: bytes}
}

// received counts a call that has received a message the long way, or a part of what is called call.
func (p *Port) received(call string, m observe.Message, err error) {
	due := false
	switch {
	case call != "":
		p.arrived(m, err)
	case err != nil:
		due = p.seen.Called(observe.Recv, p.calls, observe.Message{Context: m.Context, Peer: m.Peer})
	default:
		due = p.seen.Received(observe.Recv, p.calls, m)
	}
	if due {
		p.settled(observe.Recv, p.seen.CommOf(m.Context))
	}
}

// arrived counts what a part of a call has received. What it has waited is seen by who counts the call.
func (p *Port) arrived(m observe.Message, err error) {
	p.seen.Forget()
	if err == nil {
		p.seen.Arrived(m, p.seen.Now())
	}
	p.settled(observe.Recv, 0) // the next call is timed if this one was to be
}

// isent counts a call that has begun to send, and ireceived one that has begun to receive.
func (p *Port) isent(r *llc.Request, m observe.Message) {
	if r.Seen = llc.SeenSend; p.seen.Sent(observe.Isend, p.calls, m) {
		p.settled(observe.Isend, p.seen.CommTo(m.Peer, m.Context))
	}
}

func (p *Port) ireceived(r *llc.Request, m observe.Message) {
	if r.Seen = llc.SeenRecv; p.seen.Called(observe.Irecv, p.calls, m) {
		p.settled(observe.Irecv, p.seen.CommOf(m.Context))
	}
}

// sent counts a call that has sent a message.
func (p *Port) sent(call observe.Row, m observe.Message) {
	if p.seen.Sent(call, p.calls, m) {
		p.settled(call, p.seen.CommTo(m.Peer, m.Context))
	}
}

// settled ends the counting of a call of which there is more to say, or after which one is timed.
func (p *Port) settled(call observe.Row, id observe.CommID) {
	if p.seen.Settle(call, p.calls, id) {
		p.set(sampled)
	}
}

// A measured is a wait of a port that somebody observes.
type measured struct {
	observe.Wait
	asleep int64
}

// beginWait begins a wait.
func (p *Port) beginWait() measured { return measured{p.meter.Begin(), p.meter.Asleep()} }

// endWait ends it. What it has slept is for the call of this port, if it counts that.
func (p *Port) endWait(w measured, call string) {
	span := p.meter.End(w.Wait)
	if p.seen != nil && call != "Wait" {
		p.seen.Waited(span, p.meter.Asleep()-w.asleep)
	}
}

// timed makes a call again that is to be timed; again reports whether it was made.
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

func (c *Counting) timedIsend(s *Spares, key llc.Key, dst, tag int, buf []byte) (r *llc.Request, gone bool) {
	c.timed(observe.Isend, func() bool {
		r, gone = c.Isend(s, key, dst, tag, buf)
		return r != nil
	})
	return r, gone
}

func (c *Counting) timedIrecv(s *Spares, key llc.Key, src, tag int, buf []byte) (r *llc.Request) {
	c.timed(observe.Irecv, func() bool {
		r = c.Irecv(s, key, src, tag, buf)
		return r != nil
	})
	return r
}

// timedRecv is for a part of a call, too, which is not timed: the call is.
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

package port

import (
	"rhinet/internal/observe"
	"rhinet/llc"
)

// Messages in pieces by the lane of the engine (lane.go): packed into one packet after the other, and unpacked
// from where the packets lie.

// SendPieces is Send of a message that does not lie in one piece, in Standard mode.
func (p *Port) SendPieces(key llc.Key, dst, tag int, b llc.Body) (err error) {
	p.lock()
	switch {
	case p.is(drained):
		p.gate.leave()
		return ErrClosed
	case p.is(sampled):
		p.timed(observe.Send, func() bool {
			err = p.SendPieces(key, dst, tag, b)
			return true
		})
		return err
	}
	r := p.request()
	r.Peer, r.Context, r.Type, r.Tag, r.Mode, r.Body, r.Attended = dst, key.Context(), key.Type(), tag, llc.Scattered, b, true
	if gone := p.pieces(r); gone == 0 || gone < b.Size() {
		return p.sends(r, gone)
	}
	if p.keep(r); p.seen != nil {
		p.sent(observe.Send, message(key, dst, tag, b.Size()))
	}
	p.gate.leave()
	return nil
}

// pieces is parts for a message in pieces.
func (p *Port) pieces(r *llc.Request) (gone int) {
	if p.express == nil {
		return 0
	}
	size := r.Body.Size()
	most := size
	if r.Attended {
		most = pipelined
	}
	for gone < size {
		slot, pos, n, ok := p.eng.Part(r.Peer, r.Tag, gone, size, most)
		if !ok {
			break
		}
		if gone == 0 {
			llc.EagerWords(&p.head, llc.MakeKey(r.Context, r.Type), r.Tag, size)
		} else {
			llc.FragmentWords(&p.head, gone)
		}
		p.express.Place(r.Peer, slot, pos, &p.head, p.run(r.Body, gone, n))
		gone += n
	}
	return gone
}

// run returns n bytes of b from number off on: where they lie, if they are many and in one block, otherwise packed
// in memory that is used again by the next call. A NIC that gathers them itself is no faster: it would gather into
// lines that the receiver's core has.
func (p *Port) run(b llc.Body, off, n int) []byte {
	if n >= longRun {
		if mem, in := b.Blocks(); off%max(in.Block, 1)+n <= in.Block {
			return mem[in.Place(off):][:n]
		}
	}
	if len(p.piece) < n {
		p.piece = make([]byte, n)
	}
	b.Gather(p.piece[:n], off)
	return p.piece[:n]
}

// isendOther is Start for a send that is not Standard, or whose message is in pieces.
func (p *Port) isendOther(r *llc.Request) {
	gone := 0
	if r.Mode == llc.Scattered {
		gone = p.pieces(r)
	}
	if gone > 0 && gone == r.Body.Size() {
		p.eng.Went(r)
	} else {
		p.isend(r, gone)
	}
}

// RecvPieces is Recv into room that is not one piece.
func (p *Port) RecvPieces(key llc.Key, src, tag int, b llc.Body) (st llc.Status, err error) {
	p.lock()
	switch {
	case p.is(drained):
		p.gate.leave()
		return st, ErrClosed
	case p.is(sampled):
		p.timed(observe.Recv, func() bool {
			st, err = p.RecvPieces(key, src, tag, b)
			return true
		})
		return st, err
	}
	r := p.request()
	r.Peer, r.Context, r.Type, r.Tag, r.Body = src, key.Context(), key.Type(), tag, b
	switch size, its, got := p.takePieces(r); got {
	case size:
		if p.keep(r); p.seen != nil {
			p.received("", message(key, src, its, size), nil)
		}
		p.gate.leave()
		st.Source, st.Tag, st.Bytes = src, its, int64(size)
		return st, nil
	case none:
		p.begin(r)
	default:
		p.eng.AcceptRest(r, size, its, got)
		p.relieve()
	}
	return p.recv("", key, src, tag, nil, r)
}

// takePieces is take for r, which is not posted and has a Body, without the port's entry.
func (p *Port) takePieces(r *llc.Request) (size, its, got int) {
	src, room := r.Peer, r.Body.Size()
	if !p.ready(src) || !p.eng.Eager(room) {
		return 0, 0, none
	}
	key, in := llc.MakeKey(r.Context, r.Type), p.eng.Lane(src).In
	if p.pollDelay.calm() && p.express.Look(src, &p.view) {
		p.pollDelay.instant++
		p.pollDelay.waits++
	} else if p.eng.Attend(room); !p.expect(key, in, src) {
		return 0, 0, none
	} else if in != nil && !p.express.Look(src, &p.view) {
		p.relieve()
		return 0, 0, none // the slow path finds out what is wrong with it
	}
	return p.accept(key, src, r.Tag, nil, r.Body)
}

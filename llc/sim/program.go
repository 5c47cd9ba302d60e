package sim

import (
	"slices"

	"rhinet/llc"
)

// write writes the programs: messages between random peers, one receive for each, and now and then a cancel
// or a probe. drain posts receives at the end for messages whose receives took others by a wildcard.
func (w *world) write() {
	if w.Order == 3 {
		w.invite()
		return
	}
	for id := range w.Messages {
		from, to := w.rng.IntN(w.Peers), w.rng.IntN(w.Peers)
		if w.rng.IntN(8) > 0 && from == to {
			to = (to + 1) % w.Peers
		}
		s := &send{id: id, to: to, tag: w.rng.IntN(w.Tags), ctx: uint16(w.rng.IntN(w.Contexts))}
		s.req = llc.Request{Peer: to, Tag: s.tag, Context: s.ctx, Buf: append([]byte(nil), bytesOf(id, w.size())...)}
		if w.rng.IntN(100) < w.Sync {
			s.req.Mode = llc.Synchronous
		}
		w.add(from, step{call: func() { w.send(from, s) }})
		w.spread(&s.req)
		rc := w.receiveFor(from, s.tag, s.ctx, s.req.Bytes())
		w.add(to, step{call: func() { w.receive(to, rc) }, receive: true})
		if w.rng.IntN(100) < w.Cancel {
			w.add(to, step{call: func() { w.cancel(to) }})
		}
		if w.rng.IntN(100) < w.Probe {
			w.add(to, step{call: func() { w.probe(to) }})
		}
	}
	// Some receives come early, some late: each program is shuffled a little.
	for _, r := range w.ranks {
		for i := range r.script {
			if j := i + w.rng.IntN(4); w.rng.IntN(2) == 0 && j < len(r.script) {
				r.script[i], r.script[j] = r.script[j], r.script[i]
			}
		}
		if first := w.Order == 1; w.Order != 0 {
			slices.SortStableFunc(r.script, func(a, b step) int {
				switch {
				case a.receive == b.receive:
					return 0
				case a.receive == first:
					return -1
				}
				return 1
			})
		}
	}
}

// invite writes programs of long messages from peer 0 to peer 1, each in a context of its own, whose receive
// is posted before. Some of these contexts end at any time.
func (w *world) invite() {
	w.Contexts = w.Messages
	sometime := func() bool { return w.net.Fair || w.rng.IntN(30) == 0 }
	for id := range w.Messages {
		ctx, n := uint16(id), w.Caps.Split+w.rng.IntN(w.Bytes-w.Caps.Split)
		rc := w.newReceive(0, 1, ctx, w.Bytes)
		s := &send{id: id, to: 1, tag: 1, ctx: ctx}
		s.req = llc.Request{Peer: 1, Tag: 1, Context: ctx, Buf: append([]byte(nil), bytesOf(id, n)...)}
		w.add(1, step{call: func() { w.receive(1, rc) }})
		w.add(0, step{call: func() { w.send(0, s) }, when: func() bool { return (!w.honest(1) || slices.Contains(w.ranks[1].recvs, rc)) && sometime() }})
		if w.rng.IntN(100) < w.Shut {
			w.add(1, step{call: func() { w.end(place{1, ctx}) }, when: func() bool { return rc.over() || len(w.ranks[0].sends) > id && sometime() }})
		}
		w.add(1, step{call: func() {}, when: rc.over})
	}
}

func (w *world) add(i int, s step) { w.ranks[i].script = append(w.ranks[i].script, s) }

// size is often that of a limit, give or take one.
func (w *world) size() int {
	limits := []int{0, 40, w.Caps.Fragment, w.Caps.Eager, w.Caps.Split}
	n := w.rng.IntN(w.Bytes + 1)
	if w.rng.IntN(3) == 0 {
		n = limits[w.rng.IntN(len(limits))] + w.rng.IntN(3) - 1
	}
	return max(0, min(n, w.Bytes))
}

func (w *world) receiveFor(src, tag int, ctx uint16, n int) *receive {
	room := w.Bytes
	if w.rng.IntN(100) < w.Short {
		room = w.rng.IntN(n + 1)
	}
	r := w.newReceive(src, tag, ctx, room)
	if w.rng.IntN(100) < w.Wild {
		r.src = llc.AnyPeer
	}
	if w.rng.IntN(100) < w.Wild {
		r.tag = llc.AnyTag
	}
	return r
}

func (w *world) newReceive(src, tag int, ctx uint16, room int) *receive {
	r := &receive{src: src, tag: tag, ctx: ctx, memory: make([]byte, room+guard)}
	for i := range r.memory {
		r.memory[i] = 0xa5
	}
	r.req.Buf = r.memory[:room]
	w.spread(&r.req)
	return r
}

func (w *world) send(i int, s *send) {
	w.ranks[i].sends = append(w.ranks[i].sends, s)
	if !w.direct(i, s) {
		w.notify(&s.req, true)
		if !w.offer(i, s) {
			w.ranks[i].engine.Send(&s.req)
		}
		w.notify(&s.req, !s.req.Done())
	}
	w.post(i)
	w.look(i)
}

// end ends the use of a context at a peer.
func (w *world) end(at place) {
	w.shut[at] = true
	w.ranks[at.peer].engine.Shut(at.ctx)
	w.post(at.peer)
	w.look(at.peer)
}

func (w *world) receive(i int, r *receive) {
	if w.shut[place{i, r.ctx}] {
		return
	}
	r.req.Peer, r.req.Tag, r.req.Context = r.src, r.tag, r.ctx
	w.ranks[i].recvs = append(w.ranks[i].recvs, r)
	if !w.accept(i, r) {
		w.notify(&r.req, true)
		w.ranks[i].engine.Recv(&r.req)
		if len(w.ranks[i].recvs)%4 != 0 {
			w.ranks[i].engine.Invite(&r.req)
		}
		w.notify(&r.req, !r.req.Done())
	}
	w.post(i)
	w.look(i)
}

// notify sets Notify of some requests, before they start or after.
func (w *world) notify(r *llc.Request, may bool) {
	r.Notify = r.Notify || may && w.rng.IntN(3) == 0
}

func (w *world) cancel(i int) {
	r := w.ranks[i]
	if len(r.recvs) == 0 {
		return
	}
	rc := r.recvs[w.rng.IntN(len(r.recvs))]
	done := rc.over()
	if cancelled := r.engine.Cancel(&rc.req); cancelled && (done || !rc.over()) || done && cancelled {
		w.fail("peer %d: cancel of a receive that was done=%v gave %v, done=%v", i, done, cancelled, rc.over())
	}
	w.look(i)
}

// probe asks for any message, or for one of some peer, and receives the one that was promised.
func (w *world) probe(i int) {
	r := w.ranks[i]
	ctx, src := uint16(w.rng.IntN(w.Contexts)), llc.AnyPeer
	if w.rng.IntN(2) == 0 {
		src = w.rng.IntN(w.Peers)
	}
	tag := llc.AnyTag
	if w.rng.IntN(2) == 0 {
		tag = w.rng.IntN(w.Tags)
	}
	st, ok := r.engine.Probe(ctx, src, tag)
	if ok {
		w.keepPromise(i, ctx, st)
	}
}

// keepPromise receives the message that a probe has described.
func (w *world) keepPromise(i int, ctx uint16, st llc.Status) {
	r := w.ranks[i]
	rc := w.newReceive(st.Source, st.Tag, ctx, w.Bytes)
	w.receive(i, rc)
	if r.engine.Cancel(&rc.req) {
		w.fail("peer %d: probe promised %+v, but it was not there", i, st)
	}
	if rc.over() && rc.req.Status.Err == nil && rc.req.Status != st {
		w.fail("peer %d: probe promised %+v, received %+v", i, st, rc.req.Status)
	}
}

// look finds sends that have become done and overwrites their buffers: their owner may use them again. It
// also takes the engine's list of completed requests.
func (w *world) look(i int) {
	for r := w.ranks[i].engine.Completed(); r != nil; r = w.ranks[i].engine.Completed() {
		if !r.Done() || !r.Notify {
			w.fail("peer %d: told of a request that is done=%v notify=%v", i, r.Done(), r.Notify)
		}
		r.Notify = false
	}
	for _, s := range w.ranks[i].sends {
		if !s.done && s.over() {
			s.done = true
			s.req.Scatter(slices.Repeat([]byte{0xee}, s.req.Bytes()), 0)
		}
	}
}

package port

import "rhinet/llc/ir"

// A Waiting says what a rank waits for.
type Waiting = ir.Waiting

// A Reporter is an optional ability of a translator, found by assertion.
type Reporter = ir.Reporter

// describe reports the wait of w, once.
func (p *Port) describe(w *waiter) {
	if p.report == nil || w.reported {
		return
	}
	w.reported = true
	s := Waiting{Call: w.call, Peer: -1, Tag: -1}
	switch w.kind {
	case waitRequest:
		s.Peer, s.Tag, s.Bytes, s.Context = w.r.Peer, w.r.Tag, int64(len(w.r.Buf)), w.r.Context
	case waitAny:
		r := w.rs[0]
		s.Peer, s.Tag, s.Bytes, s.Context = r.Peer, r.Tag, int64(len(r.Buf)), r.Context
	case waitProbe:
		s.Peer, s.Tag, s.Context = w.src, w.tag, w.context
	}
	p.report.Report(s)
}

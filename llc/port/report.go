package port

import (
	"strconv"
	"strings"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// describe reports the wait of w once, and again if the number of other waits, the holder, the rank that a task waits
// for, or the messages that it does not take have changed. For a wait that serves other ranks it reports a wait of the program instead, if
// there is one.
func (p *Port) describe(w *waiter) {
	more := p.Waiting() - p.waiters.serving
	if w.serves() {
		if w = p.waiters.called(); w == nil {
			return
		}
		more--
	}
	if w.kind == waitTask && w.task.Over() {
		return // another goroutine has let it end meanwhile, and may have begun the call again
	}
	held, kept := p.holder(w), p.eng.Kept()
	if p.report == nil || w.reported && w.more == more && w.held == held && w.kept == kept {
		return
	}
	w.reported, w.more, w.held, w.kept = true, more, held, kept
	s := ir.Waiting{Call: w.call, Peer: ir.NoPeer, Tag: ir.NoTag, Bytes: ir.NoBytes, More: more}
	switch w.kind {
	case waitRequest:
		p.describeRequest(&s, w.r)
	case waitAny:
		if len(w.rs) == 1 {
			p.describeRequest(&s, w.rs[0])
		} else {
			describeSeveral(&s, w.rs)
		}
	case waitCond:
		if w.collective != nil {
			s.Collective = *w.collective
		}
		if s.Holder != nil || s.Flags != nil {
			s.Peer, s.Taken = held.Peer, held.Taken
		}
	case waitTask:
		if p.describeTask(&s, w.task); w.call != "" {
			s.Call = w.call + " " + w.task.Call
		}
	case waitTasks:
		p.describeTask(&s, p.taskOf(w))
	case waitProbe:
		s.Peer, s.Tag, s.Context = w.src, w.tag, w.context
		p.describeUnmatched(&s)
	}
	noted := false
	if s.Call, s.Note, noted = strings.Cut(s.Call, " "); noted {
		s.Tag, s.Unmatched = ir.NoTag, ir.Unmatched{}
	} else if s.Comm != nil {
		s.Note, s.Named = *s.Comm, true
	}
	s.Comm, s.Holder, s.Flags = nil, nil, nil
	s.Note = held.Behind(s.Note)
	p.report.Report(s)
}

// describeUnmatched says which messages have come that the wait does not take: first of all one that it would take in
// another context.
func (p *Port) describeUnmatched(s *ir.Waiting) {
	if m, there := p.eng.Elsewhere(s.Context, s.Peer, s.Tag); there {
		s.Unmatched = ir.Unmatched{Messages: 1, First: m.Source, MessagesTag: m.Tag, Elsewhere: true}
		return
	}
	n, first := p.eng.Unmatched(s.Context, s.Peer)
	if n > 0 {
		s.Unmatched = ir.Unmatched{Messages: n, First: first.Source, MessagesTag: first.Tag}
	}
}

// Show says that the messages of a context are the program's: see [llc.Engine.Show].
func (p *Port) Show(ctx uint16) {
	p.lock()
	p.eng.Show(ctx)
	p.gate.leave()
}

// serves reports whether w waits for what others ask of this rank, or what no call of the program waits for.
func (w *waiter) serves() bool {
	return llc.Serves(w.call) || w.kind == waitRequest && llc.Serves(w.r.Label)
}

// called returns the first listed wait of a call of the program, or nil.
func (l *waiters) called() *waiter {
	w := l.first
	for w != nil && w.serves() {
		w = w.next
	}
	return w
}

// taskOf returns the task that w waits for, or the first of several, or nil.
func (p *Port) taskOf(w *waiter) *Task {
	switch w.kind {
	case waitTask:
		return w.task
	case waitTasks:
		return p.tasks.first
	}
	return nil
}

// holder returns who has what w waits for, or has not come to where w waits, or whose message is next for the task of w.
func (p *Port) holder(w *waiter) (h ir.Holder) {
	c, t := w.collective, p.taskOf(w)
	if t != nil {
		c = t.Collective
		if r := undone(t.first); r != nil {
			return ir.Holder{Peer: r.Peer}
		}
	}
	switch {
	case c == nil:
	case c.Holder != nil:
		h = *c.Holder
	case c.Flags != nil:
		h.Peer = c.Flags.Awaited()
	}
	return h
}

// describeTask says what a wait for t is for.
func (p *Port) describeTask(s *ir.Waiting, t *Task) {
	if t == nil {
		return
	}
	if s.Call = t.Call; t.Collective != nil {
		s.Collective = *t.Collective
	}
	if r := undone(t.first); r != nil {
		p.describeRequest(s, r)
	} else if s.Flags != nil {
		s.Peer = s.Flags.Awaited()
	}
}

// What a report says about a wait for one of several requests: how many of them it names, in how many bytes.
const (
	mostNamed  = 2
	namedBytes = 42
)

// describeSeveral names the first requests of which one ends a wait, and their peer if all have the same.
func describeSeveral(s *ir.Waiting, rs []*llc.Request) {
	var list []byte
	named, left := 0, 0
	for _, r := range rs {
		if r.Done() {
			continue
		}
		if left++; left == 1 {
			s.Peer = r.Peer
		} else if s.Peer != r.Peer {
			s.Peer = ir.NoPeer
		}
		if left > named+1 || named == mostNamed {
			continue
		}
		if more := appendRequest(list, r); len(more) <= namedBytes {
			list = more
			named++
		}
	}
	s.Call += " " + string(list)
	if left > named {
		s.Call += " and " + strconv.Itoa(left-named) + " more"
	}
}

// appendRequest appends what identifies a request to a list.
func appendRequest(list []byte, r *llc.Request) []byte {
	if len(list) > 0 {
		list = append(list, ", "...)
	}
	list = appendNumber(append(list, "peer "...), r.Peer, llc.AnyPeer)
	return appendNumber(append(list, " tag "...), r.Tag, llc.AnyTag)
}

func appendNumber(list []byte, n, every int) []byte {
	if n == every {
		return append(list, "any"...)
	}
	return strconv.AppendInt(list, int64(n), 10)
}

// describeRequest says what a wait for r is for.
func (p *Port) describeRequest(s *ir.Waiting, r *llc.Request) {
	s.Peer, s.Tag, s.Bytes, s.Context = r.Peer, r.Tag, int64(r.Bytes()), r.Context
	switch {
	case r.Label != "":
		s.Call = r.Label
	case s.Call == "Send" && r.Mode == llc.Synchronous:
		s.Call = "Ssend"
	}
	if r.Collective != nil {
		s.Collective = *r.Collective
	}
	if r.Context&1 != 0 {
		s.Tag = ir.NoTag // of a collective call, which has tags of its own
	} else if r.Waits() {
		p.describeUnmatched(s)
	}
}

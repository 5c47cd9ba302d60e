package mpi

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"rhinet/internal/origin"
	"rhinet/llc"
)

// In a checked job (see Job.Check) Finalize names the messages that were never
// received. MPI 4.1, section 11.2.2: a process must complete all communication that it
// takes part in before Finalize, and a message is received by a matching receive.

// drainMessages returns when all messages to this rank have arrived. All ranks of the world
// call it. Each sends an empty message to every rank that it has sent anything to,
// which arrives last, and waits for those that are sent to it. Failures on the way do
// not matter: what has arrived counts.
func (c *Comm) drainMessages(s site) {
	last := map[int][]byte{}
	for peer := range c.size {
		if c.t.Addressed(peer) {
			last[peer] = nil
		}
	}
	c.sparseExchange(s, roundLast, last, 0)
}

// Tags of the rounds of messages in Finalize.
const (
	roundLast = iota
	roundAsk
	roundAnswer
)

// sparseExchange is a round of messages between all ranks of the world, in which each
// sends out. It returns the messages to this rank.
func (c *Comm) sparseExchange(s site, round int, out map[int][]byte, longest int) []roundMessage {
	told, mine := make([]int32, c.size), make([]int32, 1)
	for peer := range out {
		told[peer] = 1
	}
	if c.sumOfParts(s, told, mine) != nil {
		mine[0] = 0
	}
	return c.exchangeRound(s, round, out, int(mine[0]), longest)
}

// A roundMessage is a message from a rank in a round.
type roundMessage struct {
	from int
	text []byte
}

// exchangeRound is sparseExchange for ranks that know how many messages they get.
func (c *Comm) exchangeRound(s site, round int, out map[int][]byte, messages, longest int) (in []roundMessage) {
	var list []*llc.Request
	begin := func(peer int, buf []byte, send bool) {
		r := &llc.Request{Peer: peer, Context: lastContext, Tag: round, Buf: buf, Label: s.call, Collective: &c.coll.t.note}
		c.t.Start(r, send)
		list = append(list, r)
	}
	for peer, text := range out {
		begin(peer, text, true)
	}
	for range messages {
		begin(llc.AnyPeer, make([]byte, longest), false)
	}
	ctx := c.whole
	if ctx == nil {
		ctx = context.Background()
	}
	for i, r := range list {
		switch {
		case c.t.WaitContext(ctx, r) != nil:
			c.t.Cancel(r)
		case i >= len(out) && r.Status.Err == nil:
			in = append(in, roundMessage{r.Status.Source, r.Buf[:min(int(r.Status.Bytes), longest)]})
		}
	}
	return in
}

// sumOfParts adds up the parts of all ranks for each rank, as part of the call s.
func (c *Comm) sumOfParts(s site, in, out []int32) error {
	r, err := enterReduction[int32](c, s, Sum)
	if err != nil {
		return err
	}
	c.coll.sign(makeSign(callFinalize, r.typ, r.code), len(view(in)))
	err = c.coll.group.ReduceScatterBlock(view(in), view(out), r)
	_ = c.leave(s, nil)
	return err
}

// unreceived lists the messages to this rank that were never received.
func (w *world) unreceived() (list []*unreceived) {
	open := w.contexts()
	w.Transport.Unreceived(func(ctx uint16, m llc.Status) {
		if c := open[ctx]; c != nil {
			list = append(list, &unreceived{c: c, ctx: ctx, from: m.Source, tag: m.Tag, bytes: m.Bytes})
		}
	})
	slices.SortStableFunc(list, func(a, b *unreceived) int { return cmp.Compare(a.ctx, b.ctx) })
	later := map[origin.Stream]int{}
	for _, m := range slices.Backward(list) {
		key := origin.StreamOf(m.ctx, m.from, m.tag)
		later[key]++
		m.back = later[key]
	}
	for _, m := range w.probed.list() {
		id := m.c.id.pointToPoint()
		if open[id] == m.c.core {
			list = append(list, &unreceived{c: open[id], ctx: id, from: m.from, tag: m.site.tag, bytes: m.bytes, match: m})
		}
	}
	return list
}

// contexts returns the communicators of the world that the program may receive on, by
// the contexts of their messages. Those that it has freed are not among them, since
// what Free drops is not reported, nor those that have been revoked or have a dead
// rank, on which messages are left by calls that were given up.
func (w *world) contexts() map[uint16]*core {
	w.mu.Lock()
	defer w.mu.Unlock()
	open := map[uint16]*core{}
	for c := range w.comms {
		if c.session == nil && !c.private && (c.failures == nil || c.failures.whole.Err() == nil) {
			open[c.id.pointToPoint()] = c
		}
	}
	return open
}

// probed is the messages that probes have matched, in the order of the probes.
type probed struct {
	mu   sync.Mutex
	open []*Message
}

func (p *probed) add(m *Message) {
	p.mu.Lock()
	p.open = append(p.open, m)
	p.mu.Unlock()
}

func (p *probed) remove(m *Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.open, m); i >= 0 {
		p.open = slices.Delete(p.open, i, i+1)
	}
}

func (p *probed) list() []*Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.open)
}

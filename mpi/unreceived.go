package mpi

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"rhinet/llc"
)

// In a checked job (see Job.Check) Finalize names the messages that nobody has received. MPI 4.1, section
// 11.2.2: before it a process completes all communication that it takes part in, and a message is received by
// a matching receive.

// seeOff returns when all messages to this rank have arrived. All ranks of the world call it. Each sends an empty
// message to all to whom it has sent anything, which arrives last, and waits for those that are sent to it.
// What fails on the way is no matter: it is looked for what is there.
func (c *Comm) seeOff(s site) {
	last := map[int][]byte{}
	for peer := range c.size {
		if c.t.Addressed(peer) {
			last[peer] = nil
		}
	}
	c.mail(s, roundLast, last, 0)
}

// Rounds of messages in Finalize are told apart by their tags.
const (
	roundLast = iota
	roundAsk
	roundAnswer
)

// mail is a round of messages between ranks of the world, in which each sends what it has for others, and all take part. It returns what has come.
func (c *Comm) mail(s site, round int, out map[int][]byte, longest int) []letter {
	told, mine := make([]int32, c.size), make([]int32, 1)
	for peer := range out {
		told[peer] = 1
	}
	if c.sumOfParts(s, told, mine) != nil {
		mine[0] = 0
	}
	return c.post(s, round, out, int(mine[0]), longest)
}

// A letter is what has come from a rank in a round.
type letter struct {
	from int
	text []byte
}

// post is mail of ranks that know how many letters they get.
func (c *Comm) post(s site, round int, out map[int][]byte, letters, longest int) (in []letter) {
	var list []*llc.Request
	begin := func(peer int, buf []byte, send bool) {
		r := &llc.Request{Peer: peer, Context: lastContext, Tag: round, Buf: buf, Label: s.call, Collective: &c.coll.t.note}
		c.t.Start(r, send)
		list = append(list, r)
	}
	for peer, text := range out {
		begin(peer, text, true)
	}
	for range letters {
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
			in = append(in, letter{r.Status.Source, r.Buf[:min(int(r.Status.Bytes), longest)]})
		}
	}
	return in
}

// sumOfParts adds up what all ranks have for each, as part of the call s.
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

// unreceived lists the messages to this rank that nobody has received.
func (w *world) unreceived() (list []*stray) {
	open := w.contexts()
	w.Transport.Unreceived(func(ctx uint16, m llc.Status) {
		if c := open[ctx]; c != nil {
			list = append(list, &stray{c: c, ctx: ctx, from: m.Source, tag: m.Tag, bytes: m.Bytes})
		}
	})
	slices.SortStableFunc(list, func(a, b *stray) int { return cmp.Compare(a.ctx, b.ctx) })
	later := map[uint64]int{}
	for _, m := range slices.Backward(list) {
		key := streamKey(m.ctx, m.from, m.tag)
		later[key]++
		m.back = later[key]
	}
	for _, m := range w.probed.list() {
		id := m.c.id.pointToPoint()
		if open[id] == m.c.core {
			list = append(list, &stray{c: open[id], ctx: id, from: m.from, tag: m.site.tag, bytes: m.bytes, match: m})
		}
	}
	return list
}

// contexts are the communicators of the world that the program may receive on, by the contexts of their messages: not
// those that it has freed, as what Free drops is told to nobody, and not those that have been revoked, or of which a rank
// has died, on which messages are left by those who have given up a call.
func (w *world) contexts() map[uint16]*core {
	w.mu.Lock()
	defer w.mu.Unlock()
	open := map[uint16]*core{}
	for c := range w.comms {
		if c.session == nil && !c.private && (c.fate == nil || c.fate.whole.Err() == nil) {
			open[c.id.pointToPoint()] = c
		}
	}
	return open
}

// A probed is messages that probes have matched, in the order of the probes.
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

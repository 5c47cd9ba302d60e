package mpi

import (
	"cmp"
	"context"
	"fmt"
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
	told, mine := make([]int32, c.size), make([]int32, 1)
	var list []*llc.Request
	begin := func(peer int, send bool) {
		r := &llc.Request{Peer: peer, Context: lastContext, Label: s.call, Collective: &c.coll.t.note}
		c.t.Start(r, send)
		list = append(list, r)
	}
	for peer := range told {
		if c.t.Addressed(peer) {
			told[peer] = 1
			begin(peer, true)
		}
	}
	if c.sumOfParts(s, told, mine) == nil {
		for range mine[0] {
			begin(llc.AnyPeer, false)
		}
	}
	ctx := c.whole
	if ctx == nil {
		ctx = context.Background()
	}
	for _, r := range list {
		if c.t.WaitContext(ctx, r) != nil {
			c.t.Cancel(r)
		}
	}
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
func (w *world) unreceived() (list []string) {
	open := w.contexts()
	describe := func(c *core, source, tag int, bytes int64, more string) {
		if c == nil {
			return
		}
		list = append(list, fmt.Sprintf("from %d tag %d on %s: %d bytes%s", c.local(source), tag, c.name, bytes, more))
	}
	type arrived struct {
		ctx uint16
		llc.Status
	}
	var all []arrived
	w.Transport.Unreceived(func(ctx uint16, m llc.Status) { all = append(all, arrived{ctx, m}) })
	slices.SortStableFunc(all, func(a, b arrived) int { return cmp.Compare(a.ctx, b.ctx) })
	for _, m := range all {
		describe(open[m.ctx], m.Source, m.Tag, m.Bytes, "")
	}
	for _, m := range w.probed.list() {
		id := m.c.id.pointToPoint()
		if open[id] == m.c.core {
			describe(open[id], m.from, m.site.tag, m.bytes, fmt.Sprintf(", which %s has matched (%s)", m.site.call, m.made))
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

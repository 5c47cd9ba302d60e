// Package match holds the two queues of message passing: receives that wait
// for a message (posted) and messages that wait for a receive (unexpected).
//
// Keys are integers: context, source and tag. Sources and tags of receives may
// be [Any]. Matching is first in, first out on both sides (MPI 4.1, section
// 3.5): a message takes the earliest posted receive that accepts it, a receive
// takes the earliest message that it accepts.
//
//	Table -> contexts[context] -> sources[source] -> posted, messages
//	                           -> receives from anyone, all messages
//
// Queues are lists through the entries themselves, so nothing is allocated per message. Receives from any
// source and receives from a named one lie in different queues; stamps tell which was posted first. A queue
// that grows deep is hashed by tag.
package match

import "rhinet/llc/seq"

// Any is the wildcard of a receive's source or tag.
const Any = -1

// A Table holds both queues of all contexts of one peer. Owners of posted
// receives are *P, those of unexpected messages *U.
type Table[P, U any] struct {
	contexts []*context[P, U]
	nobody   []*source[P, U] // the sources of contexts that have none; its elements stay nil
	clock    seq.Clock
	posted   int
	messages int
	age      uint64 // rows that were found at a lower age are invalid: see Row
}

// New returns a table for messages of the given number of peers.
func New[P, U any](peers int) *Table[P, U] {
	return &Table[P, U]{nobody: make([]*source[P, U], peers), age: 1}
}

// A context holds what waits in one communication context. Its sources are created when first named.
type context[P, U any] struct {
	sources  []*source[P, U]
	anyone   posted[P]     // receives from any source
	messages unexpected[U] // messages of all sources
	kept     uint64        // how many messages have waited so far

	// The context takes messages whose mark has the bits of want where mask has ones. A want with a bit
	// outside mask lets none in.
	mask, want uint32
	drained    bool // messages without a receive are not kept
	shown      bool // the messages are the program's

	table *Table[P, U]
}

type source[P, U any] struct {
	posted   posted[P]
	messages unexpected[U]
}

// Posted returns the number of waiting receives.
func (t *Table[P, U]) Posted() int { return t.posted }

// Messages returns the number of waiting messages.
func (t *Table[P, U]) Messages() int { return t.messages }

// Kept returns how many messages have waited for a receive in a context so far.
func (t *Table[P, U]) Kept(ctx uint16) uint64 { return t.find(ctx).kept }

// find returns a context, which is created when first named.
func (t *Table[P, U]) find(ctx uint16) *context[P, U] {
	if int(ctx) < len(t.contexts) {
		if c := t.contexts[ctx]; c != nil {
			return c
		}
	}
	return t.grow(ctx)
}

func (t *Table[P, U]) grow(ctx uint16) *context[P, U] {
	for int(ctx) >= len(t.contexts) {
		t.contexts = append(t.contexts, nil)
	}
	c := &context[P, U]{table: t, sources: t.nobody}
	c.messages.set = contextLinks
	t.contexts[ctx] = c
	return c
}

func (c *context[P, U]) find(src int32) *source[P, U] {
	if s := c.sources[src]; s != nil {
		return s
	}
	return c.grow(src)
}

func (c *context[P, U]) grow(src int32) *source[P, U] {
	if &c.sources[0] == &c.table.nobody[0] {
		c.sources = make([]*source[P, U], len(c.sources))
	}
	s := &source[P, U]{}
	s.messages.set = sourceLinks
	c.sources[src] = s
	return s
}

// Arrive takes the receive that a message of src with tag goes to, or returns nil: then the caller calls
// Keep. open is false if the context does not take the mark of the message, or keeps none. src is below the
// number of peers.
func (t *Table[P, U]) Arrive(ctx uint16, src, tag int32, mark uint32) (owner *P, open bool) {
	c := t.find(ctx)
	if mark&c.mask != c.want {
		return nil, false
	}
	e := c.find(src).posted.find(tag)
	if c.anyone.n != 0 {
		if w := c.anyone.find(tag); w != nil && (e == nil || w.stamp < e.stamp) {
			e = w
		}
	}
	if e == nil {
		return nil, !c.drained
	}
	e.queue.remove(e)
	t.posted--
	return e.Owner, true
}

// ArriveUnmarked is Arrive for a message without a mark, which every context takes that takes any.
func (t *Table[P, U]) ArriveUnmarked(ctx uint16, src, tag int32) (owner *P, open bool) {
	return t.Arrive(ctx, src, tag, t.find(ctx).want)
}

// Keep adds a message for which Arrive found no receive.
func (t *Table[P, U]) Keep(m *Message[U], ctx uint16, src, tag int32) {
	c := t.find(ctx)
	m.context, m.source, m.tag = ctx, src, tag
	c.find(src).messages.push(m)
	c.messages.push(m)
	c.kept++
	t.messages++
}

// Post returns the waiting message that a receive takes, which then no longer waits. If there is none it adds
// the receive and returns nil. e.Owner is set by the caller, e must not be waiting, src and tag may be Any.
func (t *Table[P, U]) Post(e *Receive[P], ctx uint16, src, tag int32) *U {
	c := t.find(ctx)
	q, waiting := &c.anyone, &c.messages
	if src != Any {
		s := c.find(src)
		q, waiting = &s.posted, &s.messages
	}
	if waiting.n != 0 {
		if m := waiting.find(tag); m != nil {
			t.Drop(m)
			return m.Owner
		}
	}
	e.tag, e.stamp = tag, t.clock.Next()
	if spread := q.push(e); spread || src == Any || tag == Any {
		t.age++
	}
	t.posted++
	return nil
}

// Vacant reports whether there is nothing that a message of src, or a receive from src, in ctx could meet.
// src is below the number of peers.
func (t *Table[P, U]) Vacant(ctx uint16, src int32) bool {
	if int(ctx) >= len(t.contexts) || t.contexts[ctx] == nil {
		return false
	}
	c := t.contexts[ctx]
	s := c.sources[src]
	return s != nil && c.anyone.n|s.posted.n|s.messages.n == 0
}

// Find returns the waiting message that a receive would take, or nil.
func (t *Table[P, U]) Find(ctx uint16, src, tag int32) *U {
	c := t.find(ctx)
	waiting := &c.messages
	if src != Any {
		waiting = &c.find(src).messages
	}
	if m := waiting.find(tag); m != nil {
		return m.Owner
	}
	return nil
}

// Show says that the messages of a context are the program's, until it is opened again: see Elsewhere.
func (t *Table[P, U]) Show(ctx uint16) { t.find(ctx).shown = true }

// Elsewhere returns a waiting message that a receive would take in another context than ctx that is shown, or nil.
func (t *Table[P, U]) Elsewhere(ctx uint16, src, tag int32) *U {
	for i, c := range t.contexts {
		if c != nil && c.shown && uint16(i) != ctx && c.messages.n > 0 {
			if m := t.Find(uint16(i), src, tag); m != nil {
				return m
			}
		}
	}
	return nil
}

// Waiting returns how many messages of src, which may be Any, wait in ctx, and the first of them.
func (t *Table[P, U]) Waiting(ctx uint16, src int32) (n int, first *U) {
	c := t.find(ctx)
	waiting := &c.messages
	if src != Any {
		waiting = &c.find(src).messages
	}
	if m := waiting.order.head; m != nil {
		first = m.Owner
	}
	return waiting.n, first
}

// Drop removes a waiting message.
func (t *Table[P, U]) Drop(m *Message[U]) {
	c := t.contexts[m.context]
	c.sources[m.source].messages.remove(m)
	c.messages.remove(m)
	t.messages--
}

// Move has a waiting message wait in another context with another tag, where
// only a receive that names them finds it.
func (t *Table[P, U]) Move(m *Message[U], ctx uint16, tag int32) {
	src := m.source
	t.Drop(m)
	t.Keep(m, ctx, src, tag)
}

// Withdraw removes a waiting receive and reports whether it was waiting.
func (t *Table[P, U]) Withdraw(e *Receive[P]) bool {
	if e.queue == nil {
		return false
	}
	e.queue.remove(e)
	t.posted--
	return true
}

// Receives calls visit for the waiting receives that name src, which may be Any,
// as their source. visit may withdraw the receive it is given.
func (t *Table[P, U]) Receives(src int32, visit func(*P)) {
	for _, c := range t.contexts {
		if c == nil {
			continue
		}
		if src == Any {
			c.anyone.each(visit)
		} else if s := c.sources[src]; s != nil {
			s.posted.each(visit)
		}
	}
}

// ReceivesIn calls visit for the waiting receives of one context, which it may
// withdraw.
func (t *Table[P, U]) ReceivesIn(ctx uint16, visit func(*P)) {
	c := t.find(ctx)
	c.anyone.each(visit)
	for _, s := range c.sources {
		if s != nil {
			s.posted.each(visit)
		}
	}
}

// MessagesIn calls visit for the waiting messages of one context in order of
// arrival. visit may drop the message it is given.
func (t *Table[P, U]) MessagesIn(ctx uint16, visit func(*U)) {
	t.find(ctx).eachMessage(visit)
}

func (c *context[P, U]) eachMessage(visit func(*U)) {
	for m := c.messages.order.head; m != nil; {
		next := m.links[contextLinks].next
		visit(m.Owner)
		m = next
	}
}

// Open says which messages a context takes from now on: those whose mark has the bits of want where mask has
// ones. Bits of want outside mask do not count.
func (t *Table[P, U]) Open(ctx uint16, mask, want uint32) {
	c := t.find(ctx)
	c.mask, c.want, c.drained, c.shown = mask, want&mask, false, false
	t.age++
}

// Drain has a context take only messages for which a receive waits, and returns how many do. No message may
// wait in it.
func (t *Table[P, U]) Drain(ctx uint16) (waiting int) {
	c := t.find(ctx)
	c.drained = true
	waiting = c.anyone.n
	for _, s := range c.sources {
		if s != nil {
			waiting += s.posted.n
		}
	}
	return waiting
}

// Shut has a context take no more messages, and frees the memory of its queues, which must be empty.
func (t *Table[P, U]) Shut(ctx uint16) {
	c := t.find(ctx)
	*c = context[P, U]{table: t, want: 1, sources: t.nobody}
	c.messages.set = contextLinks
	t.age++
}

// EachMessage calls visit for all waiting messages in order of arrival within
// each context. visit may drop the message it is given.
func (t *Table[P, U]) EachMessage(visit func(*U)) {
	for _, c := range t.contexts {
		if c == nil {
			continue
		}
		c.eachMessage(visit)
	}
}

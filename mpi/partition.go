package mpi

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"sync"

	"rhinet/internal/callsite"
	"rhinet/internal/strided"
	"rhinet/llc"
	"rhinet/llc/port"
)

// Partitioned communication: a message whose parts are sent as they become ready.
//
// When the request is made, the sender offers the message: the number of partitions
// that it cuts the message into, and the tag at which it waits for an answer. The
// receiver that matches answers with the tags for the partitions. From then on each
// partition is a message of its own. The receiver may cut the message into other
// partitions.
//
//	sender     --offer: partitions, bytes, tag for the answer-->   receiver
//	           <--answer: tag of the first partition, or none---
//	           --partition i, at tag first+i ------------------>   at each start

// partitioned is the context of offers on a communicator. Contexts of partitioned
// messages belong to no communicator: answers and partitions have one context per rank,
// in which the receiver chooses the tags.
func (id contextID) partitioned() uint16 { return partitionedContext + id.number() }

// A partitionOffer describes a partitioned message to its receiver, a partitionAnswer
// is the reply.
type (
	partitionOffer  struct{ partitions, bytes, tag uint64 }
	partitionAnswer struct{ first, ok uint64 }
)

// A partitioned is a request for a partitioned message.
type partitioned struct {
	c          *Comm
	site       site
	send       bool
	null       bool // peer is ProcNull
	peer       int  // in the transport
	typ        uint32
	elem       *elem
	buf        []byte // as passed: perhaps items
	bytes      int    // of data
	partitions int    // of this side

	met    chan struct{}  // closed when both sides know each other
	err    error          // why they do not match; valid when met is closed
	first  int            // tag of the first partition
	theirs int            // partitions of the sender
	made   *callsite.Line // that made it, in a checked job

	mu      sync.Mutex
	matched bool           // both sides know each other, or err says why not
	step    *llc.Request   // of the matching, in progress
	reqs    []*llc.Request // of the start in progress, by partition of the sender; nil: not begun
	failed  error          // of a transfer of that start
	ready   []bool         // partitions that may be sent
	left    int            // partitions that may not be sent yet
	all     chan struct{}  // closed when all may be sent
	waits   bool           // a wait is to be woken then
	on      bool           // started, and not complete
	of      Request        // the request of that start, if it is guarded
}

// maxPartitions is how many partitions a message can be cut into: both sides keep a
// request for each, and a tag.
const maxPartitions = 1 << 24

// PsendInit makes a persistent request to send buf to rank dst of c in partitions of
// equal length. Each is sent when [Request.Pready] has named it. It matches only
// PrecvInit, in the order in which both were called.
//
// MPI 4.1, section 4.2.1.
func PsendInit[T any](c *Comm, buf []T, partitions, dst, tag int) (_ *Request, err error) {
	defer c.raised(&err)
	return c.partitionInit(site{"PsendInit", toPeer, dst, tag}, elemFor[T](c), view(buf), len(buf), partitions, true)
}

// PrecvInit makes a persistent request to receive into buf what [PsendInit] of rank src
// of c sends, which must have the same length. [Request.Parrived] tells which of the
// partitions, of equal length, have arrived. Wildcards are not allowed.
//
// MPI 4.1, section 4.2.1.
func PrecvInit[T any](c *Comm, buf []T, partitions, src, tag int) (_ *Request, err error) {
	defer c.raised(&err)
	return c.partitionInit(site{"PrecvInit", fromPeer, src, tag}, elemFor[T](c), view(buf), len(buf), partitions, false)
}

func (c *Comm) partitionInit(s site, e *elem, buf []byte, n, partitions int, send bool) (*Request, error) {
	if err := c.checkTransfer(s, e); err != nil {
		return nil, err
	}
	switch {
	case s.peer == AnySource || s.tag == AnyTag:
		return nil, c.errorAt(s, ErrArg, "a partitioned message names its source and its tag; there are no wildcards")
	case partitions < 0 || partitions == 0 && n > 0 || partitions > 0 && n%partitions != 0:
		return nil, c.errorAt(s, ErrCount, "%d elements cannot be cut into %d equal partitions; their number must divide that of the elements", n, partitions)
	case partitions > maxPartitions:
		return nil, c.errorAt(s, ErrCount, "%d partitions are too many; use %d or fewer", partitions, maxPartitions)
	}
	p := &partitioned{c: c, site: s, send: send, null: s.peer == ProcNull, elem: e, buf: buf, partitions: partitions, theirs: partitions, met: make(chan struct{})}
	if e.items {
		in, err := c.bodyOf(s, elements[Item](buf), !send)
		if err != nil {
			return nil, err
		}
		p.elem, p.bytes = in.v.elem, in.Size()
	} else {
		p.bytes = len(buf)
	}
	p.typ = p.class() | c.id.stamp()
	if p.null {
		p.meet()
	} else {
		p.peer = c.global(s.peer)
		if c.w.Check {
			p.made = c.w.requests.lines.Caller()
			c.w.partners.await(p)
		}
		p.match()
	}
	r := c.repeat(s, p.start)
	r.repeated().parts = p
	return r, nil
}

// class returns the class of the elements in a message; an empty message is of any
// type.
func (p *partitioned) class() uint32 {
	if p.bytes == 0 {
		return 0
	}
	return p.elem.key.Type()
}

// match begins to match with the other side.
func (p *partitioned) match() {
	t, id := p.c.t, p.c.id
	if p.send {
		p.typ = p.class() | p.c.idOf(p.site.peer).stamp()
		id = p.c.idOf(p.site.peer)
	}
	said, tag := make([]partitionOffer, 1), p.c.w.handles(1)
	offer := &llc.Request{Peer: p.peer, Context: id.partitioned(), Tag: p.site.tag, Type: p.typ, Buf: view(said), Label: p.site.call}
	heard := make([]partitionAnswer, 1)
	answer := &llc.Request{Peer: p.peer, Context: partitionContext, Buf: view(heard), Label: p.site.call}
	if p.send {
		said[0] = partitionOffer{uint64(p.partitions), uint64(p.bytes), uint64(tag)}
		answer.Tag = tag
		t.Start(answer, false)
		offer.Mode = llc.Synchronous // so that a receiver of another type is an error here, too
	}
	t.Start(offer, p.send)
	p.step = offer
	label := p.c.unattended(p.site.call)
	go func() {
		defer p.meet()
		if p.err = p.complete(label, offer); p.err != nil {
			p.c.w.partners.leave(p)
			if p.send {
				go p.forsake(offer, answer, &heard[0])
			}
			return
		} else if offer.Status.Err != nil {
			p.err = p.failure(offer.Status.Err)
			if !errors.Is(offer.Status.Err, port.ErrClosed) && !(p.c.w.finalizing.Load() && errors.Is(offer.Status.Err, llc.ErrShut)) { // else nobody has come
				p.c.w.partners.leave(p)
			}
		}
		if p.err != nil {
			if p.send {
				t.Cancel(answer)
			}
			return
		}
		p.c.w.partners.leave(p)
		if !p.send {
			p.err = p.agree(said[0])
			heard[0] = partitionAnswer{uint64(p.first), 1}
			if p.err != nil {
				heard[0].ok = 0
			}
			answer.Tag = int(said[0].tag & MaxTag)
			t.Start(answer, true)
		}
		p.mu.Lock()
		p.step = answer
		p.mu.Unlock()
		lost := p.complete(label, answer)
		switch {
		case p.err != nil:
		case lost != nil:
			if p.err = lost; p.send {
				go p.forsake(offer, answer, &heard[0])
			}
		case answer.Status.Err != nil:
			p.err = p.failure(answer.Status.Err)
		case heard[0].ok == 0:
			p.err = p.c.errorAt(p.site, ErrTruncate, "the receiver has room for another number of bytes than %d; both must be as long", p.bytes)
		case p.send:
			p.first = int(heard[0].first & MaxTag)
		}
	}()
}

// agree returns why the receiver cannot take the offered message, or chooses its tags.
func (p *partitioned) agree(o partitionOffer) error {
	if o.bytes != uint64(p.bytes) || o.partitions == 0 && o.bytes > 0 || o.partitions > 0 && o.bytes%o.partitions != 0 || o.partitions > maxPartitions {
		return p.c.errorAt(p.site, ErrTruncate, "the message has %d bytes, the buffer %d; both must be as long", o.bytes, p.bytes)
	}
	p.theirs = int(o.partitions)
	p.first = p.c.w.handles(p.theirs)
	return nil
}

// handles takes n tags that nothing else uses on this rank.
func (w *world) handles(n int) int {
	for {
		if first := int(w.partTags.Add(uint64(n))) - n; first&MaxTag <= MaxTag-n {
			return first & MaxTag
		}
	}
}

// failure words the failure of a transfer.
func (p *partitioned) failure(err error) error {
	if p.send {
		return p.c.sendFailed(p.site, p.elem, p.bytes, err)
	}
	_, err = p.c.received(p.site, p.elem, llc.Status{Source: p.peer, Tag: p.site.tag, Err: err, Bytes: int64(p.bytes)}, err, p.bytes)
	return err
}

// begin starts the transfer of partition i of the sender. The lock is held.
func (p *partitioned) begin(i int) error {
	n := p.bytes / p.theirs
	q := &llc.Request{Peer: p.peer, Context: partitionContext, Tag: p.first + i, Type: p.class(), Label: p.site.call}
	r, err := p.region(i*n, n)
	if err != nil {
		return err
	}
	if q.Buf = r.buf; r.in != nil {
		q.Body, q.Mode = &bodyPart{r.in, r.at, r.size}, llc.Scattered
	}
	p.reqs[i] = q
	p.c.t.Start(q, p.send)
	return nil
}

// A bodyPart is n bytes of a body.
type bodyPart struct {
	*body
	from, n int
}

// Size returns the number of bytes of the part.
func (b *bodyPart) Size() int { return b.n }

// Gather packs bytes of the part.
func (b *bodyPart) Gather(dst []byte, off int) { b.body.Gather(dst, b.from+off) }

// Scatter unpacks bytes of the part.
func (b *bodyPart) Scatter(src []byte, off int) { b.body.Scatter(src, b.from+off) }

// Blocks returns the layout of the part if it is blocks at equal distances.
func (b *bodyPart) Blocks() ([]byte, strided.Blocks) {
	mem, in := b.body.Blocks()
	if in.One() || b.from%in.Block != 0 {
		return nil, strided.Blocks{}
	}
	from, end := in.Span(b.from, b.n)
	return mem[from:end], in
}

// List returns where the first n bytes of the part are.
func (b *bodyPart) List(l strided.List, n, most int) ([]byte, strided.List) {
	return b.body.list(l, b.from, n, most)
}

// partitioned returns the partitioned message of r, or an error.
func (r *Request) partitioned(call string, send bool) (*partitioned, error) {
	var none *Comm
	k := r.repeated()
	if k == nil || k.parts == nil || k.parts.send != send {
		return nil, none.errorAt(at(call), ErrRequest, "the request is none of %s", map[bool]string{true: "PsendInit", false: "PrecvInit"}[send])
	}
	return k.parts, nil
}

// noPartition is the error of a call that names partition i.
func (p *partitioned) noPartition(call string, i int) error {
	if p.partitions == 0 {
		return p.c.errorAt(at(call), ErrArg, "there is no partition %d; the message has none", i)
	}
	return p.c.errorAt(at(call), ErrArg, "there is no partition %d; partitions are 0 to %d", i, p.partitions-1)
}

// Pready says that partition i of the message is ready to be sent; it must not change
// from now on until the request is complete. Several goroutines may call it at once,
// for different partitions.
//
// MPI 4.1, section 4.2.2.
func (r *Request) Pready(i int) error {
	return r.makeReady("Pready", func(yield func(int) bool) { yield(i) })
}

// PreadyRange is [Request.Pready] for the partitions from low to high, both included. If
// one of them cannot be sent, none is.
//
// MPI 4.1, section 4.2.2.
func (r *Request) PreadyRange(low, high int) error {
	return r.makeReady("PreadyRange", func(yield func(int) bool) {
		for i := low; i <= high && yield(i); i++ {
		}
	})
}

// PreadyList is [Request.Pready] for several partitions. If one of them cannot be sent,
// none is.
//
// MPI 4.1, section 4.2.2.
func (r *Request) PreadyList(list ...int) error {
	return r.makeReady("PreadyList", slices.Values(list))
}

// makeReady is Pready for all partitions of a list.
func (r *Request) makeReady(call string, list iter.Seq[int]) (err error) {
	defer r.raised(&err)
	p, err := r.partitioned(call, true)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	marked := 0
	for i := range list {
		if err = p.mayBeReady(call, i); err != nil {
			break
		}
		p.ready[i] = true
		marked++
	}
	if err != nil {
		for i := range list {
			if marked--; marked < 0 {
				break
			}
			p.ready[i] = false
		}
		return err
	}
	for i := range list {
		err = cmp.Or(err, p.sendPart(i))
	}
	return err
}

// mayBeReady returns why partition i cannot be sent now, or nil.
func (p *partitioned) mayBeReady(call string, i int) error {
	switch {
	case i < 0 || i >= p.partitions:
		return p.noPartition(call, i)
	case !p.on:
		return p.c.errorAt(at(call), ErrRequest, "the request is not active; Start it first")
	case p.ready[i]:
		return p.c.errorAt(at(call), ErrRequest, "partition %d is ready already; name each partition once after a Start", i)
	}
	return nil
}

// sendPart begins to send partition i, which is ready.
func (p *partitioned) sendPart(i int) (err error) {
	n := p.bytes / p.partitions
	if p.post(i*n, n); p.reqs != nil && p.failed == nil && !p.null {
		err = p.begin(i)
	}
	if p.left--; p.left == 0 {
		close(p.all)
		if p.waits {
			p.c.t.Wake(p.c.w.Rank)
		}
	}
	return err
}
